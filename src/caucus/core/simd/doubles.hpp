// A value of eight doubles, independent of the width of the hardware's vectors; see lanes.hpp.
#pragma once

#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

constexpr std::size_t kExactSums = 8;  ///< the number of Eights that are summed in registers

/// Eight doubles.
struct Eight {
  __m512d v;
};

inline Eight eight(double value) { return {_mm512_set1_pd(value)}; }
inline Eight load(const double* p) { return {_mm512_loadu_pd(p)}; }
inline void store(double* p, Eight a) { _mm512_storeu_pd(p, a.v); }
/// Eight floats as doubles.
inline Eight widened(const float* p) { return {_mm512_cvtps_pd(_mm256_loadu_ps(p))}; }
inline void store_narrowed(float* p, Eight a) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(a.v)); }
inline Eight multiply(Eight a, Eight b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Eight add(Eight a, Eight b) { return {_mm512_add_pd(a.v, b.v)}; }
inline Eight subtract(Eight a, Eight b) { return {_mm512_sub_pd(a.v, b.v)}; }
inline Eight mul_add(Eight a, Eight b, Eight c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
inline Eight divide(Eight a, Eight b) { return {_mm512_div_pd(a.v, b.v)}; }
inline Eight larger(Eight a, Eight b) { return {_mm512_max_pd(a.v, b.v)}; }
/// Returns the number of lanes with x <= limit.
inline std::size_t count_at_most(Eight x, Eight limit) {
  return static_cast<std::size_t>(__builtin_popcount(_mm512_cmp_pd_mask(x.v, limit.v, _CMP_LE_OQ)));
}
/// Adds 1 in the lanes where x <= limit.
inline Eight count_up(Eight counts, Eight x, Eight limit) {
  return {_mm512_mask_add_pd(counts.v, _mm512_cmp_pd_mask(x.v, limit.v, _CMP_LE_OQ), counts.v,
                             _mm512_set1_pd(1.0))};
}
/// Returns value where x >= limit, and 0 elsewhere.
inline Eight zero_below(Eight x, Eight limit, Eight value) {
  return {_mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x.v, limit.v, _CMP_GE_OQ), value.v)};
}
/// a * 2^n, where count = n + 1.5 * 2^52 as a double.
inline Eight times_power_of_two(Eight a, Eight count) {
  const __m512i exponent = _mm512_slli_epi64(_mm512_castpd_si512(count.v), 52);
  return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a.v), exponent))};
}
/// Sums the lanes: l and l + 4 first, then l and l + 2, and so on.
inline double sum(Eight a) {
  const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(a.v), _mm512_extractf64x4_pd(a.v, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#elif defined(__AVX2__) && defined(__FMA__)

constexpr std::size_t kExactSums = 5;

struct Eight {
  __m256d low, high;
};

inline Eight eight(double value) { return {_mm256_set1_pd(value), _mm256_set1_pd(value)}; }
inline Eight load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
inline void store(double* p, Eight a) {
  _mm256_storeu_pd(p, a.low);
  _mm256_storeu_pd(p + 4, a.high);
}
inline Eight widened(const float* p) {
  return {_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4))};
}
inline void store_narrowed(float* p, Eight a) {
  _mm_storeu_ps(p, _mm256_cvtpd_ps(a.low));
  _mm_storeu_ps(p + 4, _mm256_cvtpd_ps(a.high));
}
inline Eight multiply(Eight a, Eight b) {
  return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}
inline Eight add(Eight a, Eight b) {
  return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}
inline Eight subtract(Eight a, Eight b) {
  return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}
