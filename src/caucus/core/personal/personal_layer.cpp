#include "caucus/core/personal/personal_layer.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "caucus/core/losses/classes.hpp"

namespace caucus {
namespace {

enum Candidate : std::size_t {
  kFederated,
  kOffset,
  kRescaled,
  kCorrected,
  kAlone,  // this candidate and those after it do not use the federated forecast
  kRecent,
  kRecentAndLast,
  kPersistence,
};
constexpr std::array<std::string_view, PersonalLayer::kCandidates> kNames = {
    "federated", "offset", "rescaled",        "corrected",
    "alone",     "recent", "recent_and_last", "persistence"};
constexpr std::size_t kCorrectors = kAlone - kOffset;
constexpr std::size_t kLocals = PersonalLayer::kCandidates - kAlone;

// The constants were chosen by measurement; they matter little within a factor of 2.
constexpr double kFederatedPrior = 0.8;
constexpr double kFederatedPriorAfterChange = 0.5;
constexpr double kCostAfterChange = 4.0;  // in recent losses: a false alarm should cost little
constexpr double kReliance = 0.5;
constexpr std::uint64_t kTogether = 50;  // examples between two signs of one change
// A client with fewer rows of its own knows next to nothing: it trusts the federated forecasts,
// and one round moves its weights little.
constexpr std::uint64_t kFewRows = 10;
constexpr double kFederatedPriorOfFewRows = 0.94;
constexpr double kCostOfFewRows = 0.1;  // as a part of the squared range of the targets
constexpr double kAlonePrior = 0.75;    // before there are federated forecasts
constexpr double kForgetting = 0.98;
constexpr double kLossMemory = 0.8;
constexpr double kOffsetRidge = 1.0;
constexpr double kMargin = 0.1;      // beyond the range of the targets, as a part of it
constexpr double kAloneReach = 1.5;  // of the largest target

RecursiveRidge new_alone(std::size_t dimension) { return {dimension + 1, 0.001}; }
RecursiveRidge new_recent(std::size_t dimension) { return {dimension + 3, 0.03, kForgetting, 2}; }
RecursiveRidge new_rescaled() { return {3, 0.1, kForgetting}; }

std::vector<double> local_prior() {
  std::vector<double> prior(PersonalLayer::kCandidates, 0.0);
  std::fill(prior.begin() + kAlone, prior.end(), (1.0 - kAlonePrior) / (kLocals - 1));
  prior[kAlone] = kAlonePrior;
  return prior;
}

void write_optional(StateWriter& to, const std::optional<double>& value) {
  to.flag(value.has_value());
  to.real(value.value_or(0.0));
}
/// Returns the last target of two classes as an index.
std::optional<double> last_class(const PersonalForecast& forecast) {
  if (!forecast.last_target) return {};
  return *forecast.last_target > 0.0 ? 1.0 : 0.0;
}

std::optional<double> read_optional(StateReader& from) {
  const bool has = from.flag();
  const double value = from.real();
  return has ? std::optional(value) : std::nullopt;
}

}  // namespace

PersonalLayer::PersonalLayer(std::size_t dimension, const Loss& loss)
    : loss_(loss),
      passes_through_(loss.is_classification() || loss.has_classes() ||
                      std::holds_alternative<LinearLoss>(loss.kind())),
      feature_scale_(1.0 / std::sqrt(std::max(1.0, static_cast<double>(dimension)))),
      alone_(new_alone(passes_through_ ? 0 : dimension)),
      recent_(new_recent(passes_through_ ? 0 : dimension)),
      rescaled_(new_rescaled()),
      hedge_(local_prior()),
      features_(dimension + 3, 0.0),
      of_alone_(alone_.new_projection()),
      of_recent_(recent_.new_projection()),
      of_rescaled_(rescaled_.new_projection()) {
  last_.x.resize(dimension);
  if (loss.is_classification()) own_classes_.emplace(dimension, 2);
  if (loss.has_classes()) classes_.emplace(dimension, loss.classes());
}

double PersonalLayer::largest_forecast(double target, double federated) {
  return std::max(kAloneReach * target, federated) + kMargin * 2.0 * target;
}

double PersonalLayer::predict(std::span<const float> x, std::optional<double> federated) {
  assert(x.size() == last_.x.size());
  std::copy(x.begin(), x.end(), last_.x.begin());
  last_.federated = federated && std::isfinite(*federated) ? federated : std::nullopt;
  last_.last_target = last_target_;
  prepare(last_);
  last_.given = mixture(last_);
  prepared_ = awaits_target_ = true;
  return last_.given;
}

void PersonalLayer::predict(std::span<const float> x, std::span<const double> outputs,
                            std::span<double> into) {
  assert(classes_ && x.size() == last_.x.size() && into.size() == loss_.classes());
  std::copy(x.begin(), x.end(), last_.x.begin());
  last_.outputs.assign(outputs.begin(), outputs.end());
  last_.last_target = last_target_;
  classes_->predict(x, outputs, last_target_, into);
  last_.probabilities.assign(into.begin(), into.end());
  prepared_ = awaits_target_ = true;
}

void PersonalLayer::observe(double y) {
  assert(awaits_target_);
  if (awaits_target_) observe(last_, y);
  awaits_target_ = false;
}

void PersonalLayer::observe(const PersonalForecast& forecast, double y) {
  assert(forecast.x.size() == last_.x.size());
  if (!(std::abs(y) <= RecursiveRidge::kLargest)) return;
  if (classes_) return observe_class(forecast, class_of(y));
  if (&forecast != &last_ || !prepared_) prepare(forecast);
  prepared_ = false;

  if (forecast.federated) {
    own_classes_.reset();
  } else if (own_classes_) {
    own_classes_->observe({}, last_class(forecast), y > 0.0 ? 1 : 0);
  }
  ++observed_;
  ++record_.examples;
  const double federated = forecast.federated.value_or(0.0);
  record_.given += loss_.value(forecast.given, y);
  record_.federated += loss_.value(federated, y);
  record_.federated_squares += (federated - y) * (federated - y);
  record_.persistence += loss_.value(forecast.last_target.value_or(0.0), y);
  record_.alone += loss_.value(candidates_[kAlone], y);
  if (!passes_through_) {
    reweigh(forecast, y);
    learn(forecast, y);
  }
  least_ = observed_ == 1 ? y : std::min(least_, y);
  largest_ = observed_ == 1 ? y : std::max(largest_, y);
  last_target_ = y;
  if (!passes_through_ && alone_detector_.add(std::abs(candidates_[kAlone] - y))) {
    alone_worse_at_ = observed_;
  }
  if (forecast.federated) notice_change(federated, y);
  // A regression that is worse by itself has seen rare rows; the others follow changes anyway.
  const auto is_recent = [&](std::uint64_t at) { return at > 0 && observed_ - at < kTogether; };
  if (is_recent(alone_worse_at_) && is_recent(worse_at_)) {
    alone_ = new_alone(last_.x.size());
    alone_worse_at_ = 0;
  }
}

void PersonalLayer::observe_class(const PersonalForecast& forecast, std::size_t y) {
  if (&forecast != &last_ || !prepared_) {
    repeated_.resize(loss_.classes());
    classes_->predict(forecast.x, forecast.outputs, forecast.last_target, repeated_);
  }
  prepared_ = false;
  const auto losses = classes_->observe(forecast.outputs, forecast.last_target, y);
  const bool repeats = forecast.last_target && class_of(*forecast.last_target) == y;
  ++observed_;
  ++record_.examples;
  record_.given += squared_error(forecast.probabilities, y);
  record_.federated += losses.federated;
  record_.federated_squares += losses.federated;
  record_.alone += losses.alone;
  record_.persistence += repeats ? 0.0 : 2.0;
  last_target_ = static_cast<double>(y);
  if (!forecast.outputs.empty() && detector_.add(losses.federated)) has_change_ = true;
}

void PersonalLayer::notice_change(double federated, double y) {
  // For classes the difference between forecast and target says nothing.
  const double error =
      loss_.is_classification() ? loss_.value(federated, y) : std::abs(federated - y);
  if (!detector_.add(error)) return;
  has_change_ = true;
  worse_at_ = observed_;
  if (!passes_through_) restart();
}

void PersonalLayer::restart() {
  const auto weights = hedge_.weights();
  const bool relies =
      std::accumulate(weights.begin(), weights.begin() + kRescaled, 0.0) > kReliance;
  if (!relies) return;
  recent_ = new_recent(last_.x.size());
  rescaled_ = new_rescaled();
  residuals_ = corrected_ = 0.0;
  Numbers prior{};
  prior[kFederated] = kFederatedPriorAfterChange;
  const double others = 0.5 * (1.0 - prior[kFederated]);
  std::fill(prior.begin() + kOffset, prior.begin() + kAlone, others / kCorrectors);
  std::fill(prior.begin() + kAlone, prior.end(), others / kLocals);
  Numbers losses{};  // of the last example: the federated forecast begins behind
  for (std::size_t i = 0; i < kCandidates; ++i) {
    losses[i] = loss_.value(candidates_[i], *last_target_);
  }
  hedge_.restart(prior, losses, kCostAfterChange * recent_loss_ / recent_count_);
}

double PersonalLayer::own_score(const PersonalForecast& forecast) {
  if (!own_classes_) return 0.0;
  std::array<double, 2> p{};
  own_classes_->predict(forecast.x, {}, last_class(forecast), p);
  const double log_odds = std::log(p[1] / p[0]);
  return std::holds_alternative<HingeLoss>(loss_.kind()) ? std::clamp(log_odds, -1.0, 1.0)
                                                         : log_odds;
}

void PersonalLayer::prepare(const PersonalForecast& forecast) {
  const std::size_t d = forecast.x.size();
  if (passes_through_) {
    return candidates_.fill(forecast.federated ? *forecast.federated : own_score(forecast));
  }
  for (std::size_t k = 0; k < d; ++k) {
    features_[k] = feature_scale_ * static_cast<double>(forecast.x[k]);
  }
  const double last = forecast.last_target.value_or(0.0);
  features_[d] = 1.0;
  features_[d + 1] = last;

  const std::span<const double> features = features_;
  alone_.begin(features.first(d + 1), of_alone_);
  alone_.project(d + 1, of_alone_);
  const double margin = kMargin * (largest_ - least_);
  candidates_[kAlone] = alone_.forecast(of_alone_);
  if (!std::isfinite(candidates_[kAlone])) candidates_[kAlone] = 0.0;
  if (observed_ > 0) {
    const double most = kAloneReach * std::max(std::abs(least_), std::abs(largest_));
    candidates_[kAlone] = std::clamp(candidates_[kAlone], -most, most);
  }

  // Before there are federated forecasts recent_ learns to correct that of the client alone.
  basis_ = forecast.federated.value_or(candidates_[kAlone]);
  features_[d + 2] = basis_;
  recent_.begin(features, of_recent_);
  recent_.project(d + 1, of_recent_);
  candidates_[kRecent] = recent_.forecast(of_recent_);
  recent_.project(d + 2, of_recent_);
  candidates_[kRecentAndLast] = recent_.forecast(of_recent_);
  recent_.project(d + 3, of_recent_);
  candidates_[kCorrected] = basis_ + recent_.forecast(of_recent_, 1);

  candidates_[kOffset] = basis_ + residuals_ / (corrected_ + kOffsetRidge);
  rescaled_.begin(features.subspan(d, 3), of_rescaled_);
  rescaled_.project(3, of_rescaled_);
  candidates_[kRescaled] = basis_ + rescaled_.forecast(of_rescaled_);
  candidates_[kPersistence] = last;

  candidates_[kFederated] = basis_;
  const double low = std::min(least_, basis_) - margin;
  const double high = std::max(largest_, basis_) + margin;
  for (std::size_t i = kOffset; i < kCandidates; ++i) {
    if (!std::isfinite(candidates_[i])) candidates_[i] = basis_;
    if (observed_ > 0) candidates_[i] = std::clamp(candidates_[i], low, high);
  }
}

double PersonalLayer::mixture(const PersonalForecast& forecast) const {
  if (passes_through_) return candidates_[kFederated];
  // Without a federated forecast there is nothing to correct.
  const auto weights = hedge_.weights();
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t i = forecast.federated ? kFederated : kAlone; i < kCandidates; ++i) {
    sum += weights[i] * candidates_[i];
    total += weights[i];
  }
  if (!(total > 0.0)) return candidates_[kAlone];
  sum /= total;
  if (has_federated_ || !forecast.federated) return sum;
  // Nothing is known yet about the first federated forecast, and little about the others.
  if (observed_ < kFewRows) return *forecast.federated;
  const double margin = kMargin * (largest_ - least_);
  return 0.5 * (sum + std::clamp(*forecast.federated, least_ - margin, largest_ + margin));
}

