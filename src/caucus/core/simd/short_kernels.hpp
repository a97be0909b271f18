// Sums of short vectors in order; see kShort.
#pragma once

#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// mul_add() for one lane.
inline float mul_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

template <std::size_t Count>
inline void some_short_dots(const float* const* a, const float* const* b, std::size_t n,
                            double* out) {
  float sums[Count] = {};
  for (std::size_t k = 0; k < n; ++k) {
    repeat<Count>([&](std::size_t j) { sums[j] = mul_add(a[j][k], b[j][k], sums[j]); });
  }
  repeat<Count>([&](std::size_t j) { out[j] = static_cast<double>(sums[j]); });
}

inline double short_dot(const float* a, const float* b, std::size_t n) {
  double out = 0.0;
  some_short_dots<1>(&a, &b, n, &out);
  return out;
}

/// Computes several at once, since the additions of one depend on each other.
inline void short_dots(const float* const* a, const float* const* b, std::size_t n,
                       std::size_t count, double* out) {
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) some_short_dots<4>(a + j, b + j, n, out + j);
  for (; j < count; ++j) out[j] = short_dot(a[j], b[j], n);
}

/// The squared norm of a product.
inline double short_square(const Term& term, std::size_t n) {
  float sum = 0.0F;
  for (std::size_t k = 0; k < n; ++k) {
    const float product = term.factor * term.x[k];
    sum = mul_add(product, product, sum);
  }
  return static_cast<double>(sum);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
