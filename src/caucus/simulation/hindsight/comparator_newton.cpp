#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "caucus/core/solvers/quadratic.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"
#include "caucus/simulation/hindsight/comparator_curve.hpp"

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPrecision = 1e-9;  ///< relative gap at which the search ends
constexpr int kSteps = 150;

/// The sums over all rows for a Newton step, computed in blocks that are converted to double.
class PooledRows {
 public:
  explicit PooledRows(const FeatureRows& rows)
      : z_(rows.z.data(), static_cast<Eigen::Index>(rows.y.size()),
           static_cast<Eigen::Index>(rows.dimension)) {}

  [[nodiscard]] Vector forecasts(const Vector& w) const {
    Vector v = Vector::Zero(z_.rows());
    each_block([&](Eigen::Index first, const Matrix& block) {
      v.segment(first, block.cols()).noalias() = block.transpose() * w;
    });
    return v;
  }

  /// sum s_i z_i
  [[nodiscard]] Vector gradient(const Vector& s) const {
    Vector g = Vector::Zero(z_.cols());
    each_block([&](Eigen::Index first, const Matrix& block) {
      g.noalias() += block * s.segment(first, block.cols());
    });
    return g;
  }

  /// sum h_i z_i z_i', without rows whose weight is below the rounding error.
  [[nodiscard]] Matrix hessian(const Vector& h) const {
    Matrix H = Matrix::Zero(z_.cols(), z_.cols());
    if (z_.size() == 0) return H;
    const double least = 1e-15 * h.maxCoeff();
    Matrix block(z_.cols(), kRows);
    Eigen::Index filled = 0;
    const auto flush = [&] {
      if (filled > 0) H.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(filled));
      filled = 0;
    };
    for (Eigen::Index i = 0; i < z_.rows(); ++i) {
      if (h[i] <= least) continue;
      block.col(filled++) = std::sqrt(h[i]) * z_.row(i).transpose().cast<double>();
      if (filled == kRows) flush();
    }
    flush();
    H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
    return H;
  }

 private:
  template <class Visit>
  void each_block(Visit visit) const {
    if (z_.size() == 0) return;
    Matrix block;
    for (Eigen::Index first = 0; first < z_.rows(); first += kRows) {
      block = z_.middleRows(first, std::min(kRows, z_.rows() - first)).transpose().cast<double>();
      visit(first, block);
    }
  }

  static constexpr Eigen::Index kRows = 128;
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Map<const Rows> z_;
};

/// Returns the point of the region nearest to w.
Vector project(Vector w, const Region& region) {
  const double bound = box_bound(region, static_cast<std::size_t>(w.size()));
  if (std::isfinite(bound)) return w.cwiseMax(-bound).cwiseMin(bound);
  const double length = w.norm();
  if (length > region.radius) w *= region.radius / length;
  return w;
}

/// Returns the maximum of <g, u> over the region, limited to |u| <= 10 |w| if it is infinite.
double support(const Vector& g, const Vector& w, const Region& region) {
  if (g.size() == 0) return 0.0;
  const double bound = box_bound(region, static_cast<std::size_t>(g.size()));
  if (std::isfinite(bound)) return bound * g.lpNorm<1>();
  if (std::isfinite(region.radius)) return region.radius * g.norm();
  return w.isZero(0.0) && !g.isZero(0.0) ? kInfinity : 10.0 * w.norm() * g.norm();
}

/// Returns the step s from w to the minimum over the region of <g, s> + s'Hs / 2. The solvers find
/// w + s, whose rounding error, multiplied by an H of size 1/mu, would affect the last digits of
/// g + Hs. So s is computed again from the multiplier or the active coordinates that they found.
Vector model_step(const Matrix& H, const Vector& g, const Vector& w, const Region& region) {
  const Eigen::Index d = w.size();
  if (d == 0) return w;
  const Vector b = H * w - g;
  const auto size = static_cast<std::size_t>(d);
  const QuadraticForm form{{H.data(), size * size}, {b.data(), size}};
  const double bound = box_bound(region, size);
  const QuadraticMinimum minimum =
      std::isfinite(bound) ? minimise_on_box(form, bound) : quadratic_on_ball(form)(region.radius);
  Vector rough = Eigen::Map<const Vector>(minimum.weights.data(), d) - w;
  Vector fine = Vector::Zero(d);
  std::vector<Eigen::Index> free;
  for (Eigen::Index k = 0; k < d; ++k) {
    if (std::abs(minimum.weights[static_cast<std::size_t>(k)]) < bound) {
      free.push_back(k);
    } else {
      fine[k] = rough[k];
    }
  }
  if (free.empty()) return rough;
  Matrix M = H(free, free);
  M.diagonal().array() += minimum.multiplier;
  const Vector right = -(g + minimum.multiplier * w + H * fine)(free);
  const Vector solved = M.ldlt().solve(right);
  fine(free) = solved;
  const bool agrees = fine.allFinite() && (fine - rough).norm() <= 1e-6 * (w.norm() + rough.norm());
  return agrees ? fine : rough;
}

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
  const double first_loss = curve.slopes(v, slopes).loss;
  const double tiny = 1e-13 * std::abs(first_loss);
  if (curve.kinked() && v.size() > 0) curve.smooth(first_loss / static_cast<double>(v.size()));

  for (int steps = 0, idle = 0; steps < kSteps && idle < 6; ++steps) {
    const BestFit& fit = record.fit;
    const double loss_before = fit.loss;
    const double gap_before = fit.gap;
    const CurveTotals totals = curve.slopes(v, slopes);
    const Vector g = pooled.gradient(slopes);
    double bound = totals.loss - totals.defect - std::max(0.0, g.dot(w) + support(g, w, region));
    if (curve.kinked()) {
      const double dual = curve.dual_slopes(buffer);
      bound = std::max(bound, dual - support(pooled.gradient(buffer), w, region));
    }
    if (unlimited) record.forget_shorter(w.norm());
    record.offer(totals.loss, bound, w);
    if (fit.gap <= kPrecision * std::abs(fit.loss) + tiny) break;
    if (unlimited && std::abs(fit.loss) <= tiny) break;
    const bool progress = fit.gap < 0.9 * gap_before || fit.loss < (1.0 - 1e-6) * loss_before;
    idle = progress ? 0 : idle + 1;

    curve.curvatures(v, buffer);
    Matrix H = pooled.hessian(buffer);
    if (unlimited && H.size() > 0) {
      const double mean = H.diagonal().mean();
      damping = std::max(damping, mean > 0.0 ? 1e-12 * mean : g.norm() / (1.0 + w.norm()));
    }
    H.diagonal().array() += damping;
    const Vector step = model_step(H, g, w, region);
    const Vector change = pooled.forecasts(step);
    const double t = curve.line_search(v, change);
    curve.update_duals(v, change);
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
  const double at_zero = curve.slopes(v, slopes).loss;
  const PooledRows pooled(examples);
  double terms = 0.0;
  for (const float z : examples.z) terms = std::max(terms, std::abs(static_cast<double>(z)));
  const double rounding = std::numeric_limits<double>::epsilon() * terms * slopes.lpNorm<1>();
  const bool flat = pooled.gradient(slopes).lpNorm<Eigen::Infinity>() <= rounding;
  return {flat ? at_zero : -kInfinity, 0.0, std::vector<double>(examples.dimension, 0.0)};
}

}  // namespace caucus
