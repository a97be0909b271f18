// The set of models of a space, with its mirror map.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "caucus/space.hpp"

namespace caucus {

/// The set that the weights of a space stay in, with its mirror map. The radius may be infinite.
struct Region {
  using Decision = std::vector<float>;
  using Scalar = float;

  Constraint constraint = Constraint::ball;
  double radius = std::numeric_limits<double>::infinity();
  const MirrorStep* own_step = nullptr;  ///< replaces the step of the constraint

  /// Takes the mirror step of the ball, of the box, or your own (mirror_map.hpp). Returns |w|^2.
  double descend(std::span<float> w, std::span<const float> gradient, double rate) const;
};

/// The space must outlive the region.
inline Region region_of(const Space& space) {
  return {space.constraint, space.radius, space.own_step ? &space.own_step : nullptr};
}

}  // namespace caucus
