// Euclidean ball |w|_2 <= U with psi(w) = |w|^2 / (2 rate): a gradient step, then scaling back
// (paper, appendix "OMD with the Euclidean regularizer").
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace caucus {

struct Ball {
  using Decision = std::vector<float>;
  using Scalar = float;

  double radius = std::numeric_limits<double>::infinity();

  /// w <- min(1, U / |w_bar|) w_bar with w_bar = w - rate * gradient. A step so large that floats
  /// overflow has no direction left: it ends at 0. Gives |w|^2.
  double descend(std::span<float> w, std::span<const float> gradient, double rate) const;
  /// What takes a w_bar of this squared norm back into the ball; 0 where it is not finite.
  [[nodiscard]] float scale_of(double squares) const {
    const double norm = std::sqrt(squares);
    if (!(norm <= std::numeric_limits<double>::max())) return 0.0F;
    return norm > radius ? static_cast<float>(radius / norm) : 1.0F;
  }
  /// The second half of it: w_bar has this squared norm. Tells whether w changed.
  bool scale_back(std::span<float> w, double squares) const {
    // Far enough inside that rounding cannot matter: no root is needed to know.
    return !(squares < 0.999 * radius * radius) && scale_to_radius(w, squares);
  }

 private:
  bool scale_to_radius(std::span<float> w, double squares) const;
};

}  // namespace caucus
