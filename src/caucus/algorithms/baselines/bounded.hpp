// Steps whose numbers stay finite although most of the baselines never project.
#pragma once

#include <span>

#include "caucus/space.hpp"

namespace caucus {

/// A model that diverges keeps coordinates up to this size: its forecasts reach the clamp of
/// finite_forecast, where telemetry sees them, and neither they nor sums over clients overflow.
inline constexpr double kLargestWeight = 1e30;

/// Returns a float of at most kLargestWeight; NaN becomes 0.
float bounded_float(double value);

/// Returns a loss, with its penalty, that can be summed and exponentiated: at most 1e36. NaN counts
/// as 1e36, since it comes from infinities.
double bounded_loss(double value);

/// Returns lambda |w|^2; 0 for lambda = 0, however large the model.
double penalty_of(std::span<const float> weights, double regularization);

/// w <- decay * w - rate * direction, bounded.
void bounded_step(std::span<float> w, double decay, double rate, std::span<const float> direction);

/// w <- project(w - rate * direction) onto the ball or box of the space; without a bound the
/// coordinates stay within kLargestWeight.
void step_within(const Space& space, std::span<float> w, double rate,
                 std::span<const float> direction);

/// w <- project(w), in double: coordinates of size kLargestWeight have squares that are no floats.
void project_into(const Space& space, std::span<float> w);

}  // namespace caucus
