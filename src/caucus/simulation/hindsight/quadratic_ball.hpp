// Minimises w'Aw / 2 - b'w over |w|_2 <= U exactly, for any number of radii U after one
// eigendecomposition A = Q diag(l) Q'. With c = Q'b the minimiser is Q w(m), w(m)_i = c_i / (l_i +
// m), where the multiplier m >= 0 is zero if the shortest stationary point is in the ball, and
// otherwise solves the secular equation |w(m)| = U. Newton runs on 1/|w(m)| - 1/U, which is nearly
// linear in m, inside a bracket (More and Sorensen, 1983). As A is positive semidefinite, their
// "hard case" is only this: b has no part in the null space of A, and then the shortest stationary
// point is a minimiser. A part of b below its own rounding error counts as zero.
//
// Gap, with g = Aw - b: for finite U the Frank-Wolfe gap <g, w> + U |g|; for U = infinity
// sum_i g_i^2 / (2 l_i). Eigenvalues below d eps max(l) count as zero when U is infinite.
#pragma once

#include <vector>

#include "caucus/simulation/hindsight/quadratic_form.hpp"

namespace caucus {

class QuadraticOnBall {
 public:
  explicit QuadraticOnBall(const QuadraticForm& form);

  /// radius >= 0, or infinite. If q has no lower bound on an infinite ball (b has more than a
  /// millionth of its length in the null space), the weights are the minimum over the range of A,
  /// and `bounded` is false.
  [[nodiscard]] QuadraticMinimum minimise(double radius) const;

 private:
  [[nodiscard]] double multiplier(double radius, std::vector<double>& rotated) const;
  [[nodiscard]] QuadraticMinimum finish(const std::vector<double>& rotated, double radius) const;

  std::vector<double> A_, b_;
  std::vector<double> eigenvalues_, eigenvectors_;  ///< ascending; eigenvectors column by column
  std::vector<double> rotated_b_;                   ///< c = Q'b
  double rank_tolerance_ = 0.0;                     ///< eigenvalues up to here count as zero
  double noise_ = 0.0;                              ///< |c_i| up to here counts as zero
};

}  // namespace caucus
