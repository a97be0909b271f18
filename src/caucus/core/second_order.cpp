#include "caucus/core/second_order.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {
namespace {

constexpr double kRidge = 0.01;      ///< share of the largest |z|^2 on A's diagonal
constexpr int kSolverSteps = 3;      ///< per round, warm-started
constexpr int kMultiplierSteps = 2;  ///< per round

constexpr double kMostForgotten = 0.7;  ///< in one round of drifting data

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

}  // namespace

SecondOrderModel::SecondOrderModel(std::size_t dimension, double known_size)
    : d_(dimension), size_is_known_(known_size > 0.0), largest_(known_size) {}

void SecondOrderModel::raise_ridge(double size) {
  const double increase = kRidge * size - ridge_;
  if (!(increase > 0.0)) return;
  for (std::size_t k = 0; k < d_; ++k) A_[k * d_ + k] += increase;
  ridge_ += increase;
}

void SecondOrderModel::observe(double loss, std::span<const float> gradient, double weight,
                               std::span<const float> w, std::size_t examples) {
  const double squared = squared_norm(gradient);
  if (!(loss > 0.0) || !(squared > 0.0) || !std::isfinite(loss + squared)) return;
  if (A_.empty()) {  // most models of a large set are never touched
    A_.assign(d_ * d_, 0.0);
    b_.assign(d_, 0.0);
    w_.assign(d_, 0.0);
  }
  loss_sum_ += loss;
  gradient_sum_ += squared;
  // Near the least loss c vanishes faster than g (absolute, pinball, hinge): the cap keeps such a
  // report from outweighing all others. For the square loss |g|^2 / c = 4 |z|^2 and it seldom acts.
  const double c = std::max(loss, squared * loss_sum_ / (4.0 * gradient_sum_));
  const double length = squared / (4.0 * c);
  largest_ = std::max(largest_, length);
  // What a mean over N examples leaves of |z|^2 is between all of it and 1/N. Where the size is not
  // known the ridge is raised for the worst, and N times more: there are N times fewer reports to
  // average over, and the first of them must not be fitted as if they were free of noise.
  const auto n = static_cast<double>(examples);
  raise_ridge(size_is_known_ ? largest_ : n * n * length);
  // In a mean noise cancels, and with it up to N times of the curvature, at most down from the
  // largest that was seen. How much of a gradient was noise is not known; the geometric middle
  // between none and all of it did best (docs/adaptive.md).
  const double hidden = std::sqrt(std::clamp(largest_ / length, 1.0, n));
  const double quadratic = hidden * weight / (4.0 * c);
  const double along = quadratic * caucus::dot(gradient, w) - 0.5 * weight;
  for (std::size_t k = 0; k < d_; ++k) {
    const auto g = static_cast<double>(gradient[k]);
    b_[k] += along * g;
    const double factor = quadratic * g;
    double* row = A_.data() + k * d_;
    for (std::size_t l = 0; l < d_; ++l) row[l] += factor * static_cast<double>(gradient[l]);
  }
}

void SecondOrderModel::forget(double share, std::size_t rounds, double mean_loss) {
  const double kept = std::pow(1.0 - share, static_cast<double>(rounds));
  const double ratio = usual_loss_ > 0.0 ? mean_loss * usual_weight_ / usual_loss_ : 1.0;
  usual_loss_ = kept * usual_loss_ + mean_loss;
  usual_weight_ = kept * usual_weight_ + 1.0;
  const double now = std::min(kMostForgotten, share * ratio * ratio * ratio);
  const double factor = std::pow(1.0 - share, static_cast<double>(rounds - 1)) * (1.0 - now);
  for (double& value : A_) value *= factor;
  for (double& value : b_) value *= factor;
  loss_sum_ *= factor;
  gradient_sum_ *= factor;
  mu_ *= factor;
  ridge_ *= factor;
  if (!size_is_known_) largest_ *= factor;
}

