// Loads and stores the first `count` < 16 lanes of a vector; the others are 0 or unchanged.
#pragma once

#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

inline __mmask16 first_lanes(std::size_t count) {
  return static_cast<__mmask16>((1U << count) - 1U);
}
inline Lanes load_first(const float* p, std::size_t count) {
  return {{_mm512_maskz_loadu_ps(first_lanes(count), p)}};
}
inline void store_first(float* p, std::size_t count, Lanes a) {
  _mm512_mask_storeu_ps(p, first_lanes(count), a.parts[0]);
}

#elif defined(__AVX2__) && defined(__FMA__)

/// For at most eight lanes.
[[gnu::always_inline]] inline __m256 load_half(const float* p, std::size_t count) {
  alignas(64) static constexpr int kMask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  if (count == 8) return _mm256_loadu_ps(p);
  const auto* const mask = reinterpret_cast<const __m256i*>(kMask + 8 - count);
  return _mm256_maskload_ps(p, _mm256_loadu_si256(mask));
}
[[gnu::always_inline]] inline Lanes load_first(const float* p, std::size_t count) {
  if (count <= 8) return {{load_half(p, count), _mm256_setzero_ps()}};
  return {{_mm256_loadu_ps(p), load_half(p + 8, count - 8)}};
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
  if (count <= 8) return store_half(p, count, a.parts[0]);
  _mm256_storeu_ps(p, a.parts[0]);
  store_half(p + 8, count - 8, a.parts[1]);
}

#else

inline Lanes load_first(const float* p, std::size_t count) {
  float lanes[kLanes] = {};
  for (std::size_t l = 0; l < count; ++l) lanes[l] = p[l];
  return load(lanes);
}
inline void store_first(float* p, std::size_t count, Lanes a) {
  float lanes[kLanes];
  store(lanes, a);
  for (std::size_t l = 0; l < count; ++l) p[l] = lanes[l];
}

#endif

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
