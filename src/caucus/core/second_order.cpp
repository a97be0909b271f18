#include "caucus/core/second_order.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {
namespace {

constexpr double kRidge = 0.01;              ///< share of the largest |z|^2 on A's diagonal
constexpr double kFirstRidge = 5.0;          ///< the same in the first round, falling as 1/round
constexpr int kSweeps = 3;                   ///< over the coordinates of a box, per round
constexpr int kMultiplierSteps = 2;          ///< per round
constexpr std::size_t kFreshResidual = 100;  ///< rounds until it is computed anew, against rounding

constexpr double kMostForgotten = 0.7;  ///< in one round of drifting data

double norm(std::span<const double> a) { return std::sqrt(dot_padded(a, a)); }

}  // namespace

SecondOrderModel::SecondOrderModel(std::size_t dimension, double known_size)
    : d_(dimension), size_is_known_(known_size > 0.0), largest_(known_size) {}

// Where |z|^2 is not known, a few first rounds show neither it nor the noise (one report with a
// tiny z would send w far away), so they meet a ridge that falls with their number. And what a mean
// over N examples leaves of |z|^2 is between all of it and 1/N: the ridge is that for the worst,
// and N times more, as there are N times fewer reports to average over, and they must not be fitted
// as if they were free of noise.
void SecondOrderModel::set_ridge(std::size_t examples) {
  const auto n = static_cast<double>(examples);
  const double first = kFirstRidge / static_cast<double>(solved_ + 1);
  const double share = size_is_known_ ? kRidge : std::max(kRidge * n * n, first);
  const double increase = share * largest_ - ridge_;
  if (increase == 0.0) return;
  A_.add_to_diagonal(increase);
  for (std::size_t k = 0; k < d_; ++k) {
    residual_[k] -= increase * w_[k];
    diagonal_[k] += increase;
  }
  ridge_ += increase;
}

void SecondOrderModel::observe(double loss, std::span<const float> gradient, double weight,
                               std::span<const float> w, std::size_t examples) {
  const double squared = squared_norm(gradient);
  if (!(loss > 0.0) || !(squared > 0.0) || !std::isfinite(loss + squared)) return;
  if (A_.empty()) {
    A_ = SymmetricMatrix(d_);
    b_.assign(A_.padded_size(), 0.0);
    residual_.assign(A_.padded_size(), 0.0);
    diagonal_.assign(A_.padded_size(), 0.0);
    w_.assign(A_.padded_size(), 0.0);
  }
  loss_sum_ += loss;
  gradient_sum_ += squared;
  // Near the least loss c vanishes faster than g (absolute, pinball, hinge): the cap keeps such a
  // report from outweighing all others. For the square loss |g|^2 / c = 4 |z|^2 and it seldom acts.
  const double c = std::max(loss, squared * loss_sum_ / (4.0 * gradient_sum_));
  const double length = squared / (4.0 * c);
  largest_ = std::max(largest_, length);
  set_ridge(examples);
  const auto n = static_cast<double>(examples);
  // In a mean noise cancels, and with it up to N times of the curvature, at most down from the
  // largest that was seen. How much of a gradient was noise is not known; the geometric middle
  // between none and all of it did best (docs/adaptive.md).
  const double hidden = std::sqrt(std::clamp(largest_ / length, 1.0, n));
  const double quadratic = hidden * weight / (4.0 * c);
  const double along = quadratic * dot(gradient, w) - 0.5 * weight;
  const std::size_t begin = observed_.size();
  observed_.resize(begin + A_.padded_size(), 0.0);
  const std::span<double> g(observed_.data() + begin, A_.padded_size());
  std::copy(gradient.begin(), gradient.end(), g.begin());
  const double changed = along - quadratic * dot_padded(g, w_);
  for (std::size_t k = 0; k < d_; ++k) {
    b_[k] += along * g[k];
    residual_[k] += changed * g[k];
    diagonal_[k] += quadratic * g[k] * g[k];
  }
  factors_.push_back(quadratic);
}

void SecondOrderModel::forget(double share, std::size_t rounds, double mean_loss) {
  const double kept = std::pow(1.0 - share, static_cast<double>(rounds));
  const double ratio = usual_loss_ > 0.0 ? mean_loss * usual_weight_ / usual_loss_ : 1.0;
  usual_loss_ = kept * usual_loss_ + mean_loss;
  usual_weight_ = kept * usual_weight_ + 1.0;
  const double now = std::min(kMostForgotten, share * ratio * ratio * ratio);
  const double factor = std::pow(1.0 - share, static_cast<double>(rounds - 1)) * (1.0 - now);
  fade(factor);
}

void SecondOrderModel::fade(double factor) {
  if (factor == 1.0 || A_.empty()) return;
  A_.scale(factor);
  for (double& value : factors_) value *= factor;
  for (double& value : diagonal_) value *= factor;
  for (double& value : b_) value *= factor;
  for (double& value : residual_) value *= factor;
  loss_sum_ *= factor;
  gradient_sum_ *= factor;
  mu_ *= factor;
  ridge_ *= factor;
  if (!size_is_known_) largest_ *= factor;
}

