// The input and output of the two quadratic solvers (quadratic_ball, quadratic_box). Eigen is used
// in the .cpp files only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace caucus {

/// q(w) = w'Aw / 2 - b'w. A is symmetric positive semidefinite, possibly singular or zero, with all
/// d * d entries given; b has d.
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

}  // namespace caucus
