#include "caucus/core/losses/constants.hpp"

namespace caucus {

SpaceConstants constants_of(const Space& space, const Loss& loss, double feature_bound,
                            const BoundOptions& options) {
  const bool learns = space.kind != SpaceKind::expert;
  const double reach = learns ? space.radius * feature_bound : feature_bound;
  const double Y = options.label_bound;
  return {
      .radius = space.radius,
      .loss_bound = options.loss_bound.value_or(loss.largest(reach, Y)),
      .gradient_bound = 0.5 * options.gradient_scale * loss.steepest(reach, Y) * feature_bound,
  };
}

}  // namespace caucus
