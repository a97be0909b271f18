#include "caucus/core/personal/prior_hedge.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "caucus/core/base/vector.hpp"

namespace caucus {

PriorHedge::PriorHedge(std::vector<double> prior)
    : prior_(std::move(prior)),
      cumulative_(prior_.size(), 0.0),
      weights_(prior_),
      factors_(prior_.size(), 1.0) {}

void PriorHedge::restart(std::span<const double> prior, std::span<const double> losses,
                         double mixing_cost) {
  assert(prior.size() == prior_.size() && losses.size() == prior_.size());
  std::copy(prior.begin(), prior.end(), prior_.begin());
  std::copy(losses.begin(), losses.end(), cumulative_.begin());
  delta_ = mixing_cost;
  set_weights();
}

void PriorHedge::raise_cost(double mixing_cost) {
  if (!(mixing_cost > delta_)) return;
  delta_ = mixing_cost;
  set_weights();
}

void PriorHedge::update(std::span<const double> losses) {
  assert(losses.size() == prior_.size());
  double mean = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!(weights_[i] > 0.0)) continue;
    mean += weights_[i] * losses[i];
    least = std::min(least, losses[i]);
  }
  set_factors(losses, least);
  double sum = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (weights_[i] > 0.0) sum += weights_[i] * factors_[i];
  }
  const double mix = least - std::log(sum) * delta_ / kRate;
  delta_ += std::max(0.0, mean - mix);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (prior_[i] > 0.0) cumulative_[i] += losses[i];
  }
  set_weights();
  if (!(delta_ > 0.0)) return;
  // Sharing, with the cumulative losses that give the shared weights.
  delta_ *= 1.0 - kShare;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!(prior_[i] > 0.0)) continue;
    weights_[i] = (1.0 - kShare) * weights_[i] + kShare * prior_[i];
    cumulative_[i] = -std::log(weights_[i] / prior_[i]) * delta_ / kRate;
  }
}

void PriorHedge::set_factors(std::span<const double> losses, double least) {
  constexpr double kSteepest = 1e300;  // eta may be infinite
  const double eta = std::min(kRate / delta_, kSteepest);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    factors_[i] = -eta * std::max(0.0, losses[i] - least);
  }
  exponentials(factors_, 0.0, factors_);
}

void PriorHedge::set_weights() {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < prior_.size(); ++i) {
    if (prior_[i] > 0.0) least = std::min(least, cumulative_[i]);
  }
  set_factors(cumulative_, least);
  double sum = 0.0;
  for (std::size_t i = 0; i < prior_.size(); ++i) {
    weights_[i] = prior_[i] * factors_[i];
    sum += weights_[i];
  }
  for (double& weight : weights_) weight /= sum;
}

void PriorHedge::save(StateWriter& to) const {
  to.numbers(prior_);
  to.numbers(cumulative_);
  to.numbers(weights_);
  to.real(delta_);
}

Status PriorHedge::restore(StateReader& from) {
  from.numbers(prior_);
  from.numbers(cumulative_);
  from.numbers(weights_);
  delta_ = from.real();
  CAUCUS_CHECK(from.status());
  const auto is_distribution = [](const std::vector<double>& p) {
    double sum = 0.0;
    for (const double value : p) sum += value;
    return all_amounts(p) && std::abs(sum - 1.0) < 1e-6;
  };
  bool possible = is_distribution(prior_) && is_distribution(weights_);
  for (std::size_t i = 0; i < prior_.size(); ++i) {
    possible = possible && (prior_[i] == 0.0 ? weights_[i] == 0.0 : prior_[i] >= kLeastPrior);
  }
  if (!possible) return from.refuse("the weights of a mixture", "expected two distributions");
  constexpr double kLargest = 1e200;
  possible = is_amount(delta_) && delta_ <= kLargest;
  for (const double loss : cumulative_) possible = possible && std::abs(loss) <= kLargest;
  if (!possible) return from.refuse("a loss of a mixture", "expected numbers up to 1e200");
  return Done{};
}

}  // namespace caucus
