#include "caucus/core/ball.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {

void Ball::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  add_scaled(w, static_cast<float>(-rate), gradient);
  const double norm = std::sqrt(squared_norm(w));
  if (!std::isfinite(norm)) {
    std::fill(w.begin(), w.end(), 0.0F);
  } else if (norm > radius) {
    scale(w, static_cast<float>(radius / norm));
  }
}

}  // namespace caucus
