// Common parts of the convolutions for all processors.

#pragma once

#include <cstdint>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using bf16 = uint16_t;

// The signature for XLA: two arrays of bfloat16 in, one of floats out.
inline auto two_in_one_out() {
  return ffi::Ffi::Bind()
      .Attr<int64_t>("threads")
      .Arg<ffi::Buffer<ffi::BF16>>()
      .Arg<ffi::Buffer<ffi::BF16>>()
      .Ret<ffi::Buffer<ffi::F32>>();
}

// A board with a border of zeros, as one flat list of points.
struct Padded {
  int64_t rows, columns, stride, first, span, points;

  // `block`: points read at a time.
  Padded(int64_t rows, int64_t columns, int64_t block) : rows(rows), columns(columns) {
    stride = columns + 1;
    first = stride + 1;
    // From the first point of the board to the last, in whole blocks.
    span = ((rows - 1) * stride + columns + block - 1) / block * block;
    // Whole blocks, so that reading may exceed the last point.
    points = (first + span + stride + 1 + block) / block * block;
  }

  // Offset of the neighbour for a tap: one of nine, or the point itself.
  int64_t offset(int64_t taps, int64_t tap) const {
    return taps == 1 ? 0 : (tap / 3 - 1) * stride + tap % 3 - 1;
  }

  int64_t at(int64_t row, int64_t column) const { return first + row * stride + column; }

  // Calls `copy(from, to, columns)` for each row, with the numbers of its first points.
  template <typename Copy>
  void each_row(Copy copy) const {
    for (int64_t row = 0; row < rows; ++row) copy(row * columns, at(row, 0), columns);
  }
};