inline Eight divide(Eight a, Eight b) {
  return {_mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high)};
}
inline Eight larger(Eight a, Eight b) {
  return {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)};
}
inline std::size_t count_at_most(Eight x, Eight limit) {
  const int low = _mm256_movemask_pd(_mm256_cmp_pd(x.low, limit.low, _CMP_LE_OQ));
  const int high = _mm256_movemask_pd(_mm256_cmp_pd(x.high, limit.high, _CMP_LE_OQ));
  return static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(low | (high << 4))));
}
inline __m256d count_up(__m256d counts, __m256d x, __m256d limit) {
  const __m256d one = _mm256_set1_pd(1.0);
  return _mm256_add_pd(counts, _mm256_and_pd(_mm256_cmp_pd(x, limit, _CMP_LE_OQ), one));
}
inline Eight count_up(Eight counts, Eight x, Eight limit) {
  return {count_up(counts.low, x.low, limit.low), count_up(counts.high, x.high, limit.high)};
}
inline Eight zero_below(Eight x, Eight limit, Eight value) {
  return {_mm256_and_pd(_mm256_cmp_pd(x.low, limit.low, _CMP_GE_OQ), value.low),
          _mm256_and_pd(_mm256_cmp_pd(x.high, limit.high, _CMP_GE_OQ), value.high)};
}
inline __m256d times_power_of_two(__m256d a, __m256d count) {
  const __m256i exponent = _mm256_slli_epi64(_mm256_castpd_si256(count), 52);
  return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), exponent));
}
inline Eight times_power_of_two(Eight a, Eight count) {
  return {times_power_of_two(a.low, count.low), times_power_of_two(a.high, count.high)};
}
inline Eight mul_add(Eight a, Eight b, Eight c) {
  return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
inline double sum(Eight a) {
  const __m256d four = _mm256_add_pd(a.low, a.high);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#else

constexpr std::size_t kExactSums = 8;

struct Eight {
  double v[8];
};

inline Eight eight(double value) {
  Eight out{};
  for (double& lane : out.v) lane = value;
  return out;
}
inline Eight load(const double* p) {
  Eight out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = p[l];
  return out;
}
inline void store(double* p, Eight a) {
  for (std::size_t l = 0; l < 8; ++l) p[l] = a.v[l];
}
inline Eight mul_add(Eight a, Eight b, Eight c) {
  Eight out{};
  for (std::size_t l = 0; l < 8; ++l) {
#ifdef __FMA__
    out.v[l] = __builtin_fma(a.v[l], b.v[l], c.v[l]);
#else
    out.v[l] = a.v[l] * b.v[l] + c.v[l];
#endif
  }
  return out;
}
template <class Function>
inline Eight each_of_eight(Function function) {
  Eight out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = function(l);
  return out;
}
inline Eight widened(const float* p) {
  return each_of_eight([&](std::size_t l) { return static_cast<double>(p[l]); });
}
inline void store_narrowed(float* p, Eight a) {
  for (std::size_t l = 0; l < 8; ++l) p[l] = static_cast<float>(a.v[l]);
}
inline Eight multiply(Eight a, Eight b) {
  return each_of_eight([&](std::size_t l) { return a.v[l] * b.v[l]; });
}
inline Eight add(Eight a, Eight b) {
  return each_of_eight([&](std::size_t l) { return a.v[l] + b.v[l]; });
}
inline Eight subtract(Eight a, Eight b) {
  return each_of_eight([&](std::size_t l) { return a.v[l] - b.v[l]; });
}
inline Eight divide(Eight a, Eight b) {
  return each_of_eight([&](std::size_t l) { return a.v[l] / b.v[l]; });
}
inline Eight larger(Eight a, Eight b) {
  return each_of_eight([&](std::size_t l) { return a.v[l] > b.v[l] ? a.v[l] : b.v[l]; });
}
inline std::size_t count_at_most(Eight x, Eight limit) {
  std::size_t count = 0;
  for (std::size_t l = 0; l < 8; ++l) count += x.v[l] <= limit.v[l] ? 1U : 0U;
  return count;
}
inline Eight count_up(Eight counts, Eight x, Eight limit) {
  return each_of_eight(
      [&](std::size_t l) { return counts.v[l] + (x.v[l] <= limit.v[l] ? 1.0 : 0.0); });
}
inline Eight zero_below(Eight x, Eight limit, Eight value) {
  return each_of_eight([&](std::size_t l) { return x.v[l] >= limit.v[l] ? value.v[l] : 0.0; });
}
inline Eight times_power_of_two(Eight a, Eight count) {
  return each_of_eight([&](std::size_t l) {
    const auto exponent = __builtin_bit_cast(std::uint64_t, count.v[l]) << 52U;
    return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, a.v[l]) + exponent);
  });
}
inline double sum(Eight a) {
  for (std::size_t half = 4; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) a.v[l] += a.v[l + half];
  }
  return a.v[0];
}

#endif

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
