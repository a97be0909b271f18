// A value of sixteen floats: one AVX-512 register, two AVX2 registers, or an array. Every kernel is
// written once in terms of it, so that all variants follow one definition of the arithmetic: AVX2
// and AVX-512 give the same bits, and the portable variant differs only in the lack of fused
// multiply-adds.
//
// Included by the translation units of the variants only, each with flags and a namespace of its
// own: nothing here may be an inline function that the linker could share between them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "caucus/core/simd/kernel_table.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define CAUCUS_SIMD_VARIANT avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define CAUCUS_SIMD_VARIANT avx2
#else
#define CAUCUS_SIMD_VARIANT portable
#endif

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

struct Lanes {
  __m512 v;
};

inline __mmask16 first_lanes(std::size_t count) {
  return static_cast<__mmask16>((1U << count) - 1U);
}

inline Lanes fill(float value) { return {_mm512_set1_ps(value)}; }
inline Lanes load(const float* p) { return {_mm512_loadu_ps(p)}; }
inline void store(float* p, Lanes a) { _mm512_storeu_ps(p, a.v); }
/// Loads or stores the first `count` < 16 lanes; the others are 0 or unchanged.
inline Lanes load_first(const float* p, std::size_t count) {
  return {_mm512_maskz_loadu_ps(first_lanes(count), p)};
}
inline void store_first(float* p, std::size_t count, Lanes a) {
  _mm512_mask_storeu_ps(p, first_lanes(count), a.v);
}

inline Lanes add(Lanes a, Lanes b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Lanes subtract(Lanes a, Lanes b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline Lanes multiply(Lanes a, Lanes b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Lanes mul_add(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }

/// Returns the larger of |a| and |b|, compared as bits: NaN is larger than infinity. a must not be
/// negative.
inline Lanes larger_size(Lanes a, Lanes b) {
  const __m512i size = _mm512_castps_si512(_mm512_abs_ps(b.v));
  return {_mm512_castsi512_ps(_mm512_max_epu32(_mm512_castps_si512(a.v), size))};
}
/// Changes the sign of a where the last bit of `count` is set.
inline Lanes turn_if_odd(Lanes a, Lanes count) {
  const __m512i sign = _mm512_slli_epi32(_mm512_castps_si512(count.v), 31);
  return {_mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(a.v), sign))};
}
/// Adds lanes l and l + 8 in double, then l and l + 4.
inline __m256d sum_to_four(Lanes a) {
  const __m512d eight = _mm512_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(a.v)),
                                      _mm512_cvtps_pd(_mm512_extractf32x8_ps(a.v, 1)));
  return _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1));
}

#elif defined(__AVX2__) && defined(__FMA__)

struct Lanes {
  __m256 low, high;
};

/// Returns a mask of the first `count` of eight lanes.
inline __m256i first_lanes(std::size_t count) {
  alignas(64) static constexpr int kMask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMask + 8 - count));
}

inline Lanes fill(float value) { return {_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
inline Lanes load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void store(float* p, Lanes a) {
  _mm256_storeu_ps(p, a.low);
  _mm256_storeu_ps(p + 8, a.high);
}
/// For at most eight lanes.
[[gnu::always_inline]] inline __m256 load_half(const float* p, std::size_t count) {
  return count == 8 ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, first_lanes(count));
}
[[gnu::always_inline]] inline Lanes load_first(const float* p, std::size_t count) {
  if (count <= 8) return {load_half(p, count), _mm256_setzero_ps()};
  return {_mm256_loadu_ps(p), load_half(p + 8, count - 8)};
}
/// Stores in pieces, because a masked store takes more than ten cycles on AMD's CPUs.
[[gnu::always_inline]] inline void store_half(float* p, std::size_t count, __m256 a) {
  if (count == 8) return _mm256_storeu_ps(p, a);
  __m128 part = _mm256_castps256_ps128(a);
  if ((count & 4U) != 0U) {
    _mm_storeu_ps(p, part);
    part = _mm256_extractf128_ps(a, 1);
    p += 4;
  }
  if ((count & 2U) != 0U) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), part);
    part = _mm_movehl_ps(part, part);
    p += 2;
  }
  if ((count & 1U) != 0U) _mm_store_ss(p, part);
}
[[gnu::always_inline]] inline void store_first(float* p, std::size_t count, Lanes a) {
  if (count <= 8) {
    store_half(p, count, a.low);
  } else {
    _mm256_storeu_ps(p, a.low);
    store_half(p + 8, count - 8, a.high);
  }
}

