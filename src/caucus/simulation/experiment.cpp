#include "caucus/simulation/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "caucus/runtime/parallel.hpp"
#include "caucus/simulation/comparator.hpp"
#include "caucus/simulation/curve.hpp"
#include "caucus/simulation/hindsight.hpp"
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
  BestLosses best;                        ///< at the curve's rounds, per space
  std::vector<RepetitionResult> played;   ///< per algorithm
  std::vector<std::size_t> second_order;  ///< per algorithm: spaces with second-order steps
  std::vector<std::vector<GivenForecast>> forecasts;
  std::vector<std::size_t> examples_of_client;
};

Status play_all(const Dataset& data, const ExperimentOptions& options,
                const std::vector<SpaceConstants>& constants, std::uint32_t repetition,
                Progress& progress, Outcome& outcome) {
  CAUCUS_TRY(const Partition partition,
             make_partition(options.partition, data, options.clients, options.seed, repetition));
  CAUCUS_TRY(auto maps, FeatureMaps::make(options.spaces, {data.features(), data.experts()},
                                          options.seed, repetition, options.sample));
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps), options.loss});
  const PartitionedData examples(data, partition);
  outcome.length = run_length(partition, options.rounds_per_upload);
  outcome.used = partition.used();
  outcome.curve_rounds = log_spaced_rounds(outcome.length.rounds);
  for (std::size_t j = 0; j < partition.clients(); ++j) {
    outcome.examples_of_client.push_back(partition.rounds(j));
  }
  progress.total = outcome.used * options.repeats * options.algorithms.size();
  for (const std::string& name : options.algorithms) {
    CAUCUS_TRY(const auto settings,
               make_settings(name, plan, constants, outcome.length, options, repetition));
    const auto second =
        is_baseline(name) ? std::vector<bool>{}
                          : second_order_spaces(name, *plan, partition.clients(), options.schedule);
    outcome.second_order.push_back(
        static_cast<std::size_t>(std::count(second.begin(), second.end(), true)));
    std::vector<GivenForecast>& given = outcome.forecasts.emplace_back();
    ForecastObserver observer;
    if (options.keep_forecasts && repetition == 0) {
      given.reserve(partition.used());
      observer = [&](std::size_t client, std::size_t round, double output) {
        given.push_back({static_cast<std::uint32_t>(client), static_cast<std::uint32_t>(round),
                         partition.row(client, round), output});
      };
    }
    outcome.played.push_back(
        play_repetition(make_algorithm(name, settings, partition.clients()),
                        RepetitionInput<PartitionedData>{
                            options.loss, examples, outcome.length, options.rounds_per_upload,
                            Dropout{options.dropout, options.seed, repetition},
                            outcome.curve_rounds, std::move(observer), progress.done,
                            // What the repetitions leave over is for the clients of a round.
                            thread_count(options.threads) / options.repeats}));
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

/// Mean and standard deviation over repetitions, point by point.
void mean_and_deviation(const std::vector<std::vector<double>>& repetitions,
                        std::vector<double>& mean, std::vector<double>& deviation) {
  const auto n = static_cast<double>(repetitions.size());
  for (const auto& values : repetitions) add_to(mean, values, 1.0 / n);
  std::vector<double> squares;
  for (const auto& values : repetitions) {
    std::vector<double> squared(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) squared[k] = std::pow(values[k] - mean[k], 2);
    add_to(squares, squared, n > 1.0 ? 1.0 / (n - 1.0) : 0.0);
  }
  for (const double value : squares) deviation.push_back(std::sqrt(value));
}

/// What one repetition adds to the list of repetitions.
void add_repetition(const Outcome& outcome, std::size_t a, const ExperimentOptions& options,
                    AlgorithmResult& result) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Telemetry& t = outcome.played[a].telemetry;
  const auto per_example = [&](double sum) {
    return t.diverged() ? kNone : sum / static_cast<double>(t.forecasts);
  };
  result.diverged += static_cast<std::size_t>(t.diverged());
  result.mse.push_back(per_example(t.squared_error));
  result.loss.push_back(
      per_example(std::accumulate(t.loss_of_round.begin(), t.loss_of_round.end(), 0.0)));
  result.seconds.push_back(outcome.played[a].seconds);
  if (options.loss.is_classification()) {
    result.accuracy.push_back(per_example(static_cast<double>(t.correct)));
    result.log_loss.push_back(per_example(t.log_loss));
  }
}

