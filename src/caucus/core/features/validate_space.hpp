// Whether there can be such a hypothesis space.
#pragma once

#include "caucus/core/features/feature_maps.hpp"

namespace caucus {

/// Over examples of such a shape.
Status validate_space(const Space& space, const InputShape& shape);

}  // namespace caucus
