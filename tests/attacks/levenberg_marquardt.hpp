// Minimises |r(p)|^2 over a box by Levenberg's and Marquardt's method.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

namespace caucus::attacks {

struct Minimum {
  Eigen::VectorXd point;
  double value = std::numeric_limits<double>::infinity();  ///< |r|^2
};

/// `residual(p, r, J)` writes r and, unless it is null, its derivatives J.
template <class Residual>
Minimum minimise(const Residual& residual, Eigen::VectorXd start, double bound, int steps) {
  Eigen::VectorXd r, trial_r;
  Eigen::MatrixXd J;
  Minimum found{std::move(start)};
  residual(found.point, r, &J);
  found.value = r.squaredNorm();
  double damping = 1e-3;
  for (int step = 0; step < steps && damping < 1e12; ++step) {
    const Eigen::MatrixXd normal = J.transpose() * J;
    const Eigen::VectorXd slope = J.transpose() * r;
    bool better = false;
    double gain = 0.0;
    while (!better && damping < 1e12) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal().array() += damping * (normal.diagonal().array() + 1e-12);
      const Eigen::VectorXd trial =
          (found.point - damped.ldlt().solve(slope)).cwiseMax(-bound).cwiseMin(bound);
      residual(trial, trial_r, nullptr);
      const double value = trial_r.squaredNorm();
      better = value < found.value;
      if (better) {
        gain = found.value - value;
        found = {trial, value};
        damping = std::max(damping / 5.0, 1e-12);
      } else {
        damping *= 4.0;
      }
    }
    if (!better || gain < 1e-6 * found.value) break;
    residual(found.point, r, &J);
  }
  return found;
}

}  // namespace caucus::attacks
