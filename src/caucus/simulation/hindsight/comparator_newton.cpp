#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/simulation/hindsight/comparator.hpp"
#include "caucus/simulation/hindsight/comparator_curve.hpp"
#include "caucus/simulation/hindsight/comparator_model.hpp"
#include "caucus/simulation/hindsight/comparator_rows.hpp"

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPrecision = 1e-9;  ///< relative gap at which the search ends
constexpr int kSteps = 150;

std::span<const double> span_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> span_of(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// The best weights and the best lower bound so far, which may come from different steps.
struct Record {
  BestFit fit{kInfinity, kInfinity, {}};
  double lower = -kInfinity;
  double length = 0.0;  ///< of the weights that gave the lower bound

  void offer(double loss, double bound, const Vector& w) {
    if (loss < fit.loss) {
      fit.loss = loss;
      fit.weights.assign(w.begin(), w.end());
    }
    if (bound > lower) {
      lower = bound;
      length = w.norm();
    }
    fit.gap = std::max(0.0, fit.loss - lower);
  }
  /// In an infinite region a bound obtained with much shorter weights covers less.
  void forget_shorter(double now) {
    if (now > 2.0 * length) lower = -kInfinity;
  }
};

BestFit newton(LossCurve& curve, const FeatureRows& examples, const Region& region) {
  const PooledRows pooled(examples);
  const bool unlimited = !std::isfinite(region.radius);
  Vector w = Vector::Zero(static_cast<Eigen::Index>(examples.dimension));
  Vector v = Vector::Zero(static_cast<Eigen::Index>(examples.y.size()));
  Vector slopes(v.size());
  Vector buffer(v.size());
  Record record;
  record.fit.weights.assign(examples.dimension, 0.0);
  double damping = 0.0;
  const double first_loss = curve.slopes(span_of(v), span_of(slopes)).loss;
  const double tiny = 1e-13 * std::abs(first_loss);
  if (curve.kinked() && v.size() > 0) curve.smooth(first_loss / static_cast<double>(v.size()));

  for (int steps = 0, idle = 0; steps < kSteps && idle < 6; ++steps) {
    const BestFit& fit = record.fit;
    const double loss_before = fit.loss;
    const double gap_before = fit.gap;
    const CurveTotals totals = curve.slopes(span_of(v), span_of(slopes));
    const Vector g = pooled.gradient(slopes);
    double bound = totals.loss - totals.defect - std::max(0.0, g.dot(w) + support(g, w, region));
    if (curve.kinked()) {
      const double dual = curve.dual_slopes(span_of(buffer));
      bound = std::max(bound, dual - support(pooled.gradient(buffer), w, region));
    }
    if (unlimited) record.forget_shorter(w.norm());
    record.offer(totals.loss, bound, w);
    if (fit.gap <= kPrecision * std::abs(fit.loss) + tiny) break;
    if (unlimited && std::abs(fit.loss) <= tiny) break;
    const bool progress = fit.gap < 0.9 * gap_before || fit.loss < (1.0 - 1e-6) * loss_before;
    idle = progress ? 0 : idle + 1;

    curve.curvatures(span_of(v), span_of(buffer));
    Matrix H = pooled.hessian(buffer);
    if (unlimited && H.size() > 0) {
      const double mean = H.diagonal().mean();
      damping = std::max(damping, mean > 0.0 ? 1e-12 * mean : g.norm() / (1.0 + w.norm()));
    }
    H.diagonal().array() += damping;
    const Vector step = model_step(H, g, w, region);
    const Vector change = pooled.forecasts(step);
    const double t = curve.line_search(span_of(v), span_of(change));
    curve.update_duals(span_of(v), span_of(change));
    if (t > 0.0) {
      // A short step shows that the model is too flat, so the curvature along it is used.
      const double met = -g.dot(step) / (t * step.squaredNorm());
      if (t < 0.2) damping = std::max(damping, 0.1 * met);
      if (t > 0.5) damping *= 0.1;
      w = project(w + t * step, region);
      v = pooled.forecasts(w);
    }
    if (curve.kinked() && (t > 0.5 || t == 0.0) && totals.loss - bound < 3.0 * totals.defect) {
      curve.smooth(0.2 * curve.smoothing());
    }
  }
  return record.fit;
}

}  // namespace

BestFit best_in_hindsight(const Loss& loss, const FeatureRows& examples, const Region& region) {
  LossCurve curve(loss, examples.y);
  const bool linear = std::holds_alternative<LinearLoss>(loss.kind());
  if (!linear || std::isfinite(region.radius)) {
    BestFit fit = newton(curve, examples, region);
    if (!linear) fit.gap = std::min(fit.gap, fit.loss);  // other losses are never negative
    return fit;
  }
  // The linear loss on an infinite region is bounded only if the gradient vanishes.
  Vector slopes(static_cast<Eigen::Index>(examples.y.size()));
  const Vector v = Vector::Zero(slopes.size());
  const double at_zero = curve.slopes(span_of(v), span_of(slopes)).loss;
  const PooledRows pooled(examples);
  double terms = 0.0;
  for (const float z : examples.z) terms = std::max(terms, std::abs(static_cast<double>(z)));
  const double rounding = std::numeric_limits<double>::epsilon() * terms * slopes.lpNorm<1>();
  const bool flat = pooled.gradient(slopes).lpNorm<Eigen::Infinity>() <= rounding;
  return {flat ? at_zero : -kInfinity, 0.0, std::vector<double>(examples.dimension, 0.0)};
}

}  // namespace caucus
