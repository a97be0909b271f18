#include "caucus/ball.hpp"
#include "caucus/box.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/mirror_map.hpp"
#include "caucus/space.hpp"

namespace caucus {

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