void PersonalLayer::reweigh(const PersonalForecast& forecast, double y) {
  Numbers losses{};
  for (std::size_t i = 0; i < kCandidates; ++i) losses[i] = loss_.value(candidates_[i], y);
  const bool first = observed_ == 1;
  if (!first || forecast.federated) {
    recent_loss_ = kLossMemory * recent_loss_ + loss_.value(forecast.given, y);
    recent_count_ = kLossMemory * recent_count_ + 1.0;
  }
  if (forecast.federated && !has_federated_) {
    // The other forecasts have shown how large losses are, so that one round says much.
    has_federated_ = true;
    Numbers prior{};
    prior[kFederated] = observed_ <= kFewRows ? kFederatedPriorOfFewRows : kFederatedPrior;
    const double others = 0.5 * (1.0 - prior[kFederated]);  // of the correctors, and of the locals
    for (std::size_t i = kOffset; i < kAlone; ++i) prior[i] = others / kCorrectors;
    for (std::size_t i = kAlone; i < kCandidates; ++i) {
      prior[i] = others * 0.5 * (hedge_.weights()[i] + 1.0 / kLocals);
    }
    hedge_.restart(prior, losses, std::max(recent_loss_ / recent_count_, least_cost()));
  } else if (observed_ == 2 && !has_federated_) {
    hedge_.restart(local_prior(), losses, recent_loss_ / recent_count_);
  } else if (!first && has_federated_ == forecast.federated.has_value()) {
    if (has_federated_) hedge_.raise_cost(least_cost());
    hedge_.update(losses);
  }
}

