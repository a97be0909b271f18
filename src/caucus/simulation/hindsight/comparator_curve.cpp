#include "caucus/simulation/hindsight/comparator_curve.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace caucus {
namespace {

/// height |r| + tilt r with r = scale v - offset. A slope scale * k, where k = height a + tilt and
/// |a| <= 1, has the conjugate value k * offset.
struct Kink {
  double height;
  double tilt;
  bool is_margin;  ///< r = y v - 1 instead of v - y

  [[nodiscard]] double scale(double y) const { return is_margin ? y : 1.0; }
  [[nodiscard]] double offset(double y) const { return is_margin ? 1.0 : y; }
  [[nodiscard]] double residual(double v, double y) const { return scale(y) * v - offset(y); }
};

Kink kink_of(const AbsoluteLoss&) { return {1.0, 0.0, false}; }
Kink kink_of(const PinballLoss& loss) { return {0.5, 0.5 - loss.tau, false}; }
Kink kink_of(const HingeLoss&) { return {0.5, -0.5, true}; }

template <class Kind>
concept Kinked = requires(const Kind& kind) {
  kink_of(kind);
};

double curvature(const SquareLoss&, double, double) { return 2.0; }
double curvature(const LinearLoss&, double, double) { return 0.0; }
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

template <class Kind>
double slope(const Kind& kind, double v, double y, double mu) {
  if constexpr (Kinked<Kind>) {
    const Kink kink = kink_of(kind);
    return kink.scale(y) * (kink.height * Rounded(kink.residual(v, y), mu).slope() + kink.tilt);
  } else {
    return kind.derivative(v, y);
  }
}

}  // namespace

LossCurve::LossCurve(const Loss& loss, std::span<const float> y) : loss_(loss), y_(y) {
  if (kinked()) duals_.assign(y.size(), 0.0);
}

bool LossCurve::kinked() const {
  return std::visit([]<class Kind>(const Kind&) { return Kinked<Kind>; }, loss_.kind());
}

void LossCurve::smooth(double mu) { mu_ = mu; }

CurveTotals LossCurve::slopes(std::span<const double> v, std::span<double> out) const {
  const auto run = [&]<class Kind>(const Kind& kind) {
    CurveTotals totals;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto y = static_cast<double>(y_[i]);
      totals.loss += kind.value(v[i], y);
      out[i] = slope(kind, v[i], y, mu_);
      if constexpr (Kinked<Kind>) {
        const Kink kink = kink_of(kind);
        const Rounded at(kink.residual(v[i], y), mu_);
        // |r| - r^2 / s without cancellation.
        const double size = std::abs(at.r);
        if (at.s > 0.0) {
          totals.defect += kink.height * size * mu_ * mu_ / (at.s * (at.s + size));
        }
      }
    }
    return totals;
  };
  return std::visit(run, loss_.kind());
}

void LossCurve::curvatures(std::span<const double> v, std::span<double> out) const {
  const auto run = [&]<class Kind>(const Kind& kind) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto y = static_cast<double>(y_[i]);
      if constexpr (Kinked<Kind>) {
        const Kink kink = kink_of(kind);
        const double scale = kink.scale(y);
        const Rounded at(kink.residual(v[i], y), mu_);
        out[i] = scale * scale * kink.height * std::max(0.0, at.curvature(duals_[i]));
      } else {
        out[i] = curvature(kind, v[i], y);
      }
    }
  };
  std::visit(run, loss_.kind());
}

void LossCurve::update_duals(std::span<const double> v, std::span<const double> dv) {
  const auto run = [&]<class Kind>(const Kind& kind) {
    if constexpr (Kinked<Kind>) {
      const Kink kink = kink_of(kind);
      for (std::size_t i = 0; i < v.size(); ++i) {
        const auto y = static_cast<double>(y_[i]);
        const Rounded at(kink.residual(v[i], y), mu_);
        const double next = at.slope() + at.curvature(duals_[i]) * kink.scale(y) * dv[i];
        duals_[i] = std::clamp(next, -1.0, 1.0);
      }
    }
  };
  std::visit(run, loss_.kind());
}

double LossCurve::dual_slopes(std::span<double> out) const {
  const auto run = [&]<class Kind>(const Kind& kind) {
    double value = 0.0;
    if constexpr (Kinked<Kind>) {
      const Kink kink = kink_of(kind);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto y = static_cast<double>(y_[i]);
        const double k = kink.height * duals_[i] + kink.tilt;
        out[i] = kink.scale(y) * k;
        value -= k * kink.offset(y);
      }
    }
    return value;
  };
  return std::visit(run, loss_.kind());
}

double LossCurve::line_search(std::span<const double> v, std::span<const double> dv) const {
  const auto run = [&]<class Kind>(const Kind& kind) {
    const auto slope_at = [&](double t) {
      double sum = 0.0;
      for (std::size_t i = 0; i < v.size(); ++i) {
        sum += slope(kind, v[i] + t * dv[i], static_cast<double>(y_[i]), mu_) * dv[i];
      }
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
      // A secant step, every other time moved towards the middle; tiny steps are found by factors
      // of 10.
      double t = low + (high - low) * slope_low / (slope_low - slope_high);
      if (iteration % 2 == 1) t = low > 0.0 ? 0.5 * (low + high) : 0.1 * high;
      const double here = slope_at(t);
      (here <= 0.0 ? low : high) = t;
      (here <= 0.0 ? slope_low : slope_high) = here;
    }
    return low;
  };
  return std::visit(run, loss_.kind());
}

}  // namespace caucus
