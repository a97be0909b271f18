// Recursive least squares with a ridge. After t examples the weights w minimise
//   sum_s forgetting^(t - s) (y_s - <w, z_s>)^2 + ridge |w|^2,
// and an example takes O(d^2). The state is the triangular factor R of
//   R'R = sum_s forgetting^(t - s) z_s z_s' + ridge I,
// which rotations keep positive definite whatever the examples are. A covariance matrix, the usual
// state, loses that to rounding and grows without bound in directions that no example visits.
//
// A factor serves several targets at once, and it contains the factors of the regressions on the
// first features alone, so that one pass yields the forecasts of all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class RecursiveRidge {
 public:
  /// Needs ridge > 0 and 0 < forgetting <= 1. With forgetting < 1 the ridge is renewed for one
  /// weight per example, in turn, and stays between ridge * forgetting^d and ridge.
  RecursiveRidge(std::size_t dimension, double ridge, double forgetting = 1.0,
                 std::size_t targets = 1);

  /// Computes u with R'u = features. `out` has the same size as `features`, which may be the first
  /// features only, and may be the same memory.
  void project(std::span<const double> features, std::span<double> out) const;
  /// Returns the forecast from the first numbers that project() computed: as many as the regression
  /// has features.
  [[nodiscard]] double predict_projected(std::span<const double> projected,
                                         std::size_t target = 0) const;
  /// Returns the forecast for all features.
  [[nodiscard]] double predict(std::span<const double> features, std::size_t target = 0) const;

  /// Ignores examples with numbers that are not finite or beyond kLargest.
  void observe(std::span<const double> features, std::span<const double> targets);
  void observe(std::span<const double> features, double y) { observe(features, {&y, 1}); }

  [[nodiscard]] std::size_t dimension() const { return dimension_; }

  /// restore() needs an object that was constructed alike; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  static constexpr double kLargest = 1e60;  ///< squares and their sums are far from overflow

 private:
  /// Multiplies the rows of the factor from `first` on by `decay` and rotates row_ into them.
  void rotate(std::size_t first, double decay);
  [[nodiscard]] std::size_t row_length(std::size_t k) const { return dimension_ - k + targets_; }

  std::size_t dimension_, targets_;
  double ridge_, forgetting_;
  std::size_t next_ = 0;  ///< the weight whose ridge is renewed next
  /// Row k holds R_kk, R_k,k+1, .. and then the right side of each target. The rows are contiguous.
  std::vector<double> factor_;
  std::vector<double> right_;  ///< the right sides again, target by target
  std::vector<double> row_;    ///< used by observe()
};

}  // namespace caucus
