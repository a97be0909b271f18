// Eight floats as one value: a row of a tile that is summed in float and added to doubles.
#pragma once

#include "caucus/core/simd/doubles.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX2__) && defined(__FMA__)

struct EightFloats {
  __m256 v;
};

inline EightFloats eight_floats(float value) { return {_mm256_set1_ps(value)}; }
inline EightFloats load_eight(const float* p) { return {_mm256_loadu_ps(p)}; }
inline EightFloats mul_add(EightFloats a, EightFloats b, EightFloats c) {
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
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
inline Eight widened(EightFloats a) { return widened(a.v); }

#endif

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
