#include "caucus/core/adahedge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace caucus {
namespace {

/// -(1/eta) ln sum_i p_i exp(-eta c_i), the mix loss; for Delta = 0, where eta is infinite, the
/// least loss among the models that have a probability.
double mix_loss(const Simplex& p, std::span<const double> losses, double eta) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (p[i] > 0.0) least = std::min(least, losses[i]);
  }
  if (std::isinf(eta)) return least;
  double sum = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (p[i] > 0.0) sum += p[i] * std::exp(-eta * (losses[i] - least));
  }
  return least - std::log(sum) / eta;
}

}  // namespace

AdaHedge::AdaHedge(std::size_t models) : cumulative_(models, 0.0), p_(Simplex::uniform(models)) {}

void AdaHedge::update(std::span<const double> losses) {
  if (p_.size() == 1) return;
  const double eta = std::log(static_cast<double>(p_.size())) / delta_;
  double mean = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) mean += p_[i] * losses[i];
  delta_ += std::max(0.0, mean - mix_loss(p_, losses, eta));
  for (std::size_t i = 0; i < losses.size(); ++i) cumulative_[i] += losses[i];
  set_probabilities();
}

void AdaHedge::share(double amount) {
  if (amount == 0.0 || delta_ == 0.0 || p_.size() == 1) return;
  p_.share(amount);
  delta_ *= 1.0 - amount;
  // The cumulative losses that stand for the shared p, so that the next round starts from it.
  const double eta = std::log(static_cast<double>(p_.size())) / delta_;
  for (std::size_t i = 0; i < p_.size(); ++i) cumulative_[i] = -p_.log_probabilities()[i] / eta;
}

void AdaHedge::set_probabilities() {
  const double eta = std::log(static_cast<double>(p_.size())) / delta_;
  const double least = *std::min_element(cumulative_.begin(), cumulative_.end());
  std::vector<double> log_weights(p_.size());
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    const double behind = cumulative_[i] - least;
    log_weights[i] = behind > 0.0 ? -eta * behind : 0.0;  // not 0 * infinity
  }
  p_ = Simplex::from_log_weights(std::move(log_weights));
}

}  // namespace caucus
