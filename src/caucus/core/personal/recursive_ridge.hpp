// Recursive least squares with a ridge. After t examples the weights w minimise
//   sum_s forgetting^(t - s) (y_s - <w, z_s>)^2 + ridge |w|^2,
// and an example takes O(d^2). The state is the factorisation
//   U'DU = A = sum_s forgetting^(t - s) z_s z_s' + ridge I,
// where U is triangular with a diagonal of ones and D is diagonal, with the right side r of
// U w = r for each target. D stays positive whatever the examples are. A covariance matrix, the
// usual state, loses that to rounding and grows without bound in directions that no example visits.
//
// The projection p of an example, U'p = z, yields its forecast <p, r>, and all that the factor
// needs to learn the example (Gill, Golub, Murray and Saunders, 1974). With forgetting f, t_0 = 1,
// and t_k+1 = t_k + p_k^2 / (f D_k),
//   D_k <- f D_k t_k+1 / t_k  and  (U, r)_k <- (U, r)_k + p_k / (f D_k t_k+1) v_k,
// where v_k is what is left of (z, y) after the columns up to k are eliminated with U.
//
// A factor serves several targets at once, and it contains the factors of the regressions on the
// first features alone, so that one pass yields the forecasts of all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/result.hpp"

namespace caucus {

class RecursiveRidge {
 public:
  /// Needs ridge > 0 and 0 < forgetting <= 1. With forgetting < 1 the ridge is renewed for one
  /// weight per example, in turn, and stays between ridge * forgetting^d and ridge.
  RecursiveRidge(std::size_t dimension, double ridge, double forgetting = 1.0,
                 std::size_t targets = 1);

  /// The projection of an example, with the memory that observe() needs. It belongs to the ridge
  /// that made it, and is invalid once that ridge has learned from an example.
  class Projection {
   private:
    friend class RecursiveRidge;
    /// The eliminated example followed by minus its forecasts, the projection, and the rates of an
    /// update. They share one allocation, since there may be many clients.
    std::vector<double> numbers_;
    std::size_t done_ = 0;  ///< the features that are projected
    bool usable_ = false;
  };
  [[nodiscard]] Projection new_projection() const;

  /// Begins with an example of all features, or of the first ones.
  void begin(std::span<const double> features, Projection& into) const;
  /// Continues until the first `used` features are projected.
  void project(std::size_t used, Projection& into) const;
  /// Returns the forecast of the regression on the features that are projected.
  [[nodiscard]] double forecast(const Projection& of, std::size_t target = 0) const {
    return -of.numbers_[dimension_ + target];
  }
  /// Returns the forecast for all features, or of the regression on the first ones.
  [[nodiscard]] double predict(std::span<const double> features, std::size_t target = 0) const;

  /// Learns from an example that has been projected as a whole. Ignores examples with numbers that
  /// are not finite or beyond kLargest.
  void observe(Projection& example, std::span<const double> targets);
  void observe(Projection& example, double y) { observe(example, {&y, 1}); }
  void observe(std::span<const double> features, std::span<const double> targets);
  void observe(std::span<const double> features, double y) { observe(features, {&y, 1}); }

  [[nodiscard]] std::size_t dimension() const { return dimension_; }

  /// restore() needs an object that was constructed alike; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  static constexpr double kLargest = 1e60;  ///< squares and their sums are far from overflow

 private:
  [[nodiscard]] static std::size_t padded(std::size_t size) {
    return (size + simd::kFactorRows - 1) / simd::kFactorRows * simd::kFactorRows;
  }
  [[nodiscard]] std::size_t place(std::size_t row, std::size_t column) const {
    return simd::place_in_factor(width_, row, column);
  }
  /// Returns where the inverses of D begin, behind the factor.
  [[nodiscard]] std::size_t inverses() const {
    return place(padded(dimension_), padded(dimension_));
  }
  /// Calls visit(number) for 1 / D_k and then row k of U and r, for every k.
  template <class Self, class Visit>
  static void each_number(Self& self, Visit visit) {
    for (std::size_t k = 0; k < self.dimension_; ++k) {
      visit(self.numbers_[self.inverses() + k]);
      for (std::size_t j = k + 1; j < self.dimension_ + self.targets_; ++j) {
        visit(self.numbers_[self.place(k, j)]);
      }
    }
  }
  /// Learns from a projection whose first features, up to `first`, are 0.
  void update(Projection& example, std::size_t first, double forgetting);

  std::size_t dimension_, targets_, width_;
  double ridge_, forgetting_, renewed_ = 0.0;
  std::size_t next_ = 0;         ///< the weight whose ridge is renewed next
  std::vector<double> numbers_;  ///< U and r (see simd::place_in_factor), and 1 / D
};

}  // namespace caucus
