// The Euclidean ball |w|_2 <= U with psi(w) = |w|^2 / (2 rate): a gradient step, then scaling back
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

  /// w <- min(1, U / |w_bar|) w_bar with w_bar = w - rate * gradient. If a step is so large that
  /// floats overflow, w becomes 0. Returns |w|^2.
  double descend(std::span<float> w, std::span<const float> gradient, double rate) const;
  /// Returns the factor that scales a w_bar of this squared norm into the ball; 0 if not finite.
  [[nodiscard]] float scale_of(double squares) const {
    const double norm = std::sqrt(squares);
    if (!(norm <= std::numeric_limits<double>::max())) return 0.0F;
    return norm > radius ? static_cast<float>(radius / norm) : 1.0F;
  }
  /// Scales w_bar, which has this squared norm, into the ball. Returns whether w changed.
  bool scale_back(std::span<float> w, double squares) const {
    // Far enough inside the ball rounding does not matter, and no square root is needed.
    return !(squares < 0.999 * radius * radius) && scale_to_radius(w, squares);
  }

 private:
  bool scale_to_radius(std::span<float> w, double squares) const;
};

}  // namespace caucus
