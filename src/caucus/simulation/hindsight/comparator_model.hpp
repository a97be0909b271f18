// What the region of weights means to a Newton step of best_in_hindsight. Private to the
// comparator: Eigen types.
#pragma once

#include <Eigen/Dense>

#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {

/// The nearest point of the region.
Eigen::VectorXd project(Eigen::VectorXd w, const Region& region);

/// max over the region of <g, u>; over weights up to ten times as long as w if it is infinite.
double support(const Eigen::VectorXd& g, const Eigen::VectorXd& w, const Region& region);

/// The step s from w to the minimum over the region of the model <g, s> + s'Hs / 2. The solvers
/// find w + s, whose rounding, times an H of size 1/mu, would spoil the last digits of g + Hs. So s
/// is solved for once more, with the multiplier or the touching coordinates that they found.
Eigen::VectorXd model_step(const Eigen::MatrixXd& H, const Eigen::VectorXd& g,
                           const Eigen::VectorXd& w, const Region& region);

}  // namespace caucus
