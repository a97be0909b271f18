// Error bars of forecasts under the square loss. The forecast of x is taken as the mean of a normal
// distribution with the variance
//   s^2 (1 + z'(A + R)^-1 z),  A = sum of z z' over all examples,
// for the features z of a linear space and its ridge R. s^2 is the mean squared error of forecasts
// whose models had not seen the example, so it holds for new examples and needs no assumption about
// the models. The second term is small for an x like the examples, and large for one far away.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {

/// A mean of squared errors to which example s of t contributes with the weight (s / t)^3, since
/// models become better. Examples that are added together have the same weight.
class RecentErrors {
 public:
  /// Adds the sum of the squared errors of some examples. Those before count `kept` times as much.
  void add(double squares, double examples, double kept = 1.0);
  [[nodiscard]] bool empty() const { return weight_ == 0.0; }
  [[nodiscard]] double mean() const { return squares_ / weight_; }

  void save(StateWriter& to) const {
    for (const double number : {squares_, weight_, examples_}) to.real(number);
  }
  Status restore(StateReader& from);

 private:
  double squares_ = 0.0, weight_ = 0.0;
  double examples_ = 0.0;
};

struct ErrorBars {
  double variance = 0.0;  ///< s^2
  /// The lower triangle L with L L' = A + R, one row after another; empty without a linear space.
  std::vector<float> factor = {};

  /// Returns the variance of the target at x, whose features z are x, and 1 if L has one more row.
  [[nodiscard]] double variance_at(std::span<const float> x) const;
};

/// Returns the triangle L for the sums of rows (y, z); empty if it is not finite.
std::vector<float> ridge_factor(const SymmetricMatrix& sums, const Ridge& ridge, std::size_t size);

/// Returns how many standard deviations on both sides of the mean of a normal distribution hold
/// this share of it, in (0, 1).
double central_quantile(double share);

}  // namespace caucus
