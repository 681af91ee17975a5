// 3x3 and 1x1 convolutions for the trainer on processors with AMX, as foreign functions of XLA.
//
// XLA's own convolution reaches about 60 GFLOP/s on two cores, since 32 channels are few. Here a tile is 16
// points by 32 channels of bfloat16, which is how the points lie in memory anyway; a 3x3 layer is nine shifted
// products. Where the processor has no AMX, or the network's channels are no multiple of 32, the trainer uses XLA.
//
// Arrays: activations [samples][rows][columns][channels] and weights [tap][in][out] in bfloat16, results in float.

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

using bf16 = uint16_t;

constexpr int64_t kTileRows = 16;
constexpr int64_t kDepth = 32;

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes_per_row[16] = {};
  uint8_t rows[16] = {};
};

// All eight tiles have 16 rows of 64 bytes.
void configure_tiles() {
  TileConfig config;
  for (int i = 0; i < 8; ++i) {
    config.bytes_per_row[i] = 64;
    config.rows[i] = kTileRows;
  }
  _tile_loadconfig(&config);
}

// A board with a border of zeros, as one flat list of points.
struct Padded {
  int64_t rows, columns, stride, first, span, points;

  Padded(int64_t rows, int64_t columns) : rows(rows), columns(columns) {
    stride = columns + 1;
    first = stride + 1;
    // From the first point of the board to the last, in whole tiles.
    span = ((rows - 1) * stride + columns + 2 * kTileRows - 1) / (2 * kTileRows) * (2 * kTileRows);
    // Whole blocks, so that the last may be read beyond what is needed.
    points = (first + span + stride + 1 + kDepth) / kDepth * kDepth;
  }

  // Where the neighbour of a tap is: one of nine, or the point itself.
  int64_t offset(int64_t taps, int64_t tap) const {
    return taps == 1 ? 0 : (tap / 3 - 1) * stride + tap % 3 - 1;
  }

  int64_t at(int64_t row, int64_t column) const { return first + row * stride + column; }

  void copy_in(const bf16* from, int64_t channels, bf16* to) const {
    for (int64_t row = 0; row < rows; ++row) {
      std::memcpy(to + at(row, 0) * channels, from + row * columns * channels,
                  columns * channels * sizeof(bf16));
    }
  }
};

// Weights in the order of tiles: [tap][block of 32 in][block of 16 out][pair][out][2].
std::vector<bf16> pack_weights(const bf16* weights, int64_t taps, int64_t in, int64_t out) {
  std::vector<bf16> packed(taps * in * out);
  bf16* next = packed.data();
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t i = 0; i < in; i += kDepth)
      for (int64_t o = 0; o < out; o += 16)
        for (int64_t pair = 0; pair < 16; ++pair)
          for (int64_t column = 0; column < 16; ++column)
            for (int64_t j = 0; j < 2; ++j)
              *next++ = weights[(tap * in + i + 2 * pair + j) * out + o + column];
  return packed;
}

// 32 points by 32 channels of the result, from `x` (the first of the points) on.
void forward_block(const Padded& board, const bf16* x, const bf16* packed, int64_t taps, int64_t in,
                   int64_t out, int64_t o, float* result) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const int64_t row_bytes = in * sizeof(bf16);
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t i = 0; i < in; i += kDepth) {
      const bf16* from = x + board.offset(taps, tap) * in + i;
      const bf16* w = packed + (tap * in + i) * out + o * kDepth;
      _tile_loadd(4, from, row_bytes);
      _tile_loadd(5, from + kTileRows * in, row_bytes);
      _tile_loadd(6, w, 64);
      _tile_loadd(7, w + 16 * kDepth, 64);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  const int64_t out_bytes = out * sizeof(float);
  _tile_stored(0, result, out_bytes);
  _tile_stored(1, result + 16, out_bytes);
  _tile_stored(2, result + kTileRows * out, out_bytes);
  _tile_stored(3, result + kTileRows * out + 16, out_bytes);
}

ffi::Error forward(int64_t threads, ffi::Buffer<ffi::BF16> x, ffi::Buffer<ffi::BF16> w,
                   ffi::ResultBuffer<ffi::F32> y) {
  const auto shape = x.dimensions();
  const int64_t samples = shape[0], in = shape[3], taps = w.dimensions()[0], out = w.dimensions()[2];
  const Padded board(shape[1], shape[2]);
  const int64_t points = board.rows * board.columns;
  const auto* source = reinterpret_cast<const bf16*>(x.untyped_data());
  const auto packed = pack_weights(reinterpret_cast<const bf16*>(w.untyped_data()), taps, in, out);
  float* target = y->typed_data();
#pragma omp parallel num_threads(threads)
  {
    configure_tiles();
    std::vector<bf16> padded(board.points * in);
    std::vector<float> flat(board.span * out);
#pragma omp for schedule(dynamic, 4)
    for (int64_t n = 0; n < samples; ++n) {
      board.copy_in(source + n * points * in, in, padded.data());
      for (int64_t p = 0; p < board.span; p += 2 * kTileRows)
        for (int64_t o = 0; o < out; o += 32)
          forward_block(board, padded.data() + (board.first + p) * in, packed.data(), taps, in, out, o,
                        flat.data() + p * out + o);
      for (int64_t row = 0; row < board.rows; ++row)
        std::memcpy(target + (n * points + row * board.columns) * out, flat.data() + row * board.stride * out,
                    board.columns * out * sizeof(float));
    }
    _tile_release();
  }
  return ffi::Error::Success();
}

