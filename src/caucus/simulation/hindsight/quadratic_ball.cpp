#include "caucus/simulation/hindsight/quadratic_ball.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }
ConstVector view(std::span<const double> v) { return {v.data(), index(v.size())}; }
ConstMatrix square(std::span<const double> A, std::size_t d) {
  return {A.data(), index(d), index(d)};
}

}  // namespace

QuadraticOnBall::QuadraticOnBall(const QuadraticForm& form)
    : A_(form.A.begin(), form.A.end()), b_(form.b.begin(), form.b.end()) {
  const std::size_t d = form.dimension();
  if (d == 0) return;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(square(A_, d));
  const Vector c = solver.eigenvectors().transpose() * view(b_);
  eigenvalues_.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
  for (double& l : eigenvalues_) l = std::max(l, 0.0);
  const auto* Q = solver.eigenvectors().data();
  eigenvectors_.assign(Q, Q + d * d);
  rotated_b_.assign(c.begin(), c.end());
  rank_tolerance_ = static_cast<double>(d) * kEpsilon * eigenvalues_.back();
  noise_ = 4.0 * static_cast<double>(d) * kEpsilon * view(b_).norm();
}

QuadraticMinimum QuadraticOnBall::minimise(double radius) const {
  const std::size_t d = b_.size();
  std::vector<double> rotated(d, 0.0);
  const double m = radius > 0.0 ? multiplier(radius, rotated) : 0.0;
  QuadraticMinimum result = finish(rotated, radius);
  result.multiplier = m;
  return result;
}

/// Fills `rotated` with w(m) and returns m.
double QuadraticOnBall::multiplier(double radius, std::vector<double>& rotated) const {
  const std::size_t d = b_.size();
  bool part_in_null_space = false;
  for (std::size_t i = 0; i < d; ++i) {
    const bool in_null_space = eigenvalues_[i] <= rank_tolerance_;
    if (!in_null_space) rotated[i] = rotated_b_[i] / eigenvalues_[i];
    if (in_null_space && std::abs(rotated_b_[i]) > noise_) part_in_null_space = true;
  }
  const double shortest = view(rotated).norm();
  if (radius == kInfinity || (!part_in_null_space && shortest <= radius)) return 0.0;

  // |c| / (max(l) + m) <= |w(m)| <= |c| / (min(l) + m) brackets the root.
  const double reach = view(rotated_b_).norm() / radius;
  double low = std::max(0.0, reach - eigenvalues_.back());
  double high = reach;
  double m = low > 0.0 ? low : std::min(high, std::max(rank_tolerance_, kEpsilon * high));
  for (int iteration = 0; iteration < 200; ++iteration) {
    double squares = 0.0;
    double slope = 0.0;  // of -|w(m)|^2 / 2
    for (std::size_t i = 0; i < d; ++i) {
      const double shifted = eigenvalues_[i] + m;
      const bool silent = eigenvalues_[i] <= rank_tolerance_ && std::abs(rotated_b_[i]) <= noise_;
      rotated[i] = silent ? 0.0 : rotated_b_[i] / shifted;
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

QuadraticMinimum QuadraticOnBall::finish(const std::vector<double>& rotated, double radius) const {
  const std::size_t d = b_.size();
  QuadraticMinimum result;
  if (d == 0) return result;
  const ConstMatrix Q = square(eigenvectors_, d);
  Vector w = Q * view(rotated);
  const double length = w.norm();
  if (length > radius) w *= radius / length;
  const Vector g = square(A_, d) * w - view(b_);
  result.value = 0.5 * w.dot(g - view(b_));
  result.weights.assign(w.begin(), w.end());
  if (radius < kInfinity) {
    result.gap = std::max(0.0, g.dot(w) + radius * g.norm());
    return result;
  }
  // The possible gain along each direction. Eigenvalues below `hidden` are rounding errors of A, so
  // the division uses at least that. A Gram matrix has |c_i| <= sqrt(l_i y'y), so the sum is small.
  const Vector residual = Q.transpose() * g;
  const double hidden = kEpsilon * eigenvalues_.back();
  double part_in_null_space = 0.0;
  for (std::size_t i = 0; i < d; ++i) {
    const double r = residual[index(i)];
    if (eigenvalues_[i] <= rank_tolerance_) part_in_null_space += r * r;
    if (r != 0.0) result.gap += r * r / (2.0 * std::max(eigenvalues_[i], hidden));
  }
  result.bounded = std::sqrt(part_in_null_space) <= 1e-6 * view(b_).norm();
  return result;
}

}  // namespace caucus
