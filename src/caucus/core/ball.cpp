#include "caucus/core/ball.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {

void Ball::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  scale_back(w, move_and_measure(w, static_cast<float>(-rate), gradient));
}

void Ball::scale_to_radius(std::span<float> w, double squared_norm) const {
  const double norm = std::sqrt(squared_norm);
  if (!std::isfinite(norm)) {
    std::fill(w.begin(), w.end(), 0.0F);
  } else if (norm > radius) {
    scale(w, static_cast<float>(radius / norm));
  }
}

}  // namespace caucus
