#include "caucus/engine/recent_forecasts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace caucus {
namespace {

constexpr double kWindow = 0.2;  ///< the least share of a client's examples that are compared

bool is_enough(const ForecastSums& sums, std::uint64_t total) {
  return sums.examples >= kWindow * static_cast<double>(total);
}

}  // namespace

std::optional<double> best_constant(const Loss& loss, double mean, double square) {
  const double share = std::clamp(0.5 * (1.0 + mean), 0.0, 1.0);  // of the class 1
  const auto entropy = [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; };
  if (std::holds_alternative<SquareLoss>(loss.kind())) return std::max(0.0, square - mean * mean);
  if (std::holds_alternative<LogisticLoss>(loss.kind())) {
    return entropy(share) + entropy(1.0 - share);
  }
  if (!loss.is_classification()) return {};
  return 2.0 * std::min(share, 1.0 - share);  // of the hinge loss, by the constant -1 or 1
}

void ForecastSums::add(const ForecastSums& other) {
  examples += other.examples;
  targets += other.targets;
  squared_targets += other.squared_targets;
  loss += other.loss;
  squared_error += other.squared_error;
  compared += other.compared;
  federated += other.federated;
  federated_squares += other.federated_squares;
}

void RecentForecasts::add(const ForecastSums& batch, std::uint64_t all) {
  if (batch.examples > 0.0) {
    if (is_enough(latest, total)) previous = std::exchange(latest, {});
    total += static_cast<std::uint64_t>(batch.examples);
    reported = all;
  }
  latest.add(batch);
}

std::optional<ForecastScore> RecentForecasts::score(const Loss& loss, std::uint64_t all) const {
  ForecastSums sums = latest;
  if (!is_enough(latest, total)) sums.add(previous);
  if (sums.examples == 0.0 || std::holds_alternative<LinearLoss>(loss.kind()) || loss.has_classes())
    return {};
  const bool personal = sums.compared > 0.0;
  const double forecasts = personal ? sums.compared : sums.examples;
  const double squares = personal ? sums.federated_squares : sums.squared_error;
  constexpr double kRounding = 1e-9;
  if (std::abs(squares - sums.squared_targets) <= kRounding * sums.squared_targets) return {};
  const double mean = sums.targets / sums.examples;
  const bool classes = loss.is_classification();
  const double sum = !classes ? squares : personal ? sums.federated : sums.loss;
  const double square = sums.squared_targets / sums.examples;
  return ForecastScore{static_cast<std::uint64_t>(sums.examples), sum / forecasts,
                       *best_constant(classes ? loss : Loss(SquareLoss{}), mean, square),
                       all - reported};
}

}  // namespace caucus
