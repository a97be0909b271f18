#include "caucus/simulation/experiment.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "caucus/simulation/comparator.hpp"
#include "caucus/simulation/curve.hpp"
#include "caucus/simulation/hindsight.hpp"
#include "caucus/simulation/parallel.hpp"
#include "caucus/simulation/problem.hpp"
#include "caucus/simulation/repetition.hpp"

namespace caucus {
namespace {

/// Everything one repetition yields, for all algorithms.
struct Outcome {
  std::optional<Error> error;
  RunLength length;
  std::size_t used = 0;
  std::vector<std::size_t> curve_rounds;
  BestLosses best;                       ///< at the curve's rounds, per space
  std::vector<RepetitionResult> played;  ///< per algorithm
  std::vector<std::vector<GivenForecast>> forecasts;
  std::vector<std::size_t> examples_of_client;
};

Status play_all(const Dataset& data, const ExperimentOptions& options,
                const std::vector<SpaceConstants>& constants, std::uint32_t repetition,
                Progress& progress, Outcome& outcome) {
  CAUCUS_TRY(const Partition partition,
             make_partition(options.partition, data, options.clients, options.seed, repetition));
  CAUCUS_TRY(auto maps, FeatureMaps::make(options.spaces, {data.features(), data.experts()},
                                          options.seed, repetition));
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps), options.loss});
  const PartitionedData examples(data, partition);
  outcome.length = run_length(partition, options.rounds_per_upload);
  outcome.used = partition.used();
  outcome.curve_rounds = log_spaced_rounds(outcome.length.rounds);
  for (std::size_t j = 0; j < partition.clients(); ++j) {
    outcome.examples_of_client.push_back(partition.rows_of(j).size());
  }
  progress.total = outcome.used * options.repeats * options.algorithms.size();
  for (const std::string& name : options.algorithms) {
    CAUCUS_TRY(const auto settings,
               make_settings(name, plan, constants, outcome.length, options, repetition));
    std::vector<GivenForecast>& given = outcome.forecasts.emplace_back();
    ForecastObserver observer;
    if (options.keep_forecasts && repetition == 0) {
      given.reserve(partition.used());
      observer = [&](std::size_t client, std::size_t round, double output) {
        given.push_back({static_cast<std::uint32_t>(client), static_cast<std::uint32_t>(round),
                         partition.rows_of(client)[round], output});
      };
    }
    outcome.played.push_back(
        play_repetition(make_algorithm(name, settings, partition.clients()),
                        {options.loss, examples, outcome.length, options.rounds_per_upload,
                         Dropout{options.dropout, options.seed, repetition}, outcome.curve_rounds,
                         std::move(observer), progress.done}));
  }
  if (options.regret) {
    outcome.best = best_losses(plan->maps, options.loss, examples, outcome.curve_rounds);
  }
  return Done{};
}

std::vector<double> cumulative_at(const std::vector<double>& per_round,
                                  const std::vector<std::size_t>& rounds) {
  std::vector<double> sums;
  double sum = 0.0;
  std::size_t t = 0;
  for (const std::size_t round : rounds) {
    for (; t < round; ++t) sum += per_round[t];
    sums.push_back(sum);
  }
  return sums;
}

void add_to(std::vector<double>& sums, const std::vector<double>& values, double factor) {
  sums.resize(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += factor * values[i];
}

/// Adds repetition `outcome` of algorithm `a` to its result; share = 1 / repetitions.
void merge(const Outcome& outcome, std::size_t a, const ExperimentOptions& options, double share,
           AlgorithmResult& result) {
  const RepetitionResult& played = outcome.played[a];
  const Telemetry& t = played.telemetry;
  const auto n = static_cast<double>(t.forecasts);
  const auto losses = cumulative_at(t.loss_of_round, outcome.curve_rounds);
  result.mse.push_back(t.squared_error / n);
  result.loss.push_back(losses.back() / n);
  result.seconds.push_back(played.seconds);
  if (options.loss.is_classification()) {
    result.accuracy.push_back(static_cast<double>(t.correct) / n);
    result.log_loss.push_back(t.log_loss / n);
  }
  std::vector<double> client_means = t.loss_of_client;
  for (std::size_t j = 0; j < client_means.size(); ++j) {
    client_means[j] /= static_cast<double>(std::max<std::size_t>(1, outcome.examples_of_client[j]));
  }
  add_to(result.per_client_loss, client_means, share);
  result.upload_bits_per_client_round += share * static_cast<double>(t.upload_bits) / n;
  result.download_bits_per_client_round += share * static_cast<double>(t.download_bits) / n;
  add_to(result.probabilities, played.probabilities.back(), share);
  result.curve.rounds = outcome.curve_rounds;
  add_to(result.curve.loss, losses, share);
  result.curve.probabilities.resize(losses.size());
  for (std::size_t k = 0; k < losses.size(); ++k) {
    add_to(result.curve.probabilities[k], played.probabilities[k], share);
  }
  if (!options.regret) return;
  std::vector<double> regrets;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    regrets.push_back(losses[k] -
                      *std::min_element(outcome.best.at[k].begin(), outcome.best.at[k].end()));
  }
  add_to(result.curve.regret, regrets, share);
  std::vector<double> per_space;
  for (const double best : outcome.best.at.back()) per_space.push_back(losses.back() - best);
  add_to(result.regret, per_space, share);
}

ExperimentResult summarise(std::vector<Outcome> outcomes, const ExperimentOptions& options) {
  ExperimentResult summary;
  Outcome& first = outcomes.front();
  summary.used = first.used;
  summary.clients = first.length.clients;
  summary.rounds = first.length.rounds;
  summary.uploads = first.length.batches;
  summary.sampled = options.sampled();
  const double share = 1.0 / static_cast<double>(outcomes.size());
  for (std::size_t a = 0; a < options.algorithms.size(); ++a) {
    AlgorithmResult& result = summary.results.emplace_back();
    result.algorithm = options.algorithms[a];
    for (const Outcome& outcome : outcomes) merge(outcome, a, options, share, result);
    result.learned = std::move(first.played[a].learned);
    result.forecasts = std::move(first.forecasts[a]);
  }
  if (options.regret) {
    for (const Outcome& outcome : outcomes) {
      add_to(summary.best_loss, outcome.best.at.back(), share);
      add_to(summary.best_gap, outcome.best.gap, share);
    }
  }
  return summary;
}

}  // namespace

Result<ExperimentResult> run_experiment(const Dataset& data, const ExperimentOptions& options,
                                        Progress& progress) {
  CAUCUS_CHECK(options.validate());
  const auto constants = make_constants(data, options);
  std::vector<Outcome> outcomes(options.repeats);
  std::atomic<bool> failed{false};
  parallel_for(options.repeats, options.threads, [&](std::size_t r) {
    if (failed) return;
    auto status =
        play_all(data, options, constants, static_cast<std::uint32_t>(r), progress, outcomes[r]);
    if (!status.ok()) {
      outcomes[r].error = std::move(status.error());
      failed = true;
    }
  });
  for (Outcome& outcome : outcomes) {
    if (outcome.error) return std::move(*outcome.error);
  }
  std::vector<float> y;
  for (std::size_t row = 0; row < outcomes.front().used; ++row) y.push_back(data.y(row));
  auto summary = summarise(std::move(outcomes), options);
  summary.mean_predictor = best_constant_loss(options.loss, y) / static_cast<double>(y.size());
  return summary;
}

}  // namespace caucus
