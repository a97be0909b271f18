#include "caucus/core/mirror/adahedge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/base/text.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {
namespace {

/// Returns the mix loss -(1/eta) ln sum_i p_i exp(-eta c_i). For Delta = 0, where eta is infinite,
/// it is the least loss of a model with p_i > 0.
double mix_loss(std::span<const double> p, std::span<const double> losses, double eta,
                std::vector<double>& scratch) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (p[i] > 0.0) least = std::min(least, losses[i]);
  }
  if (std::isinf(eta)) return least;
  scratch.resize(2 * losses.size());
  const auto exponents = std::span(scratch).first(losses.size());
  const auto factors = std::span(scratch).last(losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    exponents[i] = p[i] > 0.0 ? -eta * (losses[i] - least) : 0.0;
  }
  exponentials(exponents, 0.0, factors);
  double sum = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) sum += p[i] * factors[i];
  return least - std::log(sum) / eta;
}

}  // namespace

AdaHedge::AdaHedge(std::size_t models) : cumulative_(models, 0.0), p_(Simplex::uniform(models)) {}

void AdaHedge::update(std::span<const double> losses) {
  if (p_.size() == 1) return;
  const double eta = std::log(static_cast<double>(p_.size())) / delta_;
  probabilities_.resize(p_.size());
  for (std::size_t i = 0; i < p_.size(); ++i) probabilities_[i] = p_[i];
  const std::span<const double> p = probabilities_;
  double mean = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) mean += p[i] * losses[i];
  delta_ += std::max(0.0, mean - mix_loss(p, losses, eta, scratch_));
  for (std::size_t i = 0; i < losses.size(); ++i) cumulative_[i] += losses[i];
  set_probabilities();
}

void AdaHedge::discount(double factor) {
  for (double& loss : cumulative_) loss *= factor;
  delta_ *= factor;  // eta times the losses, and so p, stays as it is
}

void AdaHedge::share(double amount) {
  if (amount == 0.0 || delta_ == 0.0 || p_.size() == 1) return;
  p_.share(amount);
  delta_ *= 1.0 - amount;
  // Cumulative losses that give the shared p, so that the next round starts from it.
  const double eta = std::log(static_cast<double>(p_.size())) / delta_;
  const auto log_p = p_.log_probabilities();
  for (std::size_t i = 0; i < p_.size(); ++i) cumulative_[i] = -log_p[i] / eta;
}

void AdaHedge::set_probabilities() {
  const double eta = std::log(static_cast<double>(p_.size())) / delta_;
  const double least = *std::min_element(cumulative_.begin(), cumulative_.end());
  scratch_.resize(p_.size());
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    const double behind = cumulative_[i] - least;
    scratch_[i] = behind > 0.0 ? -eta * behind : 0.0;  // avoids 0 * infinity
  }
  p_.set_log_weights(scratch_);
}

void AdaHedge::save(StateWriter& to) const {
  to.numbers(cumulative_);
  to.real(delta_);
  p_.save(to);
}

Status AdaHedge::restore(StateReader& from) {
  from.numbers(cumulative_);
  delta_ = from.real();
  CAUCUS_CHECK(p_.restore(from));
  if (!all_finite(cumulative_)) {
    return from.refuse("a cumulative loss", "expected finite numbers");
  }
  if (!is_amount(delta_)) {
    return from.refuse("the mixing cost " + to_text(delta_), "expected a finite number >= 0");
  }
  return Done{};
}

}  // namespace caucus
