// Minimises q(w) = w'Aw / 2 - b'w over a ball or a box. Eigen is used in the .cpp files only.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "caucus/core/mirror/region.hpp"

namespace caucus {

/// A is symmetric positive semidefinite, possibly singular or zero, with all d * d entries given; b
/// has d.
struct QuadraticForm {
  std::span<const double> A;
  std::span<const double> b;

  [[nodiscard]] std::size_t dimension() const { return b.size(); }
};

struct QuadraticMinimum {
  std::vector<double> weights;
  double value = 0.0;       ///< q(weights)
  double gap = 0.0;         ///< q(weights) - min q <= gap, up to the rounding of A weights - b
  double multiplier = 0.0;  ///< for a ball, m >= 0: Aw + m w = b
  bool bounded = true;      ///< false if q has no minimum on an infinite set; then ignore the gap
};

/// Returns a function that minimises q over |w|_2 <= U exactly, for any number of radii U after one
/// eigendecomposition A = Q diag(l) Q'. With c = Q'b the minimiser is Q w(m), w(m)_i = c_i / (l_i +
/// m), where the multiplier m >= 0 is zero if the shortest stationary point is in the ball, and
/// otherwise solves the secular equation |w(m)| = U. Newton runs on 1/|w(m)| - 1/U, which is nearly
/// linear in m, inside a bracket (More and Sorensen, 1983). As A is positive semidefinite, their
/// "hard case" is only this: b has no part in the null space of A, and then the shortest stationary
/// point is a minimiser. A part of b below its own rounding error counts as zero.
///
/// Gap, with g = Aw - b: for finite U the Frank-Wolfe gap <g, w> + U |g|; for U = infinity
/// sum_i g_i^2 / (2 l_i). Eigenvalues below d eps max(l) count as zero when U is infinite.
///
/// radius >= 0, or infinite. If q has no lower bound on an infinite ball (b has more than a
/// millionth of its length in the null space), the weights are the minimum over the range of A, and
/// `bounded` is false.
[[nodiscard]] std::function<QuadraticMinimum(double radius)> quadratic_on_ball(
    const QuadraticForm& form);

/// Minimises q over |w_k| <= bound, k = 1..d; bound >= 0, and an infinite bound is the infinite
/// ball.
///
/// A primal-dual interior-point method (Mehrotra's predictor and corrector) finds the coordinates
/// on the boundary. Its number of steps, 10 to 30, hardly depends on the condition number of A. For
/// random features of a wide kernel that number is 1e12 and more, and first-order methods stall.
/// Each step is one Cholesky factorisation of A plus a positive diagonal. Then the boundary
/// coordinates are fixed and the others solved for, which gives the last digits.
///
/// The gap is the Frank-Wolfe gap <g, w> + bound |g|_1 with g = Aw - b.
[[nodiscard]] QuadraticMinimum minimise_on_box(const QuadraticForm& form, double bound);

/// Returns the bound of a region that is a finite box in d dimensions, and infinity for others.
[[nodiscard]] inline double box_bound(const Region& region, std::size_t d) {
  if (region.constraint == Constraint::box && d > 0) {
    return region.radius / std::sqrt(static_cast<double>(d));
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace caucus
