// Sixteen models side by side, one in each lane: number l of all of them is a group of 16.
#pragma once

#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Groups [l, l + Inputs) of what add_outer_products says.
template <std::size_t Inputs>
[[gnu::always_inline]] inline void add_outer_block(float* sums, bool fresh, std::size_t l,
                                                   const float* const* x, const float* factors,
                                                   std::size_t count) {
  Lanes some[Inputs];
  repeat<Inputs>([&](std::size_t i) {
    some[i] = fresh ? fill(0.0F) : load(sums + (l + i) * kLanes);
  });
  for (std::size_t r = 0; r < count; ++r) {
    const Lanes row = load(factors + r * kLanes);
    repeat<Inputs>(
        [&](std::size_t i) { some[i] = add(some[i], multiply(fill(x[r][l + i]), row)); });
  }
  repeat<Inputs>([&](std::size_t i) { store(sums + (l + i) * kLanes, some[i]); });
}

/// sums[l] <- sums[l] + (x_r[l] * factors[r]) for every row r, one after the other, each product
/// rounded; `fresh` sums are 0 before.
inline void add_outer_products(float* sums, bool fresh, std::size_t inputs, const float* const* x,
                               const float* factors, std::size_t count) {
  std::size_t l = 0;
  for (; l + 4 <= inputs; l += 4) add_outer_block<4>(sums, fresh, l, x, factors, count);
  for (; l + 2 <= inputs; l += 2) add_outer_block<2>(sums, fresh, l, x, factors, count);
  if (l < inputs) add_outer_block<1>(sums, fresh, l, x, factors, count);
}

/// w[l] <- w[l] + factors * gradient[l], and the squared norms, over l in order.
inline void move_lanes(float* w, const float* gradient, std::size_t inputs, const float* factors,
                       float* squares) {
  const Lanes f = load(factors);
  Lanes sum = fill(0.0F);
  for (std::size_t l = 0; l < inputs; ++l) {
    const Lanes moved = mul_add(f, load(gradient + l * kLanes), load(w + l * kLanes));
    sum = mul_add(moved, moved, sum);
    store(w + l * kLanes, moved);
  }
  store(squares, sum);
}

inline void scale_lanes(float* w, std::size_t inputs, const float* factors) {
  const Lanes f = load(factors);
  for (std::size_t l = 0; l < inputs; ++l) {
    store(w + l * kLanes, multiply(f, load(w + l * kLanes)));
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
