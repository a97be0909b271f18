// A value of four doubles, for the end of a vector. It saves work only if eight doubles take two
// registers; otherwise eight doubles are used instead.
#pragma once

#include "caucus/core/simd/doubles.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

// For code that is generic over Eight and Four:
template <class Doubles>
Doubles every(double value);
template <class Doubles>
Doubles loaded(const double* p);
template <>
[[gnu::always_inline]] inline Eight every<Eight>(double value) {
  return eight(value);
}
template <>
[[gnu::always_inline]] inline Eight loaded<Eight>(const double* p) {
  return load(p);
}

#if defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)

struct Four {
  __m256d v;
};

template <>
[[gnu::always_inline]] inline Four every<Four>(double value) {
  return {_mm256_set1_pd(value)};
}
template <>
[[gnu::always_inline]] inline Four loaded<Four>(const double* p) {
  return {_mm256_loadu_pd(p)};
}
inline void store(double* p, Four a) { _mm256_storeu_pd(p, a.v); }
inline Four multiply(Four a, Four b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline Four add(Four a, Four b) { return {_mm256_add_pd(a.v, b.v)}; }
inline Four subtract(Four a, Four b) { return {_mm256_sub_pd(a.v, b.v)}; }
inline Four larger(Four a, Four b) { return {_mm256_max_pd(a.v, b.v)}; }
inline Four mul_add(Four a, Four b, Four c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
inline Four zero_below(Four x, Four limit, Four value) {
  return {_mm256_and_pd(_mm256_cmp_pd(x.v, limit.v, _CMP_GE_OQ), value.v)};
}
inline Four times_power_of_two(Four a, Four count) { return {times_power_of_two(a.v, count.v)}; }
// Adds four doubles to sums of eight; the other lanes stay.
inline Eight add(Eight a, Four b) { return {_mm256_add_pd(a.low, b.v), a.high}; }
inline Eight larger(Eight a, Four b) { return {_mm256_max_pd(a.low, b.v), a.high}; }
inline Eight mul_add(Four a, Four b, Eight c) { return {_mm256_fmadd_pd(a.v, b.v, c.low), c.high}; }

#else

using Four = Eight;

#endif

/// Calls work(k, Eight or Four) for every eight of n numbers, and for the rest. The second argument
/// only selects the type. Numbers up to the next multiple of eight may be accessed.
template <class Work>
[[gnu::always_inline]] inline void eights(std::size_t n, Work&& work) {
  std::size_t k = 0;
  for (; k + 4 < n; k += 8) work(k, Eight{});
  if (k < n) work(k, Four{});
}

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
