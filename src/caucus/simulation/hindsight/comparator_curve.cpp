#include "caucus/simulation/hindsight/comparator_curve.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;

// Losses with kinks take their curvature from the duals.
double curvature(const auto&, double, double) { return 0.0; }
double curvature(const SquareLoss&, double, double) { return 2.0; }
double curvature(const HuberLoss& loss, double v, double y) {
  return std::abs(v - y) <= loss.delta ? 1.0 : 0.0;
}
double curvature(const LogisticLoss&, double v, double y) {
  const double e = std::exp(-std::abs(v * y));
  return y * y * e / ((1.0 + e) * (1.0 + e));
}

/// sqrt(r^2 + mu^2) at r.
struct Rounded {
  double r;
  double s;
  Rounded(double residual, double mu) : r(residual), s(std::sqrt(residual * residual + mu * mu)) {}

  [[nodiscard]] double slope() const { return s > 0.0 ? r / s : 0.0; }
  [[nodiscard]] double curvature(double dual) const { return (1.0 - dual * slope()) / s; }
};

}  // namespace

LossCurve::LossCurve(const Loss& loss, std::span<const float> y)
    : loss_(loss),
      y_(y),
      kink_(kink_of(loss)),
      duals_(Vector::Zero(static_cast<Eigen::Index>(y.size()))) {}

std::optional<LossCurve::Kink> LossCurve::kink_of(const Loss& loss) {
  if (std::holds_alternative<AbsoluteLoss>(loss.kind())) return Kink{1.0, 0.0, false};
  if (std::holds_alternative<HingeLoss>(loss.kind())) return Kink{0.5, -0.5, true};
  const auto* pinball = std::get_if<PinballLoss>(&loss.kind());
  return pinball != nullptr ? std::optional(Kink{0.5, 0.5 - pinball->tau, false}) : std::nullopt;
}

double LossCurve::slope(double v, double y) const {
  if (!kink_) return loss_.derivative(v, y);
  return kink_->scale(y) *
         (kink_->height * Rounded(kink_->residual(v, y), mu_).slope() + kink_->tilt);
}

CurveTotals LossCurve::slopes(const Vector& v, Vector& out) const {
  CurveTotals totals;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double y = target(i);
    totals.loss += loss_.value(v[i], y);
    out[i] = slope(v[i], y);
    if (!kink_) continue;
    const Rounded at(kink_->residual(v[i], y), mu_);
    // |r| - r^2 / s without cancellation.
    const double size = std::abs(at.r);
    if (at.s > 0.0) totals.defect += kink_->height * size * mu_ * mu_ / (at.s * (at.s + size));
  }
  return totals;
}

void LossCurve::curvatures(const Vector& v, Vector& out) const {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double y = target(i);
    if (kink_) {
      const double scale = kink_->scale(y);
      const Rounded at(kink_->residual(v[i], y), mu_);
      out[i] = scale * scale * kink_->height * std::max(0.0, at.curvature(duals_[i]));
    } else {
      out[i] = std::visit([&](const auto& kind) { return curvature(kind, v[i], y); }, loss_.kind());
    }
  }
}

void LossCurve::update_duals(const Vector& v, const Vector& dv) {
  if (!kink_) return;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double y = target(i);
    const Rounded at(kink_->residual(v[i], y), mu_);
    const double next = at.slope() + at.curvature(duals_[i]) * kink_->scale(y) * dv[i];
    duals_[i] = std::clamp(next, -1.0, 1.0);
  }
}

double LossCurve::dual_slopes(Vector& out) const {
  double value = 0.0;
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const double k = kink_->height * duals_[i] + kink_->tilt;
    out[i] = kink_->scale(target(i)) * k;
    value -= k * kink_->offset(target(i));
  }
  return value;
}

double LossCurve::line_search(const Vector& v, const Vector& dv) const {
  const auto slope_at = [&](double t) {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < v.size(); ++i) sum += slope(v[i] + t * dv[i], target(i)) * dv[i];
    return sum;
  };
  const double first = slope_at(0.0);
  if (!(first < 0.0)) return 0.0;
  double low = 0.0;
  double high = 1.0;
  double slope_low = first;
  double slope_high = slope_at(high);
  if (slope_high <= 0.0) return 1.0;
  for (int iteration = 0; iteration < 60 && slope_low < 0.1 * first; ++iteration) {
    // A secant step, every other time moved towards the middle; tiny steps are found by factors of
    // 10.
    double t = low + (high - low) * slope_low / (slope_low - slope_high);
    if (iteration % 2 == 1) t = low > 0.0 ? 0.5 * (low + high) : 0.1 * high;
    const double here = slope_at(t);
    (here <= 0.0 ? low : high) = t;
    (here <= 0.0 ? slope_low : slope_high) = here;
  }
  return low;
}

}  // namespace caucus
