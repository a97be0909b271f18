#include "caucus/core/ball.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {

void Ball::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  const double norm = std::sqrt(move_and_measure(w, static_cast<float>(-rate), gradient));
  if (!std::isfinite(norm)) {
    std::fill(w.begin(), w.end(), 0.0F);
  } else if (norm > radius) {
    scale(w, static_cast<float>(radius / norm));
  }
}

}  // namespace caucus