double PersonalLayer::least_cost() const {
  const double range = largest_ - least_;
  return observed_ <= kFewRows ? kCostOfFewRows * range * range : 0.0;
}

void PersonalLayer::learn(const PersonalForecast& forecast, double y) {
  const double residual = y - basis_;
  alone_.observe(of_alone_, y);
  if (forecast.federated || !has_federated_) recent_.observe(of_recent_, std::array{y, residual});
  if (!forecast.federated) return;
  rescaled_.observe(of_rescaled_, residual);
  if (!(std::abs(residual) <= RecursiveRidge::kLargest)) return;
  residuals_ += residual;
  corrected_ += 1.0;
}

std::array<PersonalLayer::Weight, PersonalLayer::kCandidates> PersonalLayer::weights() const {
  std::array<Weight, kCandidates> weights{};
  for (std::size_t i = 0; i < kCandidates; ++i) {
    const double plain = i == kFederated ? 1.0 : 0.0;
    weights[i] = {kNames[i], passes_through_ ? plain : hedge_.weights()[i]};
  }
  return weights;
}

void PersonalLayer::save(StateWriter& to) const {
  to.text("personal layer 3");
  alone_.save(to);
  recent_.save(to);
  rescaled_.save(to);
  hedge_.save(to);
  detector_.save(to);
  alone_detector_.save(to);
  to.u64(worse_at_);
  to.u64(alone_worse_at_);
  to.flag(has_change_);
  to.flag(has_federated_);
  write_optional(to, last_target_);
  to.u64(observed_);
  to.numbers(std::array{least_, largest_, recent_loss_, recent_count_});
  to.u64(record_.examples);
  to.numbers(std::array{record_.given, record_.federated, record_.alone, record_.persistence,
                        record_.federated_squares, residuals_, corrected_});
  to.flag(awaits_target_);
  to.numbers(last_.x);
  write_optional(to, last_.federated);
  write_optional(to, last_.last_target);
  to.real(last_.given);
  if (classes_) classes_->save(to);
  if (!loss_.is_classification()) return;
  to.flag(own_classes_.has_value());
  if (own_classes_) own_classes_->save(to);
}

