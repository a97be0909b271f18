#include "caucus/simulation/grid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "caucus/engine/example_source.hpp"
#include "caucus/engine/parallel.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/simulation/repetition.hpp"

namespace caucus {
namespace {

/// The examples of one repetition with their precomputed features, for many runs on the same
/// examples: computing random features costs more than learning from them. It is an ExampleSource
/// for FeatureMaps::ready() of the same maps.
class ReadyExamples {
 public:
  ReadyExamples(const FeatureMaps& maps, const Dataset& data, const Partition& partition)
      : width_(maps.expanded_size()), x_(partition.used() * width_) {
    y_.reserve(partition.used());
    FeatureMaps::Workspace workspace(maps);
    for (std::size_t j = 0; j < partition.clients(); ++j) {
      for (const std::uint32_t row : partition.rows_of(j)) {
        workspace.begin(data.x(row));
        maps.expand(workspace, std::span(x_).subspan(y_.size() * width_, width_));
        y_.push_back(static_cast<double>(data.y(row)));
      }
      begin_.push_back(y_.size());
    }
  }

  [[nodiscard]] std::size_t clients() const { return begin_.size() - 1; }
  [[nodiscard]] std::size_t rounds(std::size_t client) const {
    return begin_[client + 1] - begin_[client];
  }
  [[nodiscard]] Example example(std::size_t client, std::size_t round) const {
    const std::size_t place = begin_[client] + round;
    return {std::span(x_).subspan(place * width_, width_), y_[place]};
  }

 private:
  std::size_t width_;
  std::vector<std::size_t> begin_{0};  ///< the first example of each client
  std::vector<float> x_;
  std::vector<double> y_;
};

/// The data that all settings share in one repetition. The first setting creates them, and the last
/// one releases them.
struct SharedRepetition {
  std::once_flag once;
  Status prepared = Done{};
  std::optional<Partition> partition;
  std::optional<FeatureMaps> maps;  ///< of the first setting; they compute features
  std::optional<ReadyExamples> examples;
  std::atomic<std::size_t> users{0};
};

Result<FeatureMaps> maps_of(const Dataset& data, const ExperimentOptions& options,
                            std::uint32_t repetition) {
  CAUCUS_TRY(Plan plan, make_plan(options, {data.features(), data.experts()}, repetition));
  return std::move(plan.maps);
}

Status share(const Dataset& data, const ExperimentOptions& options, std::uint32_t repetition,
             SharedRepetition& shared) {
  CAUCUS_TRY(shared.partition,
             make_partition(options.partition, data, options.clients, options.seed, repetition));
  CAUCUS_TRY(shared.maps, maps_of(data, options, repetition));
  shared.examples.emplace(*shared.maps, data, *shared.partition);
  return Done{};
}

AnyAlgorithm algorithm_of(const GridSetting& setting, const AnySettings& settings,
                          std::size_t clients) {
  if (setting.variant == PofMklVariant::as_published) {
    return PofMkl(std::get<std::shared_ptr<const BaselineSettings>>(settings), setting.variant);
  }
  return make_algorithm(setting.options.algorithms.front(), settings, clients);
}

struct Played {
  bool diverged = false;
  double mse = 0.0, loss = 0.0, seconds = 0.0, worst_client = 0.0;
  double upload = 0.0, download = 0.0;
};

Played measured(const RepetitionResult& result, const ReadyExamples& examples) {
  const Telemetry& t = result.telemetry;
  const auto n = static_cast<double>(t.forecasts);
  double worst = 0.0;
  for (std::size_t j = 0; j < examples.clients(); ++j) {
    if (examples.rounds(j) == 0) continue;
    worst = std::max(worst, t.loss_of_client[j] / static_cast<double>(examples.rounds(j)));
  }
  return {.diverged = t.diverged(),
          .mse = t.squared_error / n,
          .loss = t.loss / n,
          .seconds = result.seconds,
          .worst_client = worst,
          .upload = static_cast<double>(t.upload_bits) / n,
          .download = static_cast<double>(t.download_bits) / n};
}

Result<Played> play(const Dataset& data, const GridSetting& setting, std::uint32_t repetition,
                    const SharedRepetition& shared, Progress& progress) {
  const ExperimentOptions& options = setting.options;
  CAUCUS_TRY(const FeatureMaps maps, maps_of(data, options, repetition));
  if (!maps.same_features(*shared.maps)) {
    return usage_error("grid", "'" + setting.label + "' has other features than the first setting",
                       "expected spaces that differ in radius only");
  }
  const auto plan = std::make_shared<const Plan>(Plan{maps.ready(), options.loss});
  CAUCUS_TRY(const PreparedRun prepared,
             prepare(options.algorithms.front(), plan, make_constants(data.scaling(), options),
                     rounds_of(*shared.partition), options, repetition));
  const auto result =
      play_repetition(algorithm_of(setting, prepared.settings, prepared.length.clients),
                      RepetitionInput<ReadyExamples>{options.loss,
                                                     *shared.examples,
                                                     prepared.length,
                                                     prepared.uploads,
                                                     {options.dropout, options.seed, repetition},
                                                     {},
                                                     progress.done,
                                                     1,
                                                     options.mode == Mode::asynchronous});
  return measured(result, *shared.examples);
}

GridScore score_of(std::span<const Result<Played>> repetitions) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double share = 1.0 / static_cast<double>(repetitions.size());
  GridScore score;
  for (const Result<Played>& repetition : repetitions) {
    const Played& played = *repetition;
    score.diverged += static_cast<std::size_t>(played.diverged);
    score.mse.push_back(played.diverged ? kNone : played.mse);
    score.loss.push_back(played.diverged ? kNone : played.loss);
    score.worst_client.push_back(played.diverged ? kNone : played.worst_client);
    score.seconds.push_back(played.seconds);
    score.upload_bits_per_client_round += share * played.upload;
    score.download_bits_per_client_round += share * played.download;
  }
  return score;
}

Status validate(std::span<const GridSetting> settings) {
  for (const GridSetting& setting : settings) {
    CAUCUS_CHECK(setting.options.validate());
    const ExperimentOptions& first = settings.front().options;
    const ExperimentOptions& other = setting.options;
    if (other.algorithms.size() != 1 || other.seed != first.seed ||
        other.clients != first.clients || other.partition.kind != first.partition.kind ||
        other.partition.concentration != first.partition.concentration) {
      return usage_error("grid", "'" + setting.label + "' is for other data",
                         "expected one algorithm, and the same seed, clients and partition");
    }
  }
  return Done{};
}

}  // namespace