void SecondOrderModel::multiply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t k = 0; k < d_; ++k) y[k] = mu_ * x[k];
  for (std::size_t l = 0; l < d_; ++l) {  // A is symmetric: its rows are its columns
    const double* column = A_.data() + l * d_;
    const double factor = x[l];
    for (std::size_t k = 0; k < d_; ++k) y[k] += factor * column[k];
  }
}

/// A few steps on (A + mu I) x = right from the x given, preconditioned by the diagonal.
void SecondOrderModel::conjugate_gradients(std::span<const double> right,
                                           std::span<double> x) const {
  std::vector<double> residual(d_), direction(d_), scaled(d_), image(d_);
  multiply(x, image);
  for (std::size_t k = 0; k < d_; ++k) residual[k] = right[k] - image[k];
  const auto precondition = [&] {
    for (std::size_t k = 0; k < d_; ++k) scaled[k] = residual[k] / (A_[k * d_ + k] + mu_);
  };
  precondition();
  direction = scaled;
  double progress = dot(residual, scaled);
  for (int step = 0; step < kSolverSteps; ++step) {
    multiply(direction, image);
    const double curvature = dot(direction, image);
    if (!(curvature > 0.0) || !(progress > 0.0) || !std::isfinite(progress / curvature)) return;
    const double length = progress / curvature;
    for (std::size_t k = 0; k < d_; ++k) {
      x[k] += length * direction[k];
      residual[k] -= length * image[k];
    }
    precondition();
    const double next = dot(residual, scaled);
    for (std::size_t k = 0; k < d_; ++k) {
      direction[k] = scaled[k] + next / progress * direction[k];
    }
    progress = next;
  }
}

// On the sphere mu is the root of |w(mu)| = U with w(mu) = (A + mu I)^-1 b; a Newton step on
// 1/|w(mu)|, which is nearly linear, is mu += (|w|^2 / <w, (A + mu I)^-1 w>) (|w| - U) / U.
void SecondOrderModel::solve_in_ball(double radius) {
  conjugate_gradients(b_, w_);
  if (std::isinf(radius)) return;
  std::vector<double> inverse(d_, 0.0);
  for (int step = 0; step < kMultiplierSteps; ++step) {
    const double length = norm(w_);
    if (!(length > radius || (mu_ > 0.0 && length < 0.999 * radius))) return;
    std::fill(inverse.begin(), inverse.end(), 0.0);
    conjugate_gradients(w_, inverse);
    const double slope = dot(w_, inverse);
    if (!(slope > 0.0)) return;
    mu_ = std::max(0.0, mu_ + length * length / slope * (length - radius) / radius);
    conjugate_gradients(b_, w_);
  }
}

/// Coordinate by coordinate, each to its best value within the side.
void SecondOrderModel::solve_in_box(double side) {
  std::vector<double> image(d_);
  multiply(w_, image);
  for (int sweep = 0; sweep < kSolverSteps; ++sweep) {
    for (std::size_t k = 0; k < d_; ++k) {
      const double* column = A_.data() + k * d_;
      const double best = w_[k] + (b_[k] - image[k]) / column[k];
      const double move = std::clamp(best, -side, side) - w_[k];
      if (!std::isfinite(move) || move == 0.0) continue;
      w_[k] += move;
      for (std::size_t l = 0; l < d_; ++l) image[l] += move * column[l];
    }
  }
}

void SecondOrderModel::solve(const Region& region, std::span<float> w) {
  if (A_.empty()) return;
  double shrink = 1.0;
  if (region.constraint == Constraint::box) {
    solve_in_box(region.radius / std::sqrt(static_cast<double>(d_)));
  } else {
    solve_in_ball(region.radius);
    const double length = norm(w_);
    if (length > region.radius) shrink = region.radius / length;
  }
  constexpr double kLargest = 1e30;  // a float whose products are floats still
  for (std::size_t k = 0; k < d_; ++k) {
    if (!(std::abs(w_[k]) <= kLargest)) w_[k] = 0.0;
    w[k] = static_cast<float>(shrink * w_[k]);
  }
}

}  // namespace caucus