// Two points of 16 channels side by side: [channel][2].
__m512i pair_of_points(const bf16* from, int64_t channels) {
  const __m256i one = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i other = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + channels));
  const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(one), other, 1);
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
                                         6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(order, both);
}

// Turns 16 vectors of 16 numbers of 32 bits around their diagonal.
void turn(__m512i* r) {
  __m512i t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    for (int half = 0; half < 2; ++half) {
      t[8 * half + i] = _mm512_shuffle_i32x4(r[8 * half + i], r[8 * half + i + 4], 0x88);
      t[8 * half + i + 4] = _mm512_shuffle_i32x4(r[8 * half + i], r[8 * half + i + 4], 0xdd);
    }
  }
  for (int i = 0; i < 8; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
  }
}

// Channels first, so that the points, which are summed over, are the depth of a tile.
void transpose(const bf16* from, int64_t points, int64_t channels, bf16* to) {
  for (int64_t c = 0; c < channels; c += 16) {
    for (int64_t p = 0; p < points; p += kDepth) {
      __m512i block[16];
      for (int64_t i = 0; i < 16; ++i) block[i] = pair_of_points(from + (p + 2 * i) * channels + c, channels);
      turn(block);
      for (int64_t i = 0; i < 16; ++i) _mm512_storeu_si512(to + (c + i) * points + p, block[i]);
    }
  }
}

// Pairs of points side by side: [block of 16 channels][pair of points][channel][2].
void interleave(const bf16* from, int64_t points, int64_t channels, bf16* to) {
  for (int64_t c = 0; c < channels; c += 16)
    for (int64_t p = 0; p < points; p += 2, to += 32)
      _mm512_storeu_si512(to, pair_of_points(from + p * channels + c, channels));
}

// Adds 32 by 32 weights of one tap to `sum`.
void weights_block(const bf16* x, int64_t x_points, const bf16* d, int64_t span, int64_t out, float* sum) {
  const int64_t sum_bytes = out * sizeof(float), x_bytes = x_points * sizeof(bf16);
  _tile_loadd(0, sum, sum_bytes);
  _tile_loadd(1, sum + 16, sum_bytes);
  _tile_loadd(2, sum + kTileRows * out, sum_bytes);
  _tile_loadd(3, sum + kTileRows * out + 16, sum_bytes);
  for (int64_t p = 0; p < span; p += kDepth) {
    _tile_loadd(4, x + p, x_bytes);
    _tile_loadd(5, x + kTileRows * x_points + p, x_bytes);
    _tile_loadd(6, d + p * 16, 64);
    _tile_loadd(7, d + (span + p) * 16, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sum, sum_bytes);
  _tile_stored(1, sum + 16, sum_bytes);
  _tile_stored(2, sum + kTileRows * out, sum_bytes);
  _tile_stored(3, sum + kTileRows * out + 16, sum_bytes);
}

// The gradient of the weights: `d` is that of the result.
ffi::Error weights(int64_t threads, ffi::Buffer<ffi::BF16> x, ffi::Buffer<ffi::BF16> d,
                   ffi::ResultBuffer<ffi::F32> w) {
  const auto shape = x.dimensions();
  const int64_t samples = shape[0], in = shape[3], out = d.dimensions()[3], taps = w->dimensions()[0];
  const Padded board(shape[1], shape[2]);
  const int64_t points = board.rows * board.columns;
  const auto* x_data = reinterpret_cast<const bf16*>(x.untyped_data());
  const auto* d_data = reinterpret_cast<const bf16*>(d.untyped_data());
  float* target = w->typed_data();
  std::fill_n(target, taps * in * out, 0.0f);
#pragma omp parallel num_threads(threads)
  {
    configure_tiles();
    std::vector<bf16> x_padded(board.points * in), x_turned(board.points * in);
    std::vector<bf16> d_padded(board.points * out), d_pairs(board.span * out);
    std::vector<float> sum(taps * in * out);
#pragma omp for schedule(dynamic, 4)
    for (int64_t n = 0; n < samples; ++n) {
      board.copy_in(x_data + n * points * in, in, x_padded.data());
      board.copy_in(d_data + n * points * out, out, d_padded.data());
      transpose(x_padded.data(), board.points, in, x_turned.data());
      interleave(d_padded.data() + board.first * out, board.span, out, d_pairs.data());
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t i = 0; i < in; i += 32)
          for (int64_t o = 0; o < out; o += 32)
            weights_block(x_turned.data() + i * board.points + board.first + board.offset(taps, tap), board.points,
                          d_pairs.data() + o * board.span, board.span, out,
                          sum.data() + (tap * in + i) * out + o);
    }
    _tile_release();
#pragma omp critical
    for (int64_t k = 0; k < taps * in * out; ++k) target[k] += sum[k];
  }
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(Forward, forward,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("threads")
                                  .Arg<ffi::Buffer<ffi::BF16>>()
                                  .Arg<ffi::Buffer<ffi::BF16>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

XLA_FFI_DEFINE_HANDLER_SYMBOL(Weights, weights,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("threads")
                                  .Arg<ffi::Buffer<ffi::BF16>>()
                                  .Arg<ffi::Buffer<ffi::BF16>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

// Asks the system for the tiles; 0 where it grants them.
extern "C" int request_tiles() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0 ? 0 : 1;
}
