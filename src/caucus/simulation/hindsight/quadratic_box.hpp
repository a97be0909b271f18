// Minimises w'Aw / 2 - b'w over |w_k| <= B, k = 1..d.
//
// A primal-dual interior-point method (Mehrotra's predictor and corrector) finds the coordinates on
// the boundary. Its number of steps, 10 to 30, hardly depends on the condition number of A. For
// random features of a wide kernel that number is 1e12 and more, and first-order methods stall.
// Each step is one Cholesky factorisation of A plus a positive diagonal. Then the boundary
// coordinates are fixed and the others solved for, which gives the last digits.
//
// The gap is the Frank-Wolfe gap <g, w> + B |g|_1 with g = Aw - b.
#pragma once

#include "caucus/simulation/hindsight/quadratic_form.hpp"

namespace caucus {

/// bound >= 0; an infinite bound is the infinite ball (see quadratic_ball.hpp).
[[nodiscard]] QuadraticMinimum minimise_on_box(const QuadraticForm& form, double bound);

}  // namespace caucus