Result<std::vector<GridScore>> play_grid(const Dataset& data, std::span<const GridSetting> settings,
                                         GridRepetitions repetitions, std::size_t threads,
                                         Progress& progress) {
  CAUCUS_CHECK(validate(settings));
  const std::size_t S = settings.size();
  std::vector<SharedRepetition> shared(repetitions.count);
  std::vector<Result<Played>> played(S * repetitions.count, Played{});  // ordered by setting
  std::atomic<bool> failed{false};
  // Tasks are ordered by repetition, so that at most one more repetition than threads is in memory.
  parallel_for(S * repetitions.count, threads, [&](std::size_t task) {
    if (failed) return;
    const std::size_t r = task / S;
    const std::size_t s = task % S;
    const auto repetition = static_cast<std::uint32_t>(repetitions.first + r);
    std::call_once(shared[r].once, [&] {
      shared[r].prepared = share(data, settings.front().options, repetition, shared[r]);
    });
    Result<Played>& mine = played[s * repetitions.count + r];
    mine = shared[r].prepared.ok() ? play(data, settings[s], repetition, shared[r], progress)
                                   : Result<Played>(shared[r].prepared.error());
    if (!mine.ok()) failed = true;
    if (++shared[r].users == S) shared[r].examples.reset();
  });
  for (const Result<Played>& each : played) {
    if (!each.ok()) return each.error();
  }
  std::vector<GridScore> scores;
  for (std::size_t s = 0; s < S; ++s) {
    scores.push_back(score_of(std::span(played).subspan(s * repetitions.count, repetitions.count)));
  }
  return scores;
}

std::size_t grid_examples(const Dataset& data, std::span<const GridSetting> settings,
                          GridRepetitions repetitions) {
  return data.rows() * settings.size() * repetitions.count;
}

double cautious_mse(const GridScore& score, double caution) {
  if (score.diverged > 0) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(score.mse.size());
  const double mean = std::accumulate(score.mse.begin(), score.mse.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : score.mse) squares += (value - mean) * (value - mean);
  return mean + caution * std::sqrt(squares / n);
}

std::vector<std::size_t> best_settings(std::span<const GridScore> scores, std::size_t most,
                                       double caution) {
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t s = 0; s < scores.size(); ++s) {
    const double mse = cautious_mse(scores[s], caution);
    if (std::isfinite(mse)) ranked.emplace_back(mse, s);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> best;
  for (std::size_t r = 0; r < std::min(most, ranked.size()); ++r) best.push_back(ranked[r].second);
  return best;
}

}  // namespace caucus
