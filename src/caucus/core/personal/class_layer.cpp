#include "caucus/core/personal/class_layer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "caucus/core/losses/classes.hpp"

namespace caucus {
namespace {

enum ClassCandidate : std::size_t { kOfFederation, kOfCorrection, kOfOwnRows, kOfCounts, kOfLast };
constexpr double kOwnRidge = 0.001;
constexpr double kMostCorrected = 10.0;
constexpr double kShareOfPrior = 0.001;  // of the weights, which returns to the prior
constexpr std::array<double, ClassLayer::kCandidates> kPrior = {0.8, 0.1, 0.05, 0.025, 0.025};

}  // namespace

// --- temperature ---

double Temperature::factor() const { return sharpness(squares_ / examples_, classes_); }

void Temperature::probabilities(std::span<const double> outputs, std::span<double> into) const {
  softmax(outputs, corrected_ * factor(), into);
}

void Temperature::observe(std::span<const double> outputs, std::span<const double> probabilities,
                          std::size_t y) {
  double mean = 0.0;
  for (std::size_t c = 0; c < classes_; ++c) mean += probabilities[c] * outputs[c];
  double variance = 0.0;
  for (std::size_t c = 0; c < classes_; ++c) {
    variance += probabilities[c] * (outputs[c] - mean) * (outputs[c] - mean);
  }
  const double error = squared_error(outputs, y);
  if (!(error < RecursiveRidge::kLargest)) return;
  const double usual = factor();
  curvature_ += usual * usual * variance;
  const double step = usual * (mean - outputs[y]) / curvature_;
  corrected_ = std::clamp(corrected_ - step, 1.0 / kMostCorrected, kMostCorrected);
  squares_ += error;
  examples_ += 1.0;
}

void Temperature::save(StateWriter& to) const {
  to.numbers(std::array{squares_, examples_, corrected_, curvature_});
}

Status Temperature::restore(StateReader& from) {
  std::array<double, 4> numbers{};
  from.numbers(std::span<double>(numbers));
  CAUCUS_CHECK(from.status());
  if (!all_amounts(numbers) || numbers[1] < 1.0 || numbers[2] < 1.0 / kMostCorrected ||
      numbers[2] > kMostCorrected || numbers[3] < 1.0) {
    return from.refuse("a temperature");
  }
  squares_ = numbers[0];
  examples_ = numbers[1];
  corrected_ = numbers[2];
  curvature_ = numbers[3];
  return Done{};
}

// --- layer ---

ClassLayer::ClassLayer(std::size_t dimension, std::size_t classes)
    : classes_(classes),
      feature_scale_(1.0 / std::sqrt(std::max(1.0, static_cast<double>(dimension)))),
      own_(dimension + 1, kOwnRidge, 1.0, 2 * classes),
      temperatures_{Temperature(classes), Temperature(classes), Temperature(classes)},
      counts_(classes, 0.0),
      weights_(kPrior),
      features_(dimension + 1, 1.0),
      targets_(2 * classes, 0.0),
      outputs_(3 * classes, 0.0),
      candidates_(kCandidates * classes, 0.0),
      of_own_(own_.new_projection()) {}

void ClassLayer::predict(std::span<const float> x, std::span<const double> outputs,
                         std::optional<double> last, std::span<double> into) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    features_[k] = feature_scale_ * static_cast<double>(x[k]);
  }
  own_.begin(features_, of_own_);
  own_.project(features_.size(), of_own_);
  for (std::size_t c = 0; c < classes_; ++c) {
    const double own = own_.forecast(of_own_, c);
    const double missed = own_.forecast(of_own_, classes_ + c);
    outputs_[2 * classes_ + c] = std::isfinite(own) ? own : 0.0;
    if (outputs.empty()) continue;
    outputs_[c] = outputs[c];
    outputs_[classes_ + c] = outputs[c] + (std::isfinite(missed) ? missed : 0.0);
  }
  const std::size_t first = first_of(outputs);
  for (std::size_t i = first; i <= kOfOwnRows; ++i) {
    temperatures_[i].probabilities(std::span(outputs_).subspan(i * classes_, classes_),
                                   candidate(i));
  }
  const auto all = static_cast<double>(classes_);
  const auto counted = candidate(kOfCounts);
  for (std::size_t c = 0; c < classes_; ++c) counted[c] = (counts_[c] + 1.0 / all) / (rows_ + 1.0);
  const auto after_last = candidate(kOfLast);
  const double again = last ? (repeated_ + 1.0) / (rows_ + 2.0) : 0.0;
  const double other = last ? (1.0 - again) / (1.0 - counted[class_of(*last)]) : 1.0;
  for (std::size_t c = 0; c < classes_; ++c) after_last[c] = other * counted[c];
  if (last) after_last[class_of(*last)] = again;

  double total = 0.0;
  std::fill(into.begin(), into.end(), 0.0);
  for (std::size_t i = first; i < kCandidates; ++i) {
    total += weights_[i];
    for (std::size_t c = 0; c < classes_; ++c) into[c] += weights_[i] * candidate(i)[c];
  }
  for (double& p : into) p /= total;
}

