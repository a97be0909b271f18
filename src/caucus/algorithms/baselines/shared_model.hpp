// The server of the baselines with one space: clients walk on their own during a batch, at its end
// they send where they are, and the mean of those that reported is where all go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/baseline_client.hpp"

namespace caucus {

/// On the client, while a batch lasts: the point after the last example counts.
class PointBatch {
 public:
  void begin(const TimedAssignment& assignment);
  void set(std::span<const float> point);
  /// The point as a direction; nothing without an example.
  void report(ReportBatch& into) const;

 private:
  std::uint32_t client_ = 0, examples_ = 0;
  std::vector<float> point_;
};

class PointAggregate {
 public:
  explicit PointAggregate(std::size_t dimension) : sum_(dimension, 0.0F) {}
  void clear();
  void add(const ReportBatch& reports);
  /// Leaves the point where it is if nobody reported.
  void mean_into(std::span<float> point) const;

 private:
  std::size_t reporters_ = 0;
  std::vector<float> sum_;
};

/// w <- project(w - rate * direction) onto the ball or box of the space; without a bound the
/// coordinates stay within kLargestWeight.
void step_within(const Space& space, std::span<float> w, double rate,
                 std::span<const float> direction);

/// w <- project(w), in double: coordinates of size kLargestWeight have squares that are no floats.
void project_into(const Space& space, std::span<float> w);

}  // namespace caucus
