#include "caucus/core/solvers/second_order.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "caucus/core/base/vector.hpp"

namespace caucus {
namespace {

constexpr double kRidge = 0.01;              ///< as a share of the largest |z|^2
constexpr double kFirstRidge = 5.0;          ///< in the first round, decreasing as 1/round
constexpr int kSweeps = 3;                   ///< over the coordinates of a box in each round
constexpr int kMultiplierSteps = 2;          ///< in each round
constexpr std::size_t kFreshResidual = 100;  ///< rounds after which rounding errors are removed
constexpr std::size_t kEarly = 100;          ///< the rounds that take one more step
constexpr double kFlat = 1e-8;          ///< directions closer to parallel than this count as one
constexpr double kMostForgotten = 0.7;  ///< the largest share forgotten in a round

double norm(std::span<const double> a) { return std::sqrt(dot_padded(a, a)); }

}  // namespace

SecondOrderModel::SecondOrderModel(std::size_t dimension, double known_size)
    : d_(dimension), size_is_known_(known_size > 0.0), largest_(known_size) {}

// If |z|^2 is not known, the first rounds show neither its size nor the noise, and one report with
// a tiny z would move w far away, so the ridge starts large and decreases with the rounds. A mean
// over N examples shows between 1/N and all of |z|^2. The ridge assumes the worst case, and is N
// times larger again because there are N times fewer reports to average over.
void SecondOrderModel::set_ridge(std::size_t examples) {
  const auto n = static_cast<double>(examples);
  const double first = kFirstRidge / static_cast<double>(solved_ + 1);
  const double share = size_is_known_ ? kRidge : std::max(kRidge * n * n, first);
  const double increase = share * largest_ - ridge_;
  if (increase == 0.0) return;
  A_.add_to_diagonal(increase);
  for (std::size_t k = 0; k < d_; ++k) diagonal_[k] += increase;
  at_.add_to_diagonal(increase);
  ridge_ += increase;
}

void SecondOrderModel::Iterate::add_to_diagonal(double value) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    residual[k] -= value * x[k];
    image[k] += value * direction[k];
  }
}

void SecondOrderModel::make_vectors() {
  b_.assign(A_.padded_size(), 0.0);
  diagonal_.assign(A_.padded_size(), 0.0);
  at_ = Iterate(A_.padded_size());
}

void SecondOrderModel::observe(double loss, std::span<const float> gradient, double weight,
                               double slope, std::size_t examples) {
  const double squared = squared_norm(gradient);
  if (!(loss > 0.0) || !(squared > 0.0) || !std::isfinite(loss + squared)) return;
  if (A_.empty()) {
    A_ = SymmetricMatrix(d_);
    make_vectors();
  }
  loss_sum_ += loss;
  gradient_sum_ += squared;
  // Near the minimum c vanishes faster than g for some losses (absolute, pinball, hinge). The cap
  // keeps such a report from outweighing all others. For the square loss |g|^2 / c = 4 |z|^2, and
  // the cap seldom applies.
  const double c = std::max(loss, squared * loss_sum_ / (4.0 * gradient_sum_));
  const double length = squared / (4.0 * c);
  largest_ = std::max(largest_, length);
  set_ridge(examples);
  const auto n = static_cast<double>(examples);
  // In a mean noise cancels and hides up to a factor N of the curvature, which is at most the
  // largest seen. The share of noise is not known; the geometric mean of the two extremes performed
  // best (docs/adaptive.md).
  const double hidden = std::sqrt(std::clamp(largest_ / length, 1.0, n));
  const double quadratic = hidden * weight / (4.0 * c);
  const double along = quadratic * slope - 0.5 * weight;
  const std::size_t begin = observed_.size();
  observed_.resize(begin + A_.padded_size(), 0.0F);
  float* const g = observed_.data() + begin;
  std::copy(gradient.begin(), gradient.end(), g);
  const double* const points[] = {at_.x.data(), at_.direction.data()};
  double products[2];
  simd::kernels().dots_with_floats(g, points, A_.padded_size(), products);
  double* const sums[] = {b_.data(), at_.residual.data(), at_.image.data(), diagonal_.data()};
  const double shares[] = {along, along - quadratic * products[0], quadratic * products[1]};
  simd::kernels().add_floats(g, shares, quadratic, A_.padded_size(), sums);
  factors_.push_back(quadratic);
  sizes_.push_back(squared);
  ++unsolved_;
  if (factors_.size() == kAbsorbed) absorb();
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
  for (double& value : at_.residual) value *= factor;
  for (double& value : at_.image) value *= factor;
  loss_sum_ *= factor;
  gradient_sum_ *= factor;
  mu_ *= factor;
  ridge_ *= factor;
  if (!size_is_known_) largest_ *= factor;
}

// The vectors are scaled to a length of at most 1 with a common factor, so that sums in float are
// as exact as the gradients and cannot overflow.
void SecondOrderModel::absorb() {
  double largest = 0.0;
  for (std::size_t j = 0; j < factors_.size(); ++j) {
    largest = std::max(largest, factors_[j] * sizes_[j]);
  }
  for (std::size_t j = 0; j < factors_.size(); ++j) {
    const double factor = std::sqrt(factors_[j] / largest);
    float* const g = observed_.data() + j * A_.padded_size();
    for (std::size_t k = 0; k < d_; ++k) {
      g[k] = static_cast<float>(factor * static_cast<double>(g[k]));
    }
  }
  if (largest > 0.0) A_.add(observed_, largest);
  observed_.clear();
  factors_.clear();
  sizes_.clear();
}

