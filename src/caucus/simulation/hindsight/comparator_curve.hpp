// A loss as the Newton steps of best_in_hindsight see it, over all rows at once: value, slope and
// curvature in the forecast v. Private to the comparator.
//
// The losses with a kink are all of one form, with r = v - y (or r = y v - 1 for hinge):
//   absolute |r|;  pinball |r|/2 + (1/2 - tau) r;  hinge |r|/2 - r/2
// The kink height |r| is smoothed to height s, s = sqrt(r^2 + mu^2), whose slope r/s lies in [-1,
// 1]. The plain second derivative mu^2 / s^3 is a good model only for |r| < mu, so the curvature is
// taken from the primal-dual equations (Chan, Golub and Mulet, 1999): beside r goes a dual a in
// [-1, 1] with a s = r at the optimum, and linearising that equation gives the curvature (1 - a
// r/s) / s and the next dual r/s + curvature * dr. Fewer steps are needed, and mu may shrink
// faster.
#pragma once

#include <span>
#include <vector>

#include "caucus/core/losses/loss.hpp"

namespace caucus {

struct CurveTotals {
  double loss = 0.0;    ///< sum f(v, y), unsmoothed
  double defect = 0.0;  ///< sum f(v) + f*(slope) - slope v; 0 without kinks
};

class LossCurve {
 public:
  LossCurve(const Loss& loss, std::span<const float> y);

  [[nodiscard]] bool kinked() const;
  /// The kinks' mu; 0 at first.
  void smooth(double mu);
  [[nodiscard]] double smoothing() const { return mu_; }

  /// Slopes of the (smoothed) losses at the forecasts v.
  CurveTotals slopes(std::span<const double> v, std::span<double> out) const;
  void curvatures(std::span<const double> v, std::span<double> out) const;
  /// After a Newton step from v to v + dv.
  void update_duals(std::span<const double> v, std::span<const double> dv);
  /// The slopes that belong to the duals, and -sum f*(slope). As the duals solve linear equations,
  /// they stay precise where mu is so small that the rounding of r shows in r/s. Only for kinks.
  [[nodiscard]] double dual_slopes(std::span<double> out) const;

  /// The step t in [0, 1] that minimises sum f(v + t dv), up to a slope of a tenth of the first
  /// one, from below, so that the loss has fallen; 0 where nothing can be gained.
  [[nodiscard]] double line_search(std::span<const double> v, std::span<const double> dv) const;

 private:
  Loss loss_;
  std::span<const float> y_;
  std::vector<double> duals_;  ///< only for kinks
  double mu_ = 0.0;
};

}  // namespace caucus