/// Adds to the means over repetitions; share = 1 / those that did not diverge.
void add_to_means(const Outcome& outcome, std::size_t a, double share, AlgorithmResult& result) {
  const RepetitionResult& played = outcome.played[a];
  const Telemetry& t = played.telemetry;
  const auto n = static_cast<double>(t.forecasts);
  std::vector<double> client_means = t.loss_of_client;
  for (std::size_t j = 0; j < client_means.size(); ++j) {
    client_means[j] /= static_cast<double>(std::max<std::size_t>(1, outcome.examples_of_client[j]));
  }
  add_to(result.per_client_loss, client_means, share);
  result.upload_bits_per_client_round += share * static_cast<double>(t.upload_bits) / n;
  result.download_bits_per_client_round += share * static_cast<double>(t.download_bits) / n;
  add_to(result.probabilities, played.probabilities.back(), share);
  result.curve.probabilities.resize(played.probabilities.size());
  for (std::size_t k = 0; k < played.probabilities.size(); ++k) {
    add_to(result.curve.probabilities[k], played.probabilities[k], share);
  }
}

/// The curves of the repetitions `kept`, and the regret per space.
void add_curves(const std::vector<const Outcome*>& kept, std::size_t a,
                const ExperimentOptions& options, AlgorithmResult& result) {
  std::vector<std::vector<double>> losses;
  std::vector<std::vector<double>> regrets;
  for (const Outcome* outcome : kept) {
    const auto loss =
        cumulative_at(outcome->played[a].telemetry.loss_of_round, outcome->curve_rounds);
    losses.push_back(loss);
    if (!options.regret) continue;
    auto& regret = regrets.emplace_back();
    for (std::size_t k = 0; k < loss.size(); ++k) {
      const auto& best = outcome->best.at[k];
      regret.push_back(loss[k] - *std::min_element(best.begin(), best.end()));
    }
    std::vector<double> per_space;
    for (const double best : outcome->best.at.back()) per_space.push_back(loss.back() - best);
    const double share = 1.0 / static_cast<double>(kept.size());
    add_to(result.regret, per_space, share);
    add_to(result.best_loss, outcome->best.at.back(), share);
    add_to(result.best_gap, outcome->best.gap, share);
  }
  result.curve.rounds = kept.front()->curve_rounds;
  mean_and_deviation(losses, result.curve.loss, result.curve.loss_sd);
  if (options.regret) mean_and_deviation(regrets, result.curve.regret, result.curve.regret_sd);
}

/// Means are over the repetitions that did not diverge; if all did, the curves show how.
AlgorithmResult summarise_algorithm(const std::vector<Outcome>& outcomes, std::size_t a,
                                    const ExperimentOptions& options) {
  AlgorithmResult result;
  result.algorithm = options.algorithms[a];
  std::vector<const Outcome*> kept;
  for (const Outcome& outcome : outcomes) {
    add_repetition(outcome, a, options, result);
    if (!outcome.played[a].telemetry.diverged()) kept.push_back(&outcome);
  }
  if (kept.empty()) {
    for (const Outcome& outcome : outcomes) kept.push_back(&outcome);
  }
  for (const Outcome* outcome : kept) {
    add_to_means(*outcome, a, 1.0 / static_cast<double>(kept.size()), result);
  }
  add_curves(kept, a, options, result);
  result.second_order = outcomes.front().second_order[a];
  return result;
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
    AlgorithmResult& result =
        summary.results.emplace_back(summarise_algorithm(outcomes, a, options));
    result.learned = std::move(first.played[a].learned);
    result.forecasts = std::move(first.forecasts[a]);
  }
  if (options.regret) {
    for (const Outcome& outcome : outcomes) {
      add_to(summary.best_loss, outcome.best.at.back(), share);
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
