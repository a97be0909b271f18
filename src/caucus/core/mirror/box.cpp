#include "caucus/box.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/base/vector.hpp"

namespace caucus {

void Box::descend(std::span<float> w, std::span<const float> gradient, double rate) const {
  add_scaled(w, static_cast<float>(-rate), gradient);
  const auto side = static_cast<float>(radius / std::sqrt(static_cast<double>(w.size())));
  for (float& value : w) value = std::isfinite(value) ? std::clamp(value, -side, side) : 0.0F;
}

}  // namespace caucus
