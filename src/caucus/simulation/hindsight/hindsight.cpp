#include "caucus/simulation/hindsight/hindsight.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "caucus/core/mirror/region.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {
namespace {

/// Computes the best losses of spaces that have the same features, or of experts.
void add_best_losses(const FeatureMaps& maps, const std::vector<std::size_t>& spaces,
                     const Loss& loss, const PartitionedData& data,
                     std::span<const std::size_t> rounds, BestLosses& best) {
  const std::size_t first = spaces.front();
  const bool expert = maps.space(first).kind == SpaceKind::expert;
  const bool squared = !expert && std::holds_alternative<SquareLoss>(loss.kind());
  FeatureMaps::Workspace workspace(maps);
  std::vector<Region> regions;
  regions.reserve(spaces.size());
  for (const std::size_t i : spaces) regions.push_back(region_of(maps.space(i)));
  std::vector<double> sums(spaces.size(), 0.0);              // of experts
  GramComparator gram(squared ? maps.dimension(first) : 0);  // of the square loss
  std::vector<float> z, y;                                   // of other losses

  const auto add = [&](const Example& example) {
    workspace.begin(example.x);
    for (std::size_t s = 0; expert && s < spaces.size(); ++s) {
      sums[s] +=
          loss.value(loss.prediction_of(maps.expert_forecast(spaces[s], workspace)), example.y);
    }
    if (expert) return;
    const auto features = maps.features(first, workspace);
    if (squared) {
      gram.add(features, example.y);
    } else {
      z.insert(z.end(), features.begin(), features.end());
      y.push_back(static_cast<float>(example.y));
    }
  };
  const auto fits = [&] {
    if (squared) return gram.best(regions);
    std::vector<BestFit> found;
    for (std::size_t s = 0; s < spaces.size(); ++s) {
      found.push_back(expert ? BestFit{sums[s], 0.0, {}}
                             : best_in_hindsight(loss, {z, maps.dimension(first), y}, regions[s]));
    }
    return found;
  };
  std::size_t t = 0;
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    for (; t < rounds[k]; ++t) {
      for (std::size_t j = 0; j < data.clients(); ++j) {
        if (t >= data.rounds(j)) continue;
        if (expert && data.asks()) data.ask_all(j, t);
        add(data.example(j, t));
      }
    }
    const auto found = fits();
    for (std::size_t s = 0; s < spaces.size(); ++s) {
      best.at[k][spaces[s]] = found[s].loss;
      best.gap[spaces[s]] = found[s].gap;  // the value at the last round remains
    }
  }
}

/// Returns n times the entropy of the classes, which is the logistic loss of the log-odds.
double class_entropy(std::span<const float> y) {
  const auto n = static_cast<double>(y.size());
  const auto positive =
      static_cast<double>(std::ranges::count_if(y, [](float t) { return t > 0; }));
  const auto part = [&](double count) { return count > 0.0 ? count * std::log(n / count) : 0.0; };
  return part(positive) + part(n - positive);
}

/// Returns the sum of the squared errors of the shares of the classes as probabilities.
double squared_error_of_shares(std::size_t classes, std::span<const float> y) {
  std::vector<double> counts(classes, 0.0);
  for (const float target : y) counts[static_cast<std::size_t>(target)] += 1.0;
  const auto n = static_cast<double>(y.size());
  double squares = 0.0;
  for (const double count : counts) squares += count / n * count;
  return n - squares;
}

/// Returns an interval that contains the best constant. For most losses it lies between the
/// targets; for the hinge loss v y = 1, and for the linear loss, which has no minimum, |v| <= 1.
double largest_constant(const Loss& loss, std::span<const float> y) {
  const bool has_margin = std::holds_alternative<HingeLoss>(loss.kind()) ||
                          std::holds_alternative<LinearLoss>(loss.kind());
  double bound = has_margin ? 1.0 : 0.0;
  for (const float t : y) bound = std::max(bound, std::abs(static_cast<double>(t)));
  return bound;
}

}  // namespace

BestLosses best_losses(const FeatureMaps& maps, const Loss& loss, const PartitionedData& data,
                       std::span<const std::size_t> rounds) {
  BestLosses best{std::vector(rounds.size(), std::vector<double>(maps.size(), 0.0)),
                  std::vector<double>(maps.size(), 0.0)};
  for (std::size_t map = 0; map < maps.map_count(); ++map) {
    std::vector<std::size_t> spaces;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (maps.map_of(i) == map) spaces.push_back(i);
    }
    add_best_losses(maps, spaces, loss, data, rounds, best);
  }
  return best;
}

double best_constant_loss(const Loss& loss, std::span<const float> y) {
  if (y.empty()) return 0.0;
  if (std::holds_alternative<LogisticLoss>(loss.kind())) return class_entropy(y);
  if (loss.has_classes()) return squared_error_of_shares(loss.classes(), y);
  const double bound = largest_constant(loss, y);
  const auto sum = [&](const auto& term) {
    double total = 0.0;
    for (const float t : y) total += term(static_cast<double>(t));
    return total;
  };
  const auto value = [&](double c) { return sum([&](double t) { return loss.value(c, t); }); };
  // The sum of derivatives is a subgradient of a convex function, so bisection by its sign is
  // valid.
  double low = -bound;
  double high = bound;
  for (int halving = 0; halving < 64; ++halving) {
    const double middle = 0.5 * (low + high);
    const double slope = sum([&](double t) { return loss.derivative(middle, t); });
    if (slope == 0.0) return value(middle);
    (slope > 0.0 ? high : low) = middle;
  }
  return std::min(value(low), value(high));
}

}  // namespace caucus