Status PersonalLayer::restore(StateReader& from) {
  from.expect("personal layer 3");
  CAUCUS_CHECK(alone_.restore(from));
  CAUCUS_CHECK(recent_.restore(from));
  CAUCUS_CHECK(rescaled_.restore(from));
  CAUCUS_CHECK(hedge_.restore(from));
  CAUCUS_CHECK(detector_.restore(from));
  CAUCUS_CHECK(alone_detector_.restore(from));
  worse_at_ = from.u64();
  alone_worse_at_ = from.u64();
  has_change_ = from.flag();
  has_federated_ = from.flag();
  last_target_ = read_optional(from);
  observed_ = from.u64();
  std::array<double, 4> numbers{};
  from.numbers(std::span<double>(numbers));
  least_ = numbers[0];
  largest_ = numbers[1];
  recent_loss_ = numbers[2];
  recent_count_ = numbers[3];
  record_.examples = from.u64();
  std::array<double, 7> sums{};
  from.numbers(std::span<double>(sums));
  record_.given = sums[0];
  record_.federated = sums[1];
  record_.alone = sums[2];
  record_.persistence = sums[3];
  record_.federated_squares = sums[4];
  residuals_ = sums[5];
  corrected_ = sums[6];
  awaits_target_ = from.flag();
  from.numbers(last_.x);
  last_.federated = read_optional(from);
  last_.last_target = read_optional(from);
  last_.given = from.real();
  prepared_ = false;
  CAUCUS_CHECK(from.status());
  if (loss_.is_classification()) {
    if (!from.flag()) own_classes_.reset();
    if (own_classes_) CAUCUS_CHECK(own_classes_->restore(from));
  }
  if (classes_) {
    CAUCUS_CHECK(classes_->restore(from));
    awaits_target_ = false;
    if (last_target_ &&
        !(*last_target_ >= 0.0 && *last_target_ < static_cast<double>(loss_.classes()))) {
      return from.refuse("the last class");
    }
  }
  const std::array others = {last_.given, last_.federated.value_or(0.0),
                             last_.last_target.value_or(0.0), last_target_.value_or(0.0)};
  if (!all_finite(numbers) || !all_finite(sums) || !all_finite(others) || !all_finite(last_.x)) {
    return from.refuse("a number of the personal layer", "expected finite numbers");
  }
  const bool possible =
      -RecursiveRidge::kLargest <= least_ && least_ <= largest_ &&
      largest_ <= RecursiveRidge::kLargest && is_amount(recent_loss_) && is_amount(recent_count_) &&
      is_amount(corrected_) && last_target_.has_value() == (observed_ > 0) &&
      record_.examples <= observed_ && worse_at_ <= observed_ && alone_worse_at_ <= observed_;
  if (!possible) return from.refuse("the targets or losses", "expected those of a personal layer");
  return Done{};
}

}  // namespace caucus
