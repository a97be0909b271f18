// Four doubles, for what is left of a few numbers beyond the last eight. Only where eight are two
// registers is there something to save: elsewhere eight are taken in their place.
#pragma once

#include "caucus/core/simd/doubles.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

// For code that is written for Eight and Four alike:
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
// Sums of eights to which four are added: those of the others stay.
inline Eight add(Eight a, Four b) { return {_mm256_add_pd(a.low, b.v), a.high}; }
inline Eight larger(Eight a, Four b) { return {_mm256_max_pd(a.low, b.v), a.high}; }
inline Eight mul_add(Four a, Four b, Eight c) { return {_mm256_fmadd_pd(a.v, b.v, c.low), c.high}; }

#else

using Four = Eight;

#endif

/// work(k, Eight or Four) for every eight of n numbers that begin at k, and for what is left; both
/// are values without meaning. Numbers up to the next multiple of eight may be touched.
template <class Work>
[[gnu::always_inline]] inline void eights(std::size_t n, Work&& work) {
  std::size_t k = 0;
  for (; k + 4 < n; k += 8) work(k, Eight{});
  if (k < n) work(k, Four{});
}

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
