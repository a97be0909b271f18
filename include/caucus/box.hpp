// The box |w_k| <= U / sqrt(d) with psi(w) = |w|^2 / (2 rate): a gradient step, then clipping
// (paper, appendix on random features, the set W_i).
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace caucus {

struct Box {
  using Decision = std::vector<float>;
  using Scalar = float;

  double radius = std::numeric_limits<double>::infinity();

  /// w_k <- clip(w_k - rate * gradient_k, U / sqrt(d)). A coordinate that overflows becomes 0.
  void descend(std::span<float> w, std::span<const float> gradient, double rate) const;
};

}  // namespace caucus