void SecondOrderModel::multiply(std::span<const double> x, std::span<double> y) {
  std::vector<const double*> vectors;
  for (std::size_t j = 0; j < factors_.size(); ++j) {
    vectors.push_back(observed_.data() + j * A_.padded_size());
  }
  if (vectors.empty()) {
    A_.multiply(x, y);
  } else {
    A_.add_and_multiply(vectors, factors_, x, y);
  }
  observed_.clear();
  factors_.clear();
  for (std::size_t k = 0; k < d_; ++k) y[k] += mu_ * x[k];
}

void SecondOrderModel::conjugate_gradients(std::span<double> x, std::span<double> residual,
                                           int steps) {
  const std::size_t size = A_.padded_size();
  std::vector<double> direction(size), scaled(size), image(size), inverse(size);
  for (std::size_t k = 0; k < d_; ++k) inverse[k] = 1.0 / (diagonal_[k] + mu_);
  const auto precondition = [&] {  // by the diagonal
    for (std::size_t k = 0; k < d_; ++k) scaled[k] = residual[k] * inverse[k];
  };
  precondition();
  direction = scaled;
  double progress = dot_padded(residual, scaled);
  for (int step = 0; step < steps; ++step) {
    multiply(direction, image);
    const double curvature = dot_padded(direction, image);
    if (!(curvature > 0.0) || !(progress > 0.0) || !std::isfinite(progress / curvature)) return;
    const double length = progress / curvature;
    for (std::size_t k = 0; k < d_; ++k) {
      x[k] += length * direction[k];
      residual[k] -= length * image[k];
    }
    if (step + 1 == steps) return;
    precondition();
    const double next = dot_padded(residual, scaled);
    for (std::size_t k = 0; k < d_; ++k) {
      direction[k] = scaled[k] + next / progress * direction[k];
    }
    progress = next;
  }
}

// On the sphere mu is the root of |w(mu)| = U with w(mu) = (A + mu I)^-1 b; a Newton step on
// 1/|w(mu)|, which is nearly linear, is mu += (|w|^2 / <w, (A + mu I)^-1 w>) (|w| - U) / U.
void SecondOrderModel::solve_in_ball(double radius, int steps) {
  conjugate_gradients(w_, residual_, steps);
  if (std::isinf(radius)) return;
  for (int step = 0; step < kMultiplierSteps; ++step) {
    const double length = norm(w_);
    if (!(length > radius || (mu_ > 0.0 && length < 0.999 * radius))) return;
    std::vector<double> inverse(A_.padded_size(), 0.0);
    std::vector<double> residual = w_;
    conjugate_gradients(inverse, residual, steps);
    const double slope = dot_padded(w_, inverse);
    if (!(slope > 0.0)) return;
    const double mu = std::max(0.0, mu_ + length * length / slope * (length - radius) / radius);
    for (std::size_t k = 0; k < d_; ++k) residual_[k] -= (mu - mu_) * w_[k];
    mu_ = mu;
    conjugate_gradients(w_, residual_, steps);
  }
}

/// Coordinate by coordinate, each to its best value within the side.
void SecondOrderModel::solve_in_box(double side) {
  std::vector<double> image(A_.padded_size());
  multiply(w_, image);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t k = 0; k < d_; ++k) {
      const double best = w_[k] + (b_[k] - image[k]) / diagonal_[k];
      const double move = std::clamp(best, -side, side) - w_[k];
      if (!std::isfinite(move) || move == 0.0) continue;
      w_[k] += move;
      for (std::size_t l = 0; l < d_; ++l) image[l] += move * A_(k, l);
    }
  }
}

void SecondOrderModel::solve(const Region& region, std::span<float> w, int steps) {
  if (A_.empty()) return;
  if (++solved_ % kFreshResidual == 0 || residual_is_stale_) {
    residual_is_stale_ = false;
    multiply(w_, residual_);
    for (std::size_t k = 0; k < d_; ++k) residual_[k] = b_[k] - residual_[k];
  }
  double shrink = 1.0;
  if (region.constraint == Constraint::box) {
    solve_in_box(region.radius / std::sqrt(static_cast<double>(d_)));
  } else {
    solve_in_ball(region.radius, steps);
    const double length = norm(w_);
    if (length > region.radius) shrink = region.radius / length;
  }
  constexpr double kLargest = 1e30;  // a float whose products are floats still
  for (std::size_t k = 0; k < d_; ++k) {
    if (!(std::abs(w_[k]) <= kLargest)) {
      w_[k] = 0.0;
      residual_is_stale_ = true;
    }
    w[k] = static_cast<float>(shrink * w_[k]);
  }
}

}  // namespace caucus
