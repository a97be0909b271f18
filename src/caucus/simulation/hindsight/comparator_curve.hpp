// The value, slope and curvature of a loss in the prediction v, for all rows at once. Used by the
// Newton steps of best_in_hindsight() only.
//
// All losses with a kink have one form, with r = v - y (or r = y v - 1 for hinge):
//   absolute |r|;  pinball |r|/2 + (1/2 - tau) r;  hinge |r|/2 - r/2
// The kink height |r| is smoothed to height s, s = sqrt(r^2 + mu^2), whose slope r/s lies in [-1,
// 1]. The plain second derivative mu^2 / s^3 is a good model only for |r| < mu, so the curvature is
// taken from the primal-dual equations (Chan, Golub and Mulet, 1999): beside r goes a dual a in
// [-1, 1] with a s = r at the optimum, and linearising that equation gives the curvature (1 - a
// r/s) / s and the next dual r/s + curvature * dr. Fewer steps are needed, and mu may shrink
// faster.
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <span>

#include "caucus/loss.hpp"

namespace caucus {

struct CurveTotals {
  double loss = 0.0;    ///< sum f(v, y), unsmoothed
  double defect = 0.0;  ///< sum f(v) + f*(slope) - slope v; 0 without kinks
};

class LossCurve {
 public:
  LossCurve(const Loss& loss, std::span<const float> y);

  [[nodiscard]] bool kinked() const { return kink_.has_value(); }
  /// Sets the smoothing mu of the kinks, initially 0.
  void smooth(double mu) { mu_ = mu; }
  [[nodiscard]] double smoothing() const { return mu_; }

  /// Computes the slopes of the smoothed losses at the predictions v.
  CurveTotals slopes(const Eigen::VectorXd& v, Eigen::VectorXd& out) const;
  void curvatures(const Eigen::VectorXd& v, Eigen::VectorXd& out) const;
  /// Call after a Newton step from v to v + dv.
  void update_duals(const Eigen::VectorXd& v, const Eigen::VectorXd& dv);
  /// Computes the slopes that belong to the duals and returns -sum f*(slope). The duals solve
  /// linear equations, so they stay precise even if mu is so small that r/s suffers from the
  /// rounding of r. Only for losses with kinks.
  [[nodiscard]] double dual_slopes(Eigen::VectorXd& out) const;

  /// Returns a step t in [0, 1] that approximately minimises sum f(v + t dv): the slope there is
  /// still negative and at most a tenth of the initial one, so the loss has decreased. Returns 0 if
  /// no decrease is possible.
  [[nodiscard]] double line_search(const Eigen::VectorXd& v, const Eigen::VectorXd& dv) const;

 private:
  /// height |r| + tilt r with r = scale v - offset. A slope scale * k, where k = height a + tilt
  /// and |a| <= 1, has the conjugate value k * offset.
  struct Kink {
    double height;
    double tilt;
    bool is_margin;  ///< r = y v - 1 instead of v - y

    [[nodiscard]] double scale(double y) const { return is_margin ? y : 1.0; }
    [[nodiscard]] double offset(double y) const { return is_margin ? 1.0 : y; }
    [[nodiscard]] double residual(double v, double y) const { return scale(y) * v - offset(y); }
  };
  static std::optional<Kink> kink_of(const Loss& loss);
  [[nodiscard]] double slope(double v, double y) const;
  [[nodiscard]] double target(Eigen::Index i) const {
    return static_cast<double>(y_[static_cast<std::size_t>(i)]);
  }

  Loss loss_;
  std::span<const float> y_;
  std::optional<Kink> kink_;  ///< absent for losses without kinks
  Eigen::VectorXd duals_;     ///< used for losses with kinks only
  double mu_ = 0.0;
};

}  // namespace caucus
