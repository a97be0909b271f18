#include "caucus/core/ball.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {

double Ball::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  const double squares = move_and_measure(w, static_cast<float>(-rate), gradient);
  return scale_back(w, squares) ? squared_norm(w) : squares;
}

bool Ball::scale_to_radius(std::span<float> w, double squares) const {
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) {
    std::fill(w.begin(), w.end(), 0.0F);
  } else if (norm > radius) {
    scale(w, static_cast<float>(radius / norm));
  } else {
    return false;
  }
  return true;
}

}  // namespace caucus
