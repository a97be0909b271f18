// min w'Aw / 2 - b'w over |w_k| <= B, k = 1..d.
//
// A primal-dual interior-point method (Mehrotra's predictor and corrector) finds which coordinates
// touch the box: its number of steps, some 10 to 30, hardly depends on the condition number of A,
// which for random features of a wide kernel is 1e12 and more, where first-order methods stall.
// Each step is one Cholesky factorisation of A plus a positive diagonal. The coordinates that touch
// are then put onto the box and the others solved for, which gains the last digits.
//
// Gap, with g = Aw - b: the Frank-Wolfe gap <g, w> + B |g|_1.
#pragma once

#include "caucus/simulation/hindsight/quadratic_form.hpp"

namespace caucus {

/// bound >= 0; an infinite bound is the infinite ball (see quadratic_ball.hpp).
[[nodiscard]] QuadraticMinimum minimise_on_box(const QuadraticForm& form, double bound);

}  // namespace caucus
