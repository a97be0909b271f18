// A value of eight floats, for rows of a tile that is summed in float and added to doubles, and for
// the end of a vector.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX2__) && defined(__FMA__)

struct EightFloats {
  __m256 v;
};

inline EightFloats eight_floats(float value) { return {_mm256_set1_ps(value)}; }
inline EightFloats load_eight(const float* p) { return {_mm256_loadu_ps(p)}; }
inline void store(float* p, EightFloats a) { _mm256_storeu_ps(p, a.v); }
inline EightFloats mul_add(EightFloats a, EightFloats b, EightFloats c) {
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
inline EightFloats multiply(EightFloats a, EightFloats b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline EightFloats subtract(EightFloats a, EightFloats b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline EightFloats turn_if_odd(EightFloats a, EightFloats count) {
  const __m256i sign = _mm256_slli_epi32(_mm256_castps_si256(count.v), 31);
  return {_mm256_xor_ps(a.v, _mm256_castsi256_ps(sign))};
}
/// Like that of Lanes.
inline EightFloats larger_size(EightFloats a, EightFloats b) {
  const __m256i size = _mm256_castps_si256(_mm256_andnot_ps(_mm256_set1_ps(-0.0F), b.v));
  return {_mm256_castsi256_ps(_mm256_max_epu32(_mm256_castps_si256(a.v), size))};
}
/// Loads p[0] to p[3] into both halves.
inline EightFloats load_four_twice(const float* p) {
  const __m128 four = _mm_loadu_ps(p);
  return {_mm256_insertf128_ps(_mm256_castps128_ps256(four), four, 1)};
}
/// The first four lanes of a, the last four of b.
inline EightFloats low_and_high(EightFloats a, EightFloats b) {
  return {_mm256_blend_ps(a.v, b.v, 0xF0)};
}
inline void store_halves(float* low, float* high, EightFloats a) {
  _mm_storeu_ps(low, _mm256_castps256_ps128(a.v));
  _mm_storeu_ps(high, _mm256_extractf128_ps(a.v, 1));
}
inline EightFloats load_first_eight(const float* p, std::size_t count) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return {_mm512_castps512_ps256(load_first(p, count).v)};
#else
  return {load_half(p, count)};
#endif
}
inline void store_first(float* p, std::size_t count, EightFloats a) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  store_first(p, count, Lanes{_mm512_castps256_ps512(a.v)});
#else
  store_half(p, count, a.v);
#endif
}
inline Eight widened(EightFloats a) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return {_mm512_cvtps_pd(a.v)};
#else
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(a.v)),
          _mm256_cvtps_pd(_mm256_extractf128_ps(a.v, 1))};
#endif
}

#else

struct EightFloats {
  float v[8];
};

inline EightFloats eight_floats(float value) {
  EightFloats out{};
  for (float& lane : out.v) lane = value;
  return out;
}
inline EightFloats load_eight(const float* p) {
  EightFloats out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = p[l];
  return out;
}
inline void store(float* p, EightFloats a) {
  for (std::size_t l = 0; l < 8; ++l) p[l] = a.v[l];
}
inline EightFloats mul_add(EightFloats a, EightFloats b, EightFloats c) {
  EightFloats out{};
  for (std::size_t l = 0; l < 8; ++l) {
#ifdef __FMA__
    out.v[l] = __builtin_fmaf(a.v[l], b.v[l], c.v[l]);
#else
    out.v[l] = a.v[l] * b.v[l] + c.v[l];
#endif
  }
  return out;
}
inline EightFloats multiply(EightFloats a, EightFloats b) {
  EightFloats out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = a.v[l] * b.v[l];
  return out;
}
inline EightFloats subtract(EightFloats a, EightFloats b) {
  EightFloats out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = a.v[l] - b.v[l];
  return out;
}
inline EightFloats turn_if_odd(EightFloats a, EightFloats count) {
  EightFloats out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = is_odd(count.v[l]) ? -a.v[l] : a.v[l];
  return out;
}
inline EightFloats larger_size(EightFloats a, EightFloats b) {
  EightFloats out{};
  for (std::size_t l = 0; l < 8; ++l) out.v[l] = larger_size(a.v[l], b.v[l]);
  return out;
}
inline EightFloats load_first_eight(const float* p, std::size_t count) {
  EightFloats out{};
  for (std::size_t l = 0; l < count; ++l) out.v[l] = p[l];
  return out;
}
inline void store_first(float* p, std::size_t count, EightFloats a) {
  for (std::size_t l = 0; l < count; ++l) p[l] = a.v[l];
}
inline Eight widened(EightFloats a) { return widened(a.v); }

#endif

// For code that is generic over Lanes and EightFloats:
template <class Vector>
Vector filled(float value);
template <>
[[gnu::always_inline]] inline EightFloats filled<EightFloats>(float value) {
  return eight_floats(value);
}
template <>
[[gnu::always_inline]] inline Lanes filled<Lanes>(float value) {
  return fill(value);
}
template <class Vector>
Vector loaded(const float* p);
template <>
[[gnu::always_inline]] inline EightFloats loaded<EightFloats>(const float* p) {
  return load_eight(p);
}
template <>
[[gnu::always_inline]] inline Lanes loaded<Lanes>(const float* p) {
  return load(p);
}
/// Loads a vector whose sixteen numbers p[0] to p[15] are equal.
template <class Vector>
[[gnu::always_inline]] inline Vector spread(const float* p) {
#if defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)
  // One load serves both halves, because loads are the bottleneck.
  const EightFloats half = load_eight(p);
  if constexpr (sizeof(Vector) > sizeof(half))
    return {half.v, half.v};
  else
    return half;
#else
  return loaded<Vector>(p);
#endif
}

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