inline Lanes add(Lanes a, Lanes b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
inline Lanes subtract(Lanes a, Lanes b) {
  return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}
inline Lanes multiply(Lanes a, Lanes b) {
  return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}
inline Lanes mul_add(Lanes a, Lanes b, Lanes c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}

inline __m256 larger_size(__m256 a, __m256 b) {
  const __m256i size = _mm256_castps_si256(_mm256_andnot_ps(_mm256_set1_ps(-0.0F), b));
  return _mm256_castsi256_ps(_mm256_max_epu32(_mm256_castps_si256(a), size));
}
inline Lanes larger_size(Lanes a, Lanes b) {
  return {larger_size(a.low, b.low), larger_size(a.high, b.high)};
}
inline __m256 turn_if_odd(__m256 a, __m256 count) {
  const __m256i sign = _mm256_slli_epi32(_mm256_castps_si256(count), 31);
  return _mm256_xor_ps(a, _mm256_castsi256_ps(sign));
}
inline Lanes turn_if_odd(Lanes a, Lanes count) {
  return {turn_if_odd(a.low, count.low), turn_if_odd(a.high, count.high)};
}
inline __m256d sum_to_four(Lanes a) {
  const __m256d low = _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(a.low)),
                                    _mm256_cvtps_pd(_mm256_castps256_ps128(a.high)));
  const __m256d high = _mm256_add_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(a.low, 1)),
                                     _mm256_cvtps_pd(_mm256_extractf128_ps(a.high, 1)));
  return _mm256_add_pd(low, high);
}

#else

struct Lanes {
  float v[kLanes];
};

template <class Function>
inline Lanes each(Function function) {
  Lanes out{};
  for (std::size_t l = 0; l < kLanes; ++l) out.v[l] = function(l);
  return out;
}

inline Lanes fill(float value) {
  return each([&](std::size_t) { return value; });
}
inline Lanes load(const float* p) {
  return each([&](std::size_t l) { return p[l]; });
}
inline void store(float* p, Lanes a) {
  for (std::size_t l = 0; l < kLanes; ++l) p[l] = a.v[l];
}
inline Lanes load_first(const float* p, std::size_t count) {
  return each([&](std::size_t l) { return l < count ? p[l] : 0.0F; });
}
inline void store_first(float* p, std::size_t count, Lanes a) {
  for (std::size_t l = 0; l < count; ++l) p[l] = a.v[l];
}

inline Lanes add(Lanes a, Lanes b) {
  return each([&](std::size_t l) { return a.v[l] + b.v[l]; });
}
inline Lanes subtract(Lanes a, Lanes b) {
  return each([&](std::size_t l) { return a.v[l] - b.v[l]; });
}
inline Lanes multiply(Lanes a, Lanes b) {
  return each([&](std::size_t l) { return a.v[l] * b.v[l]; });
}
inline Lanes mul_add(Lanes a, Lanes b, Lanes c) {
  return each([&](std::size_t l) {
#ifdef __FMA__
    return __builtin_fmaf(a.v[l], b.v[l], c.v[l]);
#else
    return a.v[l] * b.v[l] + c.v[l];
#endif
  });
}

inline float larger_size(float a, float b) {
  const auto old = __builtin_bit_cast(std::uint32_t, a);
  const auto size = __builtin_bit_cast(std::uint32_t, b) & 0x7FFFFFFFU;
  return __builtin_bit_cast(float, size > old ? size : old);
}
inline Lanes larger_size(Lanes a, Lanes b) {
  return each([&](std::size_t l) { return larger_size(a.v[l], b.v[l]); });
}
inline bool is_odd(float count) { return (__builtin_bit_cast(std::uint32_t, count) & 1U) != 0U; }
inline Lanes turn_if_odd(Lanes a, Lanes count) {
  return each([&](std::size_t l) { return is_odd(count.v[l]) ? -a.v[l] : a.v[l]; });
}
inline double sum(Lanes a) {
  double lanes[8];
  for (std::size_t l = 0; l < 8; ++l) {
    lanes[l] = static_cast<double>(a.v[l]) + static_cast<double>(a.v[l + 8]);
  }
  for (std::size_t half = 4; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

/// Returns the sums of four vectors.
inline void sum_four(const Lanes* a, double* out) {
  for (std::size_t i = 0; i < 4; ++i) out[i] = sum(a[i]);
}

#endif

#if defined(__AVX2__) && defined(__FMA__)

/// Sums the lanes in double: l and l + 8 first, then l and l + 4, and so on.
inline double sum(Lanes a) {
  const __m256d four = sum_to_four(a);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
/// Returns the sums of four vectors; their last additions are vectorised.
inline void sum_four(const Lanes* a, double* out) {
  const __m256d four[4] = {sum_to_four(a[0]), sum_to_four(a[1]), sum_to_four(a[2]),
                           sum_to_four(a[3])};
  const __m256d two = _mm256_add_pd(_mm256_permute2f128_pd(four[0], four[1], 0x20),
                                    _mm256_permute2f128_pd(four[0], four[1], 0x31));
  const __m256d others = _mm256_add_pd(_mm256_permute2f128_pd(four[2], four[3], 0x20),
                                       _mm256_permute2f128_pd(four[2], four[3], 0x31));
  const __m256d sums =
      _mm256_add_pd(_mm256_unpacklo_pd(two, others), _mm256_unpackhi_pd(two, others));
  _mm256_storeu_pd(out, _mm256_permute4x64_pd(sums, 0xD8));
}

#endif

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
