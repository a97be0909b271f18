#include "caucus/simulation/hindsight/comparator_model.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "caucus/simulation/hindsight/quadratic_ball.hpp"
#include "caucus/simulation/hindsight/quadratic_box.hpp"

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_finite_box(const Region& region) {
  return region.constraint == Constraint::box && std::isfinite(region.radius);
}
double box_bound(const Region& region, Eigen::Index d) {
  return region.radius / std::sqrt(static_cast<double>(d));
}

}  // namespace

Vector project(Vector w, const Region& region) {
  if (is_finite_box(region)) {
    const double bound = box_bound(region, w.size());
    return w.cwiseMax(-bound).cwiseMin(bound);
  }
  const double length = w.norm();
  if (length > region.radius) w *= region.radius / length;
  return w;
}

double support(const Vector& g, const Vector& w, const Region& region) {
  if (g.size() == 0) return 0.0;
  if (is_finite_box(region)) return box_bound(region, g.size()) * g.lpNorm<1>();
  if (std::isfinite(region.radius)) return region.radius * g.norm();
  return w.isZero(0.0) && !g.isZero(0.0) ? kInfinity : 10.0 * w.norm() * g.norm();
}

Vector model_step(const Matrix& H, const Vector& g, const Vector& w, const Region& region) {
  const Eigen::Index d = w.size();
  if (d == 0) return w;
  const Vector b = H * w - g;
  const QuadraticForm form{{H.data(), static_cast<std::size_t>(d * d)},
                           {b.data(), static_cast<std::size_t>(d)}};
  const bool box = is_finite_box(region);
  const double bound = box ? box_bound(region, d) : kInfinity;
  double multiplier = 0.0;
  QuadraticMinimum minimum;
  if (box) {
    minimum = minimise_on_box(form, bound);
  } else {
    QuadraticMinimum on_ball = QuadraticOnBall(form).minimise(region.radius);
    multiplier = on_ball.multiplier;
    minimum = std::move(on_ball);
  }
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
  M.diagonal().array() += multiplier;
  const Vector right = -(g + multiplier * w + H * fine)(free);
  const Vector solved = M.ldlt().solve(right);
  fine(free) = solved;
  const bool agrees = fine.allFinite() && (fine - rough).norm() <= 1e-6 * (w.norm() + rough.norm());
  return agrees ? fine : rough;
}

}  // namespace caucus
