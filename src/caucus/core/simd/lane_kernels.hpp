// Sixteen models side by side, one in each lane: number l of all of them is a group of 16.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Groups [l, l + Inputs) of what add_lane_products says.
template <std::size_t Inputs>
[[gnu::always_inline]] inline void add_lane_block(float* sums, bool fresh, std::size_t l,
                                                  const float* const* x, const float* factors,
                                                  std::size_t count) {
  Lanes some[Inputs];
  repeat<Inputs>(
      [&](std::size_t i) { some[i] = fresh ? fill(0.0F) : load(sums + (l + i) * kLanes); });
  for (std::size_t r = 0; r < count; ++r) {
    const Lanes row = load(factors + r * kLanes);
    repeat<Inputs>(
        [&](std::size_t i) { some[i] = add(some[i], multiply(fill(x[r][l + i]), row)); });
  }
  repeat<Inputs>([&](std::size_t i) { store(sums + (l + i) * kLanes, some[i]); });
}

/// sums[l] <- sums[l] + (x_r[l] * factors[r]) for every row r, one after the other, each product
/// rounded; `fresh` sums are 0 before.
inline void add_lane_products(float* sums, bool fresh, std::size_t inputs, const float* const* x,
                              const float* factors, std::size_t count) {
  std::size_t l = 0;
  for (; l + 6 <= inputs; l += 6) add_lane_block<6>(sums, fresh, l, x, factors, count);
  for (; l + 2 <= inputs; l += 2) add_lane_block<2>(sums, fresh, l, x, factors, count);
  if (l < inputs) add_lane_block<1>(sums, fresh, l, x, factors, count);
}

/// sums[i] <- sums[i] + rows[r][i], one row after the other; `fresh` sums are 0 before.
inline void add_rows(double* sums, bool fresh, const float* rows, std::size_t count) {
  Eight low = fresh ? eight(0.0) : load(sums);
  Eight high = fresh ? eight(0.0) : load(sums + kBlock);
  for (std::size_t r = 0; r < count; ++r) {
    low = add(low, widened(rows + r * kLanes));
    high = add(high, widened(rows + r * kLanes + kBlock));
  }
  store(sums, low);
  store(sums + kBlock, high);
}

inline void estimate_lanes(const LaneEstimates& e) {
  for (std::size_t k = 0; k < kLanes; k += kBlock) {
    Eight inclusion = eight(1.0);
    if (e.sampled < e.models) {
      const auto K = static_cast<double>(e.models);
      const auto J = static_cast<double>(e.sampled);
      const Eight p = divide(load(e.weights + k), eight(e.total));
      inclusion = divide(add(multiply(eight(K - J), p), eight(J - 1.0)), eight(K - 1.0));
    }
    const Eight weight = divide(eight(1.0), multiply(eight(e.reporters), inclusion));
    store(e.losses + k, multiply(weight, load(e.sums + k)));
    store(e.rates + k, multiply(weight, load(e.model_rates + k)));
  }
}

/// Ball::scale_of for eight models.
inline void scales_of(const float* squares, const double* radii, float* scales) {
  const Eight norm = root(widened(squares));
  const Eight radius = load(radii);
  const Eight scale = where_above(norm, radius, divide(radius, norm), eight(1.0));
  store_narrowed(scales, where_above(eight(1e300), norm, scale, eight(0.0)));
}

/// w[l] <- w[l] + factors * gradient[l], then times scales, which takes each lane into the ball of
/// its radius; the squared norms are summed over l in order.
inline void move_lanes(float* w, const float* gradient, std::size_t inputs, const float* factors,
                       const double* radii, float* scales) {
  const Lanes f = load(factors);
  Lanes sum = fill(0.0F);
  for (std::size_t l = 0; l < inputs; ++l) {
    const Lanes moved = mul_add(f, load(gradient + l * kLanes), load(w + l * kLanes));
    sum = mul_add(moved, moved, sum);
    store(w + l * kLanes, moved);
  }
  float squares[kLanes];
  store(squares, sum);
  scales_of(squares, radii, scales);
  scales_of(squares + kBlock, radii + kBlock, scales + kBlock);
  const Lanes scale = load(scales);
  for (std::size_t l = 0; l < inputs; ++l) {
    store(w + l * kLanes, multiply(scale, load(w + l * kLanes)));
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
