// 3x3 and 1x1 convolutions for the trainer on processors with AVX2, as foreign functions of XLA; convolution.cc has the
// reasons.
//
// Arrays: activations [samples][rows][columns][channels] and weights [tap][in][out] in bfloat16, results in float. All
// are multiplied as floats, eight in a register.

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "convolution.h"

namespace {

// Columns of a block of a product: two registers.
constexpr int64_t kColumns = 16;
// Points of a block: with two registers each, twelve sums of the sixteen registers.
constexpr int64_t kPoints = 6;
// Channels of a block of the gradient, and points read again for all of its blocks, few enough for the cache.
constexpr int64_t kChannels = 4;
constexpr int64_t kNear = 8 * kPoints;

void widen(const bf16* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += 8) {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    _mm256_storeu_ps(to + i, _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
  }
}

void copy_in(const Padded& board, const bf16* from, int64_t channels, float* to) {
  board.each_row([=](int64_t source, int64_t target, int64_t columns) {
    widen(from + source * channels, columns * channels, to + target * channels);
  });
}

// A block of sums, in registers.
template <int64_t kRows>
struct Sums {
  __m256 sums[kRows][2] = {};

  void load(const float* from, int64_t stride) {
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t half = 0; half < 2; ++half) sums[row][half] = _mm256_loadu_ps(from + row * stride + 8 * half);
  }

  void store(float* to, int64_t stride) const {
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t half = 0; half < 2; ++half) _mm256_storeu_ps(to + row * stride + 8 * half, sums[row][half]);
  }

  // Adds the product of a[kRows][depth], with rows `a_row` and columns `a_column` apart, and b[depth][kColumns], with rows
  // `b_row` apart.
  void add(int64_t depth, const float* a, int64_t a_row, int64_t a_column, const float* b, int64_t b_row) {
    for (int64_t k = 0; k < depth; ++k, a += a_column, b += b_row) {
      const __m256 left = _mm256_loadu_ps(b), right = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 8
      for (int64_t row = 0; row < kRows; ++row) {
        const __m256 factor = _mm256_broadcast_ss(a + row * a_row);
        sums[row][0] = _mm256_fmadd_ps(factor, left, sums[row][0]);
        sums[row][1] = _mm256_fmadd_ps(factor, right, sums[row][1]);
      }
    }
  }
};

ffi::Error forward(int64_t threads, ffi::Buffer<ffi::BF16> x, ffi::Buffer<ffi::BF16> w,
                   ffi::ResultBuffer<ffi::F32> y) {
  const auto shape = x.dimensions();
  const int64_t samples = shape[0], in = shape[3], taps = w.dimensions()[0], out = w.dimensions()[2];
  const Padded board(shape[1], shape[2], kPoints);
  const int64_t points = board.rows * board.columns;
  const auto* source = reinterpret_cast<const bf16*>(x.untyped_data());
  std::vector<float> weights(taps * in * out);
  widen(reinterpret_cast<const bf16*>(w.untyped_data()), taps * in * out, weights.data());
  float* target = y->typed_data();
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> padded(board.points * in), flat(board.span * out);
#pragma omp for schedule(dynamic, 4)
    for (int64_t n = 0; n < samples; ++n) {
      copy_in(board, source + n * points * in, in, padded.data());
      for (int64_t o = 0; o < out; o += kColumns)
        for (int64_t p = 0; p < board.span; p += kPoints) {
          Sums<kPoints> sums;
          for (int64_t tap = 0; tap < taps; ++tap)
            sums.add(in, padded.data() + (board.first + p + board.offset(taps, tap)) * in, in, 1,
                     weights.data() + tap * in * out + o, out);
          sums.store(flat.data() + p * out + o, out);
        }
      for (int64_t row = 0; row < board.rows; ++row)
        std::memcpy(target + (n * points + row * board.columns) * out, flat.data() + row * board.stride * out,
                    board.columns * out * sizeof(float));
    }
  }
  return ffi::Error::Success();
}

// The gradient of the weights; `d` is the gradient of the result.
ffi::Error weights(int64_t threads, ffi::Buffer<ffi::BF16> x, ffi::Buffer<ffi::BF16> d,
                   ffi::ResultBuffer<ffi::F32> w) {
  const auto shape = x.dimensions();
  const int64_t samples = shape[0], in = shape[3], out = d.dimensions()[3], taps = w->dimensions()[0];
  const Padded board(shape[1], shape[2], kPoints);
  const int64_t points = board.rows * board.columns;
  const auto* x_data = reinterpret_cast<const bf16*>(x.untyped_data());
  const auto* d_data = reinterpret_cast<const bf16*>(d.untyped_data());
  float* target = w->typed_data();
  std::fill_n(target, taps * in * out, 0.0f);
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> x_padded(board.points * in), d_padded(board.points * out), sum(taps * in * out);
#pragma omp for schedule(dynamic, 4)
    for (int64_t n = 0; n < samples; ++n) {
      copy_in(board, x_data + n * points * in, in, x_padded.data());
      copy_in(board, d_data + n * points * out, out, d_padded.data());
      for (int64_t p = 0; p < board.span; p += kNear)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t o = 0; o < out; o += kColumns)
            for (int64_t i = 0; i < in; i += kChannels) {
              float* const block = sum.data() + (tap * in + i) * out + o;
              const float* x = x_padded.data() + (board.first + p + board.offset(taps, tap)) * in + i;
              Sums<kChannels> sums;
              sums.load(block, out);
              sums.add(std::min(kNear, board.span - p), x, 1, in, d_padded.data() + (board.first + p) * out + o, out);
              sums.store(block, out);
            }
    }
#pragma omp critical
    for (int64_t k = 0; k < taps * in * out; ++k) target[k] += sum[k];
  }
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(Forward, forward, two_in_one_out());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Weights, weights, two_in_one_out());

// AVX2 needs no request.
extern "C" int request_tiles() { return 0; }
