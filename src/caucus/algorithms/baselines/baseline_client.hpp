// What the clients of the baselines have in common: they know the time, and their numbers stay
// finite although most of the baselines never project.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"

namespace caucus {

/// server -> client, with the batch that it is for.
struct TimedAssignment : Assignment {
  Batch batch;
};

/// In the memory of a client: who it is, and which round it plays.
class ClientClock {
 public:
  /// Whether this assignment is a new one, so that its first example is being played.
  bool begins(const TimedAssignment& assignment);
  void end_example() { ++round_; }

  [[nodiscard]] std::uint32_t client() const { return client_; }
  [[nodiscard]] std::uint32_t batch() const { return batch_; }
  [[nodiscard]] std::size_t round() const { return round_; }  ///< t, from 1

 private:
  std::uint32_t client_ = 0;
  std::uint32_t batch_ = 0;  ///< batches count from 1: no batch yet
  std::size_t round_ = 0;
};

/// A model that diverges keeps coordinates up to this size: its forecasts reach the clamp of
/// finite_forecast, where telemetry sees them, and neither they nor sums over clients overflow.
inline constexpr double kLargestWeight = 1e30;

/// As a float of at most kLargestWeight; NaN becomes 0.
float bounded_float(double value);

/// The same for every coordinate.
void keep_bounded(std::span<float> weights);

/// A loss, with its penalty, that can be summed and exponentiated: at most 1e36, and NaN counts as
/// that, for it comes from infinities.
double bounded_loss(double value);

/// lambda |w|^2; 0 for lambda = 0, however large the model.
double penalty_of(std::span<const float> weights, double regularization);

/// w <- decay * w - rate * direction, bounded.
void bounded_step(std::span<float> w, double decay, double rate, std::span<const float> direction);

}  // namespace caucus
