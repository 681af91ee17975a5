// 3x3 and 1x1 convolutions for the trainer on processors with AMX or AVX-512 BF16, as foreign functions of XLA.
//
// XLA's own convolution reaches about 60 GFLOP/s on two cores, since 32 channels are few. Here a 3x3 layer is nine
// shifted products of matrices, of points by channels of bfloat16, in the order in which the points are in memory.
// convolution_avx2.cc is for other processors. XLA computes layers with channels that are no multiple of 32.
//
// Arrays: activations [samples][rows][columns][channels] and weights [tap][in][out] in bfloat16, results in float.

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "convolution.h"

namespace {

// Numbers multiplied and summed at a time, and columns of a block.
constexpr int64_t kDepth = 32;
constexpr int64_t kColumns = 32;

#ifdef __AMX_BF16__

constexpr int64_t kTileRows = 16;

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes_per_row[16] = {};
  uint8_t rows[16] = {};
};

// The tile configuration of a thread while it multiplies: eight tiles of 16 rows of 64 bytes.
struct Tiles {
  Tiles() {
    TileConfig config;
    for (int i = 0; i < 8; ++i) {
      config.bytes_per_row[i] = 64;
      config.rows[i] = kTileRows;
    }
    _tile_loadconfig(&config);
  }
  ~Tiles() { _tile_release(); }
};

// Rows of a block of a product.
constexpr int64_t kRows = 2 * kTileRows;

// Sets sum[kRows][kColumns], with rows `out` apart, to the sum of the products of all parts, or adds it. Each part has
// `a(part)`[kRows][depth], rows `a_stride` apart, and two panels `b(part, 0)` and `b(part, 1)` of [depth / 2][16][2].
template <bool kAdds, typename A, typename B>
void multiply(int64_t parts, int64_t depth, A a, int64_t a_stride, B b, float* sum, int64_t out) {
  const int64_t sum_bytes = out * sizeof(float), a_bytes = a_stride * sizeof(bf16);
  float* const lower = sum + kTileRows * out;
  if (kAdds) {
    _tile_loadd(0, sum, sum_bytes);
    _tile_loadd(1, sum + 16, sum_bytes);
    _tile_loadd(2, lower, sum_bytes);
    _tile_loadd(3, lower + 16, sum_bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t part = 0; part < parts; ++part) {
    const bf16* from = a(part);
    for (int64_t k = 0; k < depth; k += kDepth) {
      _tile_loadd(4, from + k, a_bytes);
      _tile_loadd(5, from + kTileRows * a_stride + k, a_bytes);
      _tile_loadd(6, b(part, 0) + k * 16, 64);
      _tile_loadd(7, b(part, 1) + k * 16, 64);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sum, sum_bytes);
  _tile_stored(1, sum + 16, sum_bytes);
  _tile_stored(2, lower, sum_bytes);
  _tile_stored(3, lower + 16, sum_bytes);
}

#else

struct Tiles {
  // Not trivial, so that the compiler does not report it as unused.
  Tiles() {}
};

// Sixteen sums, which leaves registers for the factors.
constexpr int64_t kRows = 8;

// As above, with AVX-512 BF16.
template <bool kAdds, typename A, typename B>
void multiply(int64_t parts, int64_t depth, A a, int64_t a_stride, B b, float* sum, int64_t out) {
  __m512 sums[kRows][2];
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t half = 0; half < 2; ++half)
      sums[row][half] = kAdds ? _mm512_loadu_ps(sum + row * out + 16 * half) : _mm512_setzero_ps();
  for (int64_t part = 0; part < parts; ++part) {
    const bf16 *from = a(part), *left = b(part, 0), *right = b(part, 1);
    for (int64_t k = 0; k < depth; k += 2, from += 2, left += 32, right += 32) {
      const auto one = (__m512bh)_mm512_loadu_si512(left), other = (__m512bh)_mm512_loadu_si512(right);
#pragma GCC unroll 8
      for (int64_t row = 0; row < kRows; ++row) {
        int32_t pair;
        std::memcpy(&pair, from + row * a_stride, sizeof pair);
        const auto both = (__m512bh)_mm512_set1_epi32(pair);
        sums[row][0] = _mm512_dpbf16_ps(sums[row][0], both, one);
        sums[row][1] = _mm512_dpbf16_ps(sums[row][1], both, other);
      }
    }
  }
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t half = 0; half < 2; ++half) _mm512_storeu_ps(sum + row * out + 16 * half, sums[row][half]);
}

#endif

