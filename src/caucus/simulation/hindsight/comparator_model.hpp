// Operations on the region of weights for the Newton steps of best_in_hindsight(). Private to the
// comparator, because it uses Eigen types.
#pragma once

#include <Eigen/Dense>

#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {

/// Returns the point of the region nearest to w.
Eigen::VectorXd project(Eigen::VectorXd w, const Region& region);

/// Returns the maximum of <g, u> over the region, limited to |u| <= 10 |w| if it is infinite.
double support(const Eigen::VectorXd& g, const Eigen::VectorXd& w, const Region& region);

/// Returns the step s from w to the minimum over the region of <g, s> + s'Hs / 2. The solvers find
/// w + s, whose rounding error, multiplied by an H of size 1/mu, would affect the last digits of
/// g + Hs. So s is computed again from the multiplier or the active coordinates that they found.
Eigen::VectorXd model_step(const Eigen::MatrixXd& H, const Eigen::VectorXd& g,
                           const Eigen::VectorXd& w, const Region& region);

}  // namespace caucus
