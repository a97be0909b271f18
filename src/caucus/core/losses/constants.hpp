// The constants C_i and G_i of a space (paper, Lemma 2), from b_i >= |phi_i(x)|, the radius and
// |y| <= Y.
#pragma once

#include <optional>

#include "caucus/core/mirror/schedule.hpp"
#include "caucus/loss.hpp"
#include "caucus/space.hpp"

namespace caucus {

struct BoundOptions {
  double label_bound = 1.0;               ///< Y
  double gradient_scale = 2.0;            ///< S; 2 gives the true bound, and the paper tunes it
  std::optional<double> loss_bound = {};  ///< C_i for all spaces, in place of the formula
};

/// With V = U_i b_i (for an expert V is its largest prediction, given as feature_bound):
///   C_i = largest(V, Y), for the square loss (U_i b_i + Y)^2
///   G_i = (S / 2) steepest(V, Y) b_i, for the square loss S (U_i b_i + Y) b_i
SpaceConstants constants_of(const Space& space, const Loss& loss, double feature_bound,
                            const BoundOptions& options);

}  // namespace caucus
