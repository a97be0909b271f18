#include "caucus/core/mirror/region.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/ball.hpp"
#include "caucus/box.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/mirror_map.hpp"

namespace caucus {

double Ball::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  add_scaled(w, static_cast<float>(-rate), gradient);
  const double squares = squared_norm(w);
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

void Box::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  add_scaled(w, static_cast<float>(-rate), gradient);
  const auto side = static_cast<float>(radius / std::sqrt(static_cast<double>(w.size())));
  for (float& value : w) value = std::isfinite(value) ? std::clamp(value, -side, side) : 0.0F;
}

static_assert(MirrorMap<Region>);

double Region::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  if (own_step != nullptr) {
    (*own_step)(w, gradient, rate);
  } else if (constraint == Constraint::ball) {
    return Ball{radius}.descend(w, gradient, rate);
  } else {
    Box{radius}.descend(w, gradient, rate);
  }
  return squared_norm(w);
}

}  // namespace caucus