void copy_in(const Padded& board, const bf16* from, int64_t channels, bf16* to) {
  board.each_row([=](int64_t source, int64_t target, int64_t columns) {
    std::memcpy(to + target * channels, from + source * channels, columns * channels * sizeof(bf16));
  });
}

// Weights as panels: [tap][block of 32 in][block of 16 out][pair][out][2].
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

ffi::Error forward(int64_t threads, ffi::Buffer<ffi::BF16> x, ffi::Buffer<ffi::BF16> w,
                   ffi::ResultBuffer<ffi::F32> y) {
  const auto shape = x.dimensions();
  const int64_t samples = shape[0], in = shape[3], taps = w.dimensions()[0], out = w.dimensions()[2];
  const Padded board(shape[1], shape[2], kDepth);
  const int64_t points = board.rows * board.columns, deep = in / kDepth;
  const auto* source = reinterpret_cast<const bf16*>(x.untyped_data());
  const auto packed = pack_weights(reinterpret_cast<const bf16*>(w.untyped_data()), taps, in, out);
  float* target = y->typed_data();
#pragma omp parallel num_threads(threads)
  {
    const Tiles tiles;
    std::vector<bf16> padded(board.points * in);
    std::vector<float> flat(board.span * out);
#pragma omp for schedule(dynamic, 4)
    for (int64_t n = 0; n < samples; ++n) {
      copy_in(board, source + n * points * in, in, padded.data());
      for (int64_t p = 0; p < board.span; p += kRows)
        for (int64_t o = 0; o < out; o += kColumns) {
          // A part is a tap and 32 channels.
          const auto x_at = [&, x = padded.data() + (board.first + p) * in](int64_t part) {
            return x + board.offset(taps, part / deep) * in + part % deep * kDepth;
          };
          const auto panel = [&](int64_t part, int64_t half) {
            return packed.data() + (part * out + o + 16 * half) * kDepth;
          };
          multiply<false>(taps * deep, kDepth, x_at, in, panel, flat.data() + p * out + o, out);
        }
      for (int64_t row = 0; row < board.rows; ++row)
        std::memcpy(target + (n * points + row * board.columns) * out, flat.data() + row * board.stride * out,
                    board.columns * out * sizeof(float));
    }
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

// Transposes 16 vectors of 16 numbers of 32 bits.
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

// Channels first, so that the depth of a tile is the points, the dimension of the sum.
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

// The gradient of the weights; `d` is the gradient of the result.
ffi::Error weights(int64_t threads, ffi::Buffer<ffi::BF16> x, ffi::Buffer<ffi::BF16> d,
                   ffi::ResultBuffer<ffi::F32> w) {
  const auto shape = x.dimensions();
  const int64_t samples = shape[0], in = shape[3], out = d.dimensions()[3], taps = w->dimensions()[0];
  const Padded board(shape[1], shape[2], kDepth);
  const int64_t points = board.rows * board.columns;
  const auto* x_data = reinterpret_cast<const bf16*>(x.untyped_data());
  const auto* d_data = reinterpret_cast<const bf16*>(d.untyped_data());
  float* target = w->typed_data();
  std::fill_n(target, taps * in * out, 0.0f);
#pragma omp parallel num_threads(threads)
  {
    const Tiles tiles;
    std::vector<bf16> x_padded(board.points * in), x_turned(board.points * in);
    std::vector<bf16> d_padded(board.points * out), d_pairs(board.span * out);
    std::vector<float> sum(taps * in * out);
#pragma omp for schedule(dynamic, 4)
    for (int64_t n = 0; n < samples; ++n) {
      copy_in(board, x_data + n * points * in, in, x_padded.data());
      copy_in(board, d_data + n * points * out, out, d_padded.data());
      transpose(x_padded.data(), board.points, in, x_turned.data());
      interleave(d_padded.data() + board.first * out, board.span, out, d_pairs.data());
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t i = 0; i < in; i += kRows)
          for (int64_t o = 0; o < out; o += kColumns) {
            const bf16* x = x_turned.data() + i * board.points + board.first + board.offset(taps, tap);
            const bf16* panels = d_pairs.data() + o * board.span;
            multiply<true>(
                1, board.span, [=](int64_t) { return x; }, board.points,
                [=, &board](int64_t, int64_t half) { return panels + half * board.span * 16; },
                sum.data() + (tap * in + i) * out + o, out);
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

// Requests tiles from the system if they are used; returns 0 if it grants them.
extern "C" int request_tiles() {
#ifdef __AMX_BF16__
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0 ? 0 : 1;
#else
  return 0;
#endif
}
