// Checks the settings of a hypothesis space.
#pragma once

#include "caucus/core/features/feature_maps.hpp"

namespace caucus {

/// Returns an error if the space is not valid for examples of this shape.
Status validate_space(const Space& space, const InputShape& shape);

}  // namespace caucus
