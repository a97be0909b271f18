#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/solvers/quadratic.hpp"

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Array = Eigen::ArrayXd;

/// The problem scaled so that the box is [-1, 1]^d and the largest number is about 1.
struct UnitBox {
  Matrix A;
  Vector b;

  [[nodiscard]] Vector gradient(const Vector& u) const { return A * u - b; }
};

struct Candidate {
  Vector u;
  double gap = std::numeric_limits<double>::infinity();

  /// Keeps u if its gap is smaller, and returns whether it is.
  bool offer(const UnitBox& problem, const Vector& other) {
    const Vector g = problem.gradient(other);
    const double other_gap = std::max(0.0, g.dot(other) + g.lpNorm<1>());
    if (!(other_gap < gap)) return false;
    u = other;
    gap = other_gap;
    return true;
  }
};

/// Slacks s = 1 - u, t = 1 + u and their multipliers p, q: Au - b + p - q = 0, p s = q t = 0.
/// The slacks are stored separately, since 1 - u loses digits near the boundary.
struct Interior {
  Vector u;
  Array s, t, p, q;

  [[nodiscard]] double complementarity() const {
    return ((p * s).sum() + (q * t).sum()) / static_cast<double>(2 * u.size());
  }
};

/// Returns the largest step in [0, 1] with x + step * dx >= 0.
double room(const Array& x, const Array& dx) {
  double step = 1.0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (dx[k] < 0.0) step = std::min(step, -x[k] / dx[k]);
  }
  return step;
}

struct Direction {
  Array u, p, q;
};

double room(const Interior& at, const Direction& d) {
  return std::min({room(at.s, -d.u), room(at.t, d.u), room(at.p, d.p), room(at.q, d.q)});
}

/// Takes one predictor-corrector step; returns false when rounding allows no further progress.
bool step(const UnitBox& problem, Interior& at) {
  Matrix M = problem.A;
  M.diagonal().array() += at.p / at.s + at.q / at.t;
  const Eigen::LLT<Matrix> factor(M);
  if (factor.info() != Eigen::Success) return false;
  const Array g = problem.gradient(at.u).array();
  // Newton for p s = target_p, q t = target_q (arrays), with p and q eliminated.
  const auto solve = [&](const Array& target_p, const Array& target_q) {
    const Vector right = (-g - target_p / at.s + target_q / at.t).matrix();
    Direction d;
    d.u = factor.solve(right).array();
    d.p = target_p / at.s - at.p + at.p / at.s * d.u;
    d.q = target_q / at.t - at.q - at.q / at.t * d.u;
    return d;
  };
  const Array zero = Array::Zero(at.u.size());
  const Direction predictor = solve(zero, zero);
  const double reach = room(at, predictor);
  const double mean = at.complementarity();
  const Array left_p = (at.p + reach * predictor.p) * (at.s - reach * predictor.u);
  const Array left_q = (at.q + reach * predictor.q) * (at.t + reach * predictor.u);
  const double left = (left_p.sum() + left_q.sum()) / static_cast<double>(2 * at.u.size());
  const double centre = mean * std::pow(left / mean, 3.0);
  const Direction d = solve(centre + predictor.p * predictor.u, centre - predictor.q * predictor.u);
  const double length = std::min(1.0, 0.995 * room(at, d));
  if (!d.u.allFinite() || !(length > 1e-12)) return false;
  at.u += length * d.u.matrix();
  at.s -= length * d.u;
  at.t += length * d.u;
  at.p += length * d.p;
  at.q += length * d.q;
  return at.u.cwiseAbs().maxCoeff() <= 1.0;
}

enum class Side : signed char { lower = -1, free = 0, upper = 1 };

/// Fixes the coordinates on the boundary and solves for the others by iterative refinement.
Vector solve_free(const UnitBox& problem, const std::vector<Side>& sides, Vector u) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    const Side side = sides[static_cast<std::size_t>(k)];
    if (side == Side::free) {
      free.push_back(k);
    } else {
      u[k] = static_cast<double>(side);
    }
  }
  if (free.empty()) return u;
  Matrix M = problem.A(free, free);
  M.diagonal().array() += 1e-15 * M.diagonal().maxCoeff() + std::numeric_limits<double>::min();
  const Eigen::LDLT<Matrix> factor(M);
  for (int refinement = 0; refinement < 3; ++refinement) {
    const Vector correction = factor.solve(problem.gradient(u)(free));
    if (!correction.allFinite()) break;
    u(free) -= correction;
  }
  return u;
}

void polish(const UnitBox& problem, std::vector<Side> sides, Candidate& best) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Vector u = solve_free(problem, sides, best.u);
    const Vector clipped = u.cwiseMax(-1.0).cwiseMin(1.0);
    const Vector g = problem.gradient(clipped);
    bool changed = false;
    for (Eigen::Index k = 0; k < u.size(); ++k) {
      Side& side = sides[static_cast<std::size_t>(k)];
      const Side before = side;
      if (side == Side::free && u[k] != clipped[k]) side = u[k] > 0.0 ? Side::upper : Side::lower;
      // On the boundary the gradient must point inwards, so that a descent step leaves the box.
      if (before != Side::free && g[k] * static_cast<double>(before) > 0.0) side = Side::free;
      changed = changed || side != before;
    }
    const bool better = best.offer(problem, clipped);
    if (!changed || (!better && attempt > 2)) return;
  }
}

}  // namespace

QuadraticMinimum minimise_on_box(const QuadraticForm& form, double bound) {
  if (bound == std::numeric_limits<double>::infinity()) {
    return quadratic_on_ball(form)(bound);
  }
  const auto d = static_cast<Eigen::Index>(form.dimension());
  QuadraticMinimum result;
  result.weights.assign(form.dimension(), 0.0);
  if (d == 0 || bound == 0.0) return result;
  const Eigen::Map<const Matrix> A(form.A.data(), d, d);
  const Eigen::Map<const Vector> b(form.b.data(), d);
  const double scale =
      std::max(bound * bound * A.diagonal().maxCoeff(), bound * b.cwiseAbs().maxCoeff());
  if (!(scale > 0.0)) return result;
  const UnitBox problem{A * (bound * bound / scale), b * (bound / scale)};

  const Array one = Array::Ones(d);
  Interior at{Vector::Zero(d), one, one, one, one};
  Candidate best;
  best.offer(problem, at.u);
  for (int iteration = 0, idle = 0; iteration < 100 && idle < 4; ++iteration) {
    if (at.complementarity() < 1e-20 || !step(problem, at)) break;
    idle = best.offer(problem, at.u) ? 0 : idle + 1;
  }
  std::vector<Side> sides(form.dimension(), Side::free);
  for (Eigen::Index k = 0; k < d; ++k) {
    Side& side = sides[static_cast<std::size_t>(k)];
    if (at.p[k] > at.s[k]) side = Side::upper;
    if (at.q[k] > at.t[k]) side = Side::lower;
  }
  polish(problem, sides, best);

  const Vector w = bound * best.u;
  result.weights.assign(w.begin(), w.end());
  result.value = 0.5 * w.dot(A * w) - b.dot(w);
  result.gap = scale * best.gap;
  return result;
}

}  // namespace caucus
