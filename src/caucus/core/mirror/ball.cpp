#include "caucus/ball.hpp"

#include <algorithm>

#include "caucus/core/base/vector.hpp"

namespace caucus {

double Ball::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  const double squares = move_and_measure(w, static_cast<float>(-rate), gradient);
  return scale_back(w, squares) ? squared_norm(w) : squares;
}

bool Ball::scale_to_radius(std::span<float> w, double squares) const {
  const float factor = scale_of(squares);
  if (factor == 1.0F) return false;
  if (factor == 0.0F) {  // what is not finite does not become 0 by a factor
    std::fill(w.begin(), w.end(), 0.0F);
  } else {
    scale(w, factor);
  }
  return true;
}

}  // namespace caucus
