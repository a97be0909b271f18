#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/solvers/quadratic.hpp"

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct BallMinimiser {
  Matrix A, Q;                  ///< the columns of Q are the eigenvectors
  Vector b, c;                  ///< c = Q'b
  Vector l;                     ///< the eigenvalues, ascending
  double rank_tolerance = 0.0;  ///< eigenvalues up to here count as zero
  double noise = 0.0;           ///< |c_i| up to here counts as zero

  explicit BallMinimiser(const QuadraticForm& form);
  QuadraticMinimum operator()(double radius) const;
  double multiplier(double radius, Vector& rotated) const;
};

BallMinimiser::BallMinimiser(const QuadraticForm& form) {
  const auto d = static_cast<Eigen::Index>(form.dimension());
  if (d == 0) return;
  A = Eigen::Map<const Matrix>(form.A.data(), d, d);
  b = Eigen::Map<const Vector>(form.b.data(), d);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  Q = solver.eigenvectors();
  c = Q.transpose() * b;
  l = solver.eigenvalues().cwiseMax(0.0);
  rank_tolerance = static_cast<double>(d) * kEpsilon * l[d - 1];
  noise = 4.0 * static_cast<double>(d) * kEpsilon * b.norm();
}

/// Fills `rotated` with w(m) and returns m.
double BallMinimiser::multiplier(double radius, Vector& rotated) const {
  bool part_in_null_space = false;
  for (Eigen::Index i = 0; i < l.size(); ++i) {
    const bool in_null_space = l[i] <= rank_tolerance;
    if (!in_null_space) rotated[i] = c[i] / l[i];
    if (in_null_space && std::abs(c[i]) > noise) part_in_null_space = true;
  }
  const double shortest = rotated.norm();
  if (std::isinf(radius) || (!part_in_null_space && shortest <= radius)) return 0.0;

  // |c| / (max(l) + m) <= |w(m)| <= |c| / (min(l) + m) brackets the root.
  const double reach = c.norm() / radius;
  double low = std::max(0.0, reach - l[l.size() - 1]);
  double high = reach;
  double m = low > 0.0 ? low : std::min(high, std::max(rank_tolerance, kEpsilon * high));
  for (int iteration = 0; iteration < 200; ++iteration) {
    double squares = 0.0;
    double slope = 0.0;  // of -|w(m)|^2 / 2
    for (Eigen::Index i = 0; i < l.size(); ++i) {
      const double shifted = l[i] + m;
      const bool silent = l[i] <= rank_tolerance && std::abs(c[i]) <= noise;
      rotated[i] = silent ? 0.0 : c[i] / shifted;
      squares += rotated[i] * rotated[i];
      slope += rotated[i] * rotated[i] / shifted;
    }
    const double length = std::sqrt(squares);
    if (std::abs(length - radius) <= 4.0 * kEpsilon * radius) break;
    (length > radius ? low : high) = m;
    const double newton = m + (length / radius - 1.0) * squares / slope;
    const double middle = low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 1e-3 * high;
    const double next = newton > low && newton < high ? newton : middle;
    if (next == m || !(next > 0.0)) break;
    m = next;
  }
  return m;
}

QuadraticMinimum BallMinimiser::operator()(double radius) const {
  QuadraticMinimum result;
  if (b.size() == 0) return result;
  Vector rotated = Vector::Zero(b.size());
  if (radius > 0.0) result.multiplier = multiplier(radius, rotated);
  Vector w = Q * rotated;
  const double length = w.norm();
  if (length > radius) w *= radius / length;
  const Vector g = A * w - b;
  result.value = 0.5 * w.dot(g - b);
  result.weights.assign(w.begin(), w.end());
  if (std::isfinite(radius)) {
    result.gap = std::max(0.0, g.dot(w) + radius * g.norm());
    return result;
  }
  // The possible gain along each direction. Eigenvalues below `hidden` are rounding errors of A, so
  // the division uses at least that. A Gram matrix has |c_i| <= sqrt(l_i y'y), so the sum is small.
  const Vector residual = Q.transpose() * g;
  const double hidden = kEpsilon * l[l.size() - 1];
  double part_in_null_space = 0.0;
  for (Eigen::Index i = 0; i < l.size(); ++i) {
    const double r = residual[i];
    if (l[i] <= rank_tolerance) part_in_null_space += r * r;
    if (r != 0.0) result.gap += r * r / (2.0 * std::max(l[i], hidden));
  }
  result.bounded = std::sqrt(part_in_null_space) <= 1e-6 * b.norm();
  return result;
}

}  // namespace

std::function<QuadraticMinimum(double)> quadratic_on_ball(const QuadraticForm& form) {
  return BallMinimiser(form);
}

}  // namespace caucus