ClassLayer::Losses ClassLayer::observe(std::span<const double> outputs, std::optional<double> last,
                                       std::size_t y) {
  const std::size_t first = first_of(outputs);
  const bool begins = first == 0 && !has_federated_;
  if (begins) {  // the weights of the others are what their probabilities were worth
    has_federated_ = true;
    const double others = std::accumulate(weights_.begin() + kOfOwnRows, weights_.end(), 0.0);
    const double prior = std::accumulate(kPrior.begin() + kOfOwnRows, kPrior.end(), 0.0);
    for (std::size_t i = kOfOwnRows; i < kCandidates; ++i) weights_[i] *= prior / others;
    for (std::size_t i = 0; i < kOfOwnRows; ++i) weights_[i] = kPrior[i];
  }
  double before = 0.0;
  double after = 0.0;
  for (std::size_t i = first; i < kCandidates; ++i) {
    before += weights_[i];
    weights_[i] *= std::max(candidate(i)[y], kLeastProbability);
    after += weights_[i];
  }
  for (std::size_t i = first; i < kCandidates; ++i) weights_[i] *= before / after;
  for (std::size_t i = 0; i < kCandidates; ++i) {
    weights_[i] += kShareOfPrior * (kPrior[i] - weights_[i]);
  }
  Losses losses;
  losses.alone = squared_error(candidate(kOfOwnRows), y);
  const double uniform = 1.0 - 1.0 / static_cast<double>(classes_);
  losses.federated = first == 0 ? squared_error(candidate(kOfFederation), y) : uniform;
  for (std::size_t i = first; i <= kOfOwnRows; ++i) {
    temperatures_[i].observe(std::span(outputs_).subspan(i * classes_, classes_), candidate(i), y);
  }
  for (std::size_t c = 0; c < classes_; ++c) {
    targets_[c] = c == y ? 1.0 : 0.0;
    targets_[classes_ + c] = outputs.empty() ? 0.0 : targets_[c] - outputs[c];
  }
  own_.observe(of_own_, targets_);
  counts_[y] += 1.0;
  rows_ += 1.0;
  if (last && class_of(*last) == y) repeated_ += 1.0;
  return losses;
}

void ClassLayer::save(StateWriter& to) const {
  own_.save(to);
  for (const Temperature& one : temperatures_) one.save(to);
  to.numbers(counts_);
  to.numbers(std::array{rows_, repeated_});
  to.flag(has_federated_);
  to.numbers(weights_);
}

Status ClassLayer::restore(StateReader& from) {
  CAUCUS_CHECK(own_.restore(from));
  for (Temperature& one : temperatures_) CAUCUS_CHECK(one.restore(from));
  from.numbers(counts_);
  std::array<double, 2> rows{};
  from.numbers(std::span<double>(rows));
  has_federated_ = from.flag();
  from.numbers(std::span<double>(weights_));
  CAUCUS_CHECK(from.status());
  rows_ = rows[0];
  repeated_ = rows[1];
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  if (!all_amounts(counts_) || !all_amounts(rows) || !all_amounts(weights_) ||
      !(std::abs(sum - 1.0) < 1e-6)) {
    return from.refuse("the counts or weights of classes");
  }
  return Done{};
}

}  // namespace caucus
