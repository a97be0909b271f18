// Loops over vectors in groups of 16.
#pragma once

#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Calls f(0), f(1), .. f(Count - 1) without a loop, because the compiler unrolls loops too late to
/// keep an array of lanes in registers.
template <std::size_t Count, class Function>
[[gnu::always_inline]] inline void repeat(Function f) {
  if constexpr (Count > 0) {
    repeat<Count - 1>(f);
    f(Count - 1);
  }
}

/// Calls whole(k) for every group of 16 that begins at k, then rest(k, count) for the rest.
template <class Whole, class Rest>
[[gnu::always_inline]] inline void groups(std::size_t n, Whole whole, Rest rest) {
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) whole(k);
  if (k < n) rest(k, n - k);
}

/// y_k <- f(y_k, x_k)
template <class Function>
[[gnu::always_inline]] inline void update(float* y, const float* x, std::size_t n, Function f) {
  groups(
      n, [&](std::size_t k) { store(y + k, f(load(y + k), load(x + k))); },
      [&](std::size_t k, std::size_t rest) {
        store_first(y + k, rest, f(load_first(y + k, rest), load_first(x + k, rest)));
      });
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
