#include "caucus/reproduce/tuning.hpp"

#include <algorithm>
#include <utility>

#include "caucus/algorithms/any_algorithm.hpp"

namespace caucus::reproduce {
namespace {

constexpr std::uint32_t kTuningRepetitions = 1000;  // the reported ones count from 0
constexpr std::size_t kFinalists = 5;

GridRepetitions second_stage(const Options& given) {
  return {kTuningRepetitions + 100, given.quick ? 0U : 12U};
}

/// A grid during tuning, with the remaining settings, the best first.
struct Candidates {
  const Grid* grid = nullptr;
  std::vector<std::size_t> left;
  std::size_t diverging = 0;
};

double step_length(const GridSetting& setting) {
  const ExperimentOptions& options = setting.options;
  return is_baseline(options.algorithms.front()) ? options.rates.model_rate
                                                 : options.constants.lambda;
}

std::vector<std::size_t> finalists(const Candidates& of, std::span<const GridScore> scores) {
  std::vector<std::size_t> kept;
  for (const std::size_t s : best_settings(scores, kFinalists)) kept.push_back(of.left[s]);
  return kept;
}

/// Keeps the setting with the shortest steps among those that are practically the best.
std::vector<std::size_t> winner(const Candidates& of, std::span<const GridScore> scores) {
  constexpr double kCaution = 1.0;
  constexpr double kPractically = 1.03;
  const auto ranked = best_settings(scores, scores.size(), kCaution);
  if (ranked.empty()) return {};
  const double most = kPractically * cautious_mse(scores[ranked.front()], kCaution);
  std::size_t best = ranked.front();
  for (const std::size_t s : ranked) {
    const bool shorter =
        step_length((*of.grid)[of.left[s]]) < step_length((*of.grid)[of.left[best]]);
    if (shorter && cautious_mse(scores[s], kCaution) <= most) best = s;
  }
  return {of.left[best]};
}

using Choose = std::vector<std::size_t> (*)(const Candidates&, std::span<const GridScore>);

/// Runs the remaining settings of every grid and keeps those that `choose` selects.
Status narrow(const Dataset& data, GridRepetitions repetitions, const Options& given, Choose choose,
              std::vector<Candidates>& all, Progress& progress) {
  std::vector<GridSetting> settings;
  for (const Candidates& each : all) {
    if (each.left.size() < 2) continue;
    for (const std::size_t s : each.left) settings.push_back((*each.grid)[s]);
  }
  if (settings.empty() || repetitions.count == 0) return Done{};
  CAUCUS_TRY(const auto scores, play_grid(data, settings, repetitions, given.threads, progress));
  std::size_t begin = 0;
  for (Candidates& each : all) {
    if (each.left.size() < 2) continue;
    const auto own = std::span(scores).subspan(begin, each.left.size());
    begin += own.size();
    for (const GridScore& score : own) {
      each.diverging += static_cast<std::size_t>(score.diverged > 0);
    }
    auto kept = choose(each, own);
    if (kept.empty()) kept.push_back(each.left.front());  // all diverged, and the report shows it
    each.left = std::move(kept);
  }
  return Done{};
}

}  // namespace

GridRepetitions tuning_repetitions(const Options& given) {
  return {kTuningRepetitions, given.quick ? 1U : 3U};
}

Result<std::vector<Tuned>> tune(const Dataset& data, std::span<const Grid> grids,
                                const Options& given, Progress& progress) {
  std::vector<Candidates> all;
  for (const Grid& grid : grids) {
    Candidates& each = all.emplace_back(Candidates{&grid, {}, 0});
    for (std::size_t s = 0; s < grid.size(); ++s) each.left.push_back(s);
  }
  CAUCUS_CHECK(narrow(data, tuning_repetitions(given), given, finalists, all, progress));
  CAUCUS_CHECK(narrow(data, second_stage(given), given, winner, all, progress));
  std::vector<Tuned> tuned;
  tuned.reserve(all.size());
  for (const Candidates& each : all) tuned.push_back({each.left.front(), each.diverging});
  return tuned;
}

std::size_t tuning_examples(const Dataset& data, const Grid& grid, const Options& given) {
  if (grid.size() < 2) return 0;
  const auto last = std::span(grid).first(std::min(kFinalists, grid.size()));
  return grid_examples(data, grid, tuning_repetitions(given)) +
         grid_examples(data, last, second_stage(given));
}

}  // namespace caucus::reproduce