void SecondOrderModel::multiply(const double* x, double* y) const {
  const std::size_t n = A_.padded_size();
  A_.multiply({x, n}, {y, n});
  simd::kernels().add_outer_products(observed_.data(), factors_.data(), factors_.size(), n, x, y);
  if (mu_ == 0.0) return;
  for (std::size_t k = 0; k < n; ++k) y[k] += mu_ * x[k];
}

// Each step goes to the best point of the plane spanned by the preconditioned residual and the last
// direction. Without new reports this is the conjugate gradient method. With new reports it keeps
// the information of the last round, which gains more than another multiplication.
void SecondOrderModel::conjugate_gradients(Iterate& at, int steps) const {
  const std::size_t n = A_.padded_size();
  const auto memory = std::make_unique_for_overwrite<double[]>(3 * n);
  double* const inverse = memory.get();
  double* const scaled = inverse + n;
  double* const image = scaled + n;
  for (std::size_t k = 0; k < d_; ++k) inverse[k] = 1.0 / (diagonal_[k] + mu_);
  std::fill(inverse + d_, inverse + n, 0.0);
  const simd::Iterate vectors{at.x.data(), at.residual.data(), at.direction.data(),
                              at.image.data()};
  for (int step = 0; step < steps; ++step) {
    simd::kernels().scale_by(at.residual.data(), inverse, n, scaled);
    multiply(scaled, image);
    double products[5];
    simd::kernels().step_products(vectors, scaled, image, n, products);
    const auto [progress, last_progress, curvature, both, last_curvature] = products;
    if (!(curvature > 0.0) || !(progress > 0.0) || !std::isfinite(progress / curvature)) return;
    const double determinant = curvature * last_curvature - both * both;
    double length = progress / curvature;
    double kept = 0.0;
    if (determinant > kFlat * curvature * last_curvature) {
      length = (progress * last_curvature - both * last_progress) / determinant;
      kept = (last_progress * curvature - both * progress) / determinant;
    }
    simd::kernels().take_step(vectors, length, scaled, image, kept, n);
  }
}

// On the sphere mu is the root of |w(mu)| = U with w(mu) = (A + mu I)^-1 b; a Newton step on
// 1/|w(mu)|, which is nearly linear, is mu += (|w|^2 / <w, (A + mu I)^-1 w>) (|w| - U) / U.
void SecondOrderModel::solve_in_ball(double radius, int steps) {
  conjugate_gradients(at_, steps);
  if (std::isinf(radius)) return;
  for (int step = 0; step < kMultiplierSteps; ++step) {
    const double length = norm(at_.x);
    if (!(length > radius || (mu_ > 0.0 && length < 0.999 * radius))) return;
    Iterate inverse(A_.padded_size());
    inverse.residual = at_.x;
    conjugate_gradients(inverse, steps);
    const double slope = dot_padded(at_.x, inverse.x);
    if (!(slope > 0.0)) return;
    const double mu = std::max(0.0, mu_ + length * length / slope * (length - radius) / radius);
    at_.add_to_diagonal(mu - mu_);
    mu_ = mu;
    conjugate_gradients(at_, steps);
  }
}

/// Moves each coordinate in turn to its best value in [-side, side].
void SecondOrderModel::solve_in_box(double side) {
  absorb();
  std::vector<double> image(A_.padded_size());
  multiply(at_.x.data(), image.data());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t k = 0; k < d_; ++k) {
      const double best = at_.x[k] + (b_[k] - image[k]) / diagonal_[k];
      const double move = std::clamp(best, -side, side) - at_.x[k];
      if (!std::isfinite(move) || move == 0.0) continue;
      at_.x[k] += move;
      for (std::size_t l = 0; l < d_; ++l) image[l] += move * A_(k, l);
    }
  }
}

void SecondOrderModel::solve(const Region& region, std::span<float> w, int steps) {
  if (A_.empty()) return;
  unsolved_ = 0;
  if (++solved_ % kFreshResidual == 0 || residual_is_stale_) {
    residual_is_stale_ = false;
    multiply(at_.x.data(), at_.residual.data());
    for (std::size_t k = 0; k < d_; ++k) at_.residual[k] = b_[k] - at_.residual[k];
    std::fill(at_.direction.begin(), at_.direction.end(), 0.0);
    std::fill(at_.image.begin(), at_.image.end(), 0.0);
  }
  if (solved_ <= kEarly && steps > 1) ++steps;
  double shrink = 1.0;
  if (region.constraint == Constraint::box) {
    solve_in_box(region.radius / std::sqrt(static_cast<double>(d_)));
  } else {
    solve_in_ball(region.radius, steps);
    const double length = norm(at_.x);
    if (length > region.radius) shrink = region.radius / length;
  }
  constexpr double kLargest = 1e30;  // products with features still fit a float
  for (std::size_t k = 0; k < d_; ++k) {
    if (!(std::abs(at_.x[k]) <= kLargest)) {
      at_.x[k] = 0.0;
      residual_is_stale_ = true;
    }
    w[k] = static_cast<float>(shrink * at_.x[k]);
  }
}

}  // namespace caucus
