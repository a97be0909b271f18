// The step of sixteen models side by side, and of their probabilities (fomd_oms.hpp).
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/entropy_kernel.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lane_kernels.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

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
inline Eight scales_of(const float* squares, const double* radii) {
  const Eight norm = root(widened(squares));
  const Eight radius = load(radii);
  const Eight scale = where_above(norm, radius, divide(radius, norm), eight(1.0));
  return where_above(eight(1e300), norm, scale, eight(0.0));
}

/// The stages of the probabilities' step, one for each call.
class EntropyStages {
 public:
  explicit EntropyStages(const EntropyStep& step) : move_(step) {}
  void next() {
    switch (done_++) {
      case 0: return move_.guess();
      case 1: return move_.bend();
      case 2: return move_.weigh();
      case 3: short_enough_ = move_.settle(); return;
      default: return;
    }
  }
  bool finish() {
    while (done_ < 4) next();
    return short_enough_;
  }

 private:
  EntropyMove move_;
  int done_ = 0;
  bool short_enough_ = false;
};
struct NoStages {
  static void next() {}
  static bool finish() { return false; }
};

/// Models: w[l] <- w[l] + factors * gradient[l], then times what takes each lane into the ball of
/// its radius; the squared norms are summed over l in order. What was not touched stays where it is.
/// The stages of another step are done in between.
template <class Stages>
inline void step_models(const LaneStep& s, Stages& stages, LaneOutcome& outcome) {
  stages.next();
  const Eight minus = eight(-1.0);
  const Lanes factors = where_set(
      s.touched, narrowed(multiply(minus, load(s.estimates.rates)),
                          multiply(minus, load(s.estimates.rates + kBlock))));
  Lanes squares = fill(0.0F);
  float* const w = s.w;  // copies: what is stored might be s for all that the compiler knows
  const LaneRows rows = s.rows;
  const std::size_t inputs = s.inputs;
  const auto move = [&](std::size_t l, Lanes gradient) {
    const Lanes moved = mul_add(factors, gradient, load(w + l * kLanes));
    squares = mul_add(moved, moved, squares);
    store(w + l * kLanes, moved);
  };
  std::size_t l = 0;
  for (; l + 6 <= inputs; l += 6) {
    lane_products_block<6>(s.gradients, s.fresh, l, rows, move);
    stages.next();
  }
  for (; l < inputs; ++l) lane_products_block<1>(s.gradients, s.fresh, l, rows, move);

  float norms[kLanes];
  store(norms, where_set(s.touched, squares));
  const Lanes scales =
      narrowed(scales_of(norms, s.radii), scales_of(norms + kBlock, s.radii + kBlock));
  store(outcome.scales, scales);
  outcome.finite = !any_zero(scales);
  outcome.short_enough = stages.finish();
#pragma GCC unroll 2
  for (float* at = w; at != w + inputs * kLanes; at += kLanes) {
    store(at, multiply(scales, load(at)));
  }
}

inline void step_lanes(const LaneStep& s, LaneOutcome& outcome) {
  double sums[kLanes];
  add_lane_losses(s.losses, s.fresh, s.rows, sums);
  LaneEstimates estimates = s.estimates;
  estimates.sums = sums;
  estimate_lanes(estimates);
  if (s.entropy != nullptr) {
    EntropyStages stages(*s.entropy);
    step_models(s, stages, outcome);
  } else {
    NoStages none;
    step_models(s, none, outcome);
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
