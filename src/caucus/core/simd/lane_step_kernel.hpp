// The step of sixteen models side by side, and of their probabilities (fomd_oms.hpp).
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/entropy_kernel.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lane_kernels.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

inline void estimate_lanes(const LaneEstimates& e, const double* sums) {
  const auto K = static_cast<double>(e.models);
  const auto J = static_cast<double>(e.sampled);
  eights(e.models, [&]<class Doubles>(std::size_t k, Doubles) {
    Doubles inclusion = every<Doubles>(1.0);
    if (e.sampled < e.models) {
      const Doubles p = divide(loaded<Doubles>(e.weights + k), every<Doubles>(e.total));
      inclusion = divide(add(multiply(every<Doubles>(K - J), p), every<Doubles>(J - 1.0)),
                         every<Doubles>(K - 1.0));
    }
    const Doubles weight =
        divide(every<Doubles>(1.0), multiply(every<Doubles>(e.reporters), inclusion));
    store(e.losses + k, multiply(weight, loaded<Doubles>(sums + k)));
    store(e.rates + k, multiply(weight, loaded<Doubles>(e.model_rates + k)));
  });
}

/// Ball::scale_of for several models.
template <class Doubles>
inline Doubles scales_of(const float* squares, const double* radii) {
  const Doubles norm = root(widened_as<Doubles>(squares));
  const Doubles radius = loaded<Doubles>(radii);
  const Doubles scale = where_above(norm, radius, divide(radius, norm), every<Doubles>(1.0));
  return where_above(every<Doubles>(1e300), norm, scale, every<Doubles>(0.0));
}

/// w[l] <- w[l] + factors * gradient[l] for l in [first, end), where the gradients are those of the
/// sums and rows; the squared norms are summed over l in order. Inlined three times: calls cost
/// more than they should (docs/performance.md).
[[gnu::always_inline]] inline void move_lanes(const LaneStep& s, std::size_t first, std::size_t end,
                                              const float* factors, float* squared_norms) {
  const Lanes f = load(factors);
  Lanes squares = load(squared_norms);
  float* const w = s.w;  // a copy: what is stored might be s for all that the compiler knows
  const auto move = [&](std::size_t l, Lanes gradient) {
    const Lanes moved = mul_add(f, gradient, load(w + l * kLanes));
    squares = mul_add(moved, moved, squares);
    store(w + l * kLanes, moved);
  };
  std::size_t l = first;
  for (; l + 6 <= end; l += 6) lane_products_block<6>(s.gradients, s.fresh, l, *s.rows, move);
  for (; l < end; ++l) lane_products_block<1>(s.gradients, s.fresh, l, *s.rows, move);
  store(squared_norms, squares);
}

/// Multiplies the weights with what takes each lane into the ball of its radius.
inline void scale_lanes(const LaneStep& s, const float* squared_norms, LaneOutcome& outcome) {
  Lanes scales = fill(0.0F);
  for_models(s.estimates->models, [&]<class Rest>(Rest) {
    scales = narrowed(scales_of<Eight>(squared_norms, s.radii),
                      scales_of<Rest>(squared_norms + kBlock, s.radii + kBlock));
  });
  scales = otherwise_one(lanes_of(s.touched), scales);
  store(outcome.scales, scales);
  outcome.finite = all_at_most(fill(1e-38F), scales);
  float* const end = s.w + s.inputs * kLanes;
#pragma GCC unroll 2
  for (float* w = s.w; w != end; w += kLanes) store(w, multiply(scales, load(w)));
}

/// What was not touched stays where it is. The stages of the probabilities' step wait for each
/// other and have little to compute, so the models' step is done in between.
inline void step_lanes(const LaneStep& s, LaneOutcome& outcome) {
  alignas(64) double sums[kLanes];
  add_lane_losses(s.losses, s.fresh, *s.rows, s.estimates->models, sums);
  estimate_lanes(*s.estimates, sums);
  const double* const rates = s.estimates->rates;
  alignas(64) float factors[kLanes];
  store(factors, only(lanes_of(s.touched),
                      subtract(fill(0.0F), narrowed(load(rates), load(rates + kBlock)))));
  alignas(64) float squares[kLanes];
  store(squares, fill(0.0F));
  if (s.entropy == nullptr) {
    move_lanes(s, 0, s.inputs, factors, squares);
    scale_lanes(s, squares, outcome);
    outcome.short_enough = false;
    return;
  }
  EntropyMove entropy(*s.entropy);
  const std::size_t third = (s.inputs + 17) / 18 * 6;
  const std::size_t one = third < s.inputs ? third : s.inputs;
  const std::size_t two = 2 * third < s.inputs ? 2 * third : s.inputs;
  entropy.guess();
  move_lanes(s, 0, one, factors, squares);
  entropy.bend();
  move_lanes(s, one, two, factors, squares);
  entropy.weigh();
  move_lanes(s, two, s.inputs, factors, squares);
  outcome.short_enough = entropy.settle();
  scale_lanes(s, squares, outcome);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
