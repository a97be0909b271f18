#include "caucus/core/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace caucus {
namespace {

/// ln sum_i exp(x_i), and the p_i = exp(x_i - that), in one pass over the exponentials.
double log_sum_exp(std::span<const double> x, std::span<double> p) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    p[i] = std::exp(x[i] - largest);
    sum += p[i];
  }
  for (double& value : p) value /= sum;
  return largest + std::log(sum);
}

}  // namespace

Simplex Simplex::uniform(std::size_t size) {
  return from_log_weights(std::vector<double>(size, 0.0));
}

Simplex Simplex::from_log_weights(std::vector<double> log_weights) {
  Simplex simplex;
  simplex.log_p_ = std::move(log_weights);
  simplex.p_.resize(simplex.log_p_.size());
  simplex.normalise();
  return simplex;
}

void Simplex::share(double amount) {
  if (amount == 0.0) return;
  const auto K = static_cast<double>(size());
  for (std::size_t i = 0; i < size(); ++i) {
    log_p_[i] = std::log((1.0 - amount) * p_[i] + amount / K);
  }
  normalise();
}

void Simplex::normalise() {
  const double log_sum = log_sum_exp(log_p_, p_);
  for (double& value : log_p_) value -= log_sum;
}

// h(nu) = ln sum_i p_i exp(-(rate / C_i)(c_i + nu)) is convex and falls from h(-max c) >= 0 to
// h(-min c) <= 0. Newton on h is exact at once when all C_i are equal, and from the left of the
// root it never passes it; the bracket guards the first step and the rounding.
void WeightedEntropy::descend(Simplex& p, std::span<const double> losses, double rate) const {
  const std::size_t K = p.size();
  if (K == 1 || rate == 0.0) return;
  const auto [least, most] = std::minmax_element(losses.begin(), losses.end());
  double left = -*most;
  double right = -*least;
  if (left == right) return;  // equal losses: nu cancels them

  std::vector<double> moved(K);
  const auto move_by = [&](double nu) {
    for (std::size_t i = 0; i < K; ++i) {
      moved[i] = p.log_p_[i] - rate / weights_[i] * (losses[i] + nu);
    }
    return log_sum_exp(moved, p.p_);
  };
  double nu = 0.0;
  for (std::size_t i = 0; i < K; ++i) nu -= p.p_[i] * losses[i];
  nu = std::clamp(nu, left, right);

  const double tolerance =
      std::max(1e-14, static_cast<double>(K) * std::numeric_limits<double>::epsilon());
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    const double h = move_by(nu);
    if (std::abs(std::expm1(h)) <= tolerance) break;
    (h > 0.0 ? left : right) = nu;
    double slope = 0.0;
    for (std::size_t i = 0; i < K; ++i) slope += p.p_[i] * rate / weights_[i];
    double next = nu + h / slope;
    if (!(next > left && next < right)) next = left + 0.5 * (right - left);
    if (next == nu || next == left || next == right) break;  // no double lies between
    nu = next;
  }
  p.log_p_.swap(moved);
  p.normalise();
}

}  // namespace caucus
