#include "caucus/simulation/experiment.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "caucus/engine/parallel.hpp"
#include "caucus/simulation/hindsight/hindsight.hpp"
#include "caucus/simulation/repetition.hpp"

namespace caucus {
namespace {

Status play_all(const Dataset& data, const ExperimentOptions& options,
                const std::vector<SpaceConstants>& constants, std::uint32_t repetition,
                Progress& progress, AskedRows* experts, RepetitionOutcome& outcome) {
  CAUCUS_TRY(const Partition partition,
             make_partition(options.partition, data, options.clients, options.seed, repetition));
  CAUCUS_TRY(auto made, make_plan(options, {data.features(), data.experts()}, repetition));
  const auto plan = std::make_shared<const Plan>(std::move(made));
  const std::vector<std::size_t> rounds = rounds_of(partition);
  const PartitionedData examples(data, partition, experts);
  progress.total = partition.used() * options.repeats * options.algorithms.size();
  for (const std::string& name : options.algorithms) {
    CAUCUS_TRY(const PreparedRun prepared,
               prepare(name, plan, constants, rounds, options, repetition));
    std::vector<GivenForecast> given;
    ForecastObserver observer;
    if (options.keep_forecasts && repetition == 0) {
      given.reserve(partition.used());
      observer = [&](std::size_t client, std::size_t round, double output) {
        const std::uint32_t row = partition.row(client, round);
        given.push_back({static_cast<std::uint32_t>(client), static_cast<std::uint32_t>(round), row,
                         data.y(row), output});
      };
    }
    RepetitionResult& played = outcome.played.emplace_back(play_repetition(
        make_algorithm(name, prepared.settings, partition.clients()),
        RepetitionInput<PartitionedData>{
            options.loss, examples, prepared.length, prepared.uploads,
            Dropout{options.dropout, options.seed, repetition}, std::move(observer), progress.done,
            // Threads that the repetitions do not use share the clients of a round.
            thread_count(options.threads) / options.repeats, options.mode == Mode::asynchronous}));
    played.forecasts = std::move(given);
    if (experts != nullptr) CAUCUS_CHECK(experts->status());
    if (!options.regret) continue;
    const auto known = std::find_if(
        outcome.played.begin(), outcome.played.end() - 1,
        [&](const RepetitionResult& other) { return other.curve.rounds == played.curve.rounds; });
    played.best = known != outcome.played.end() - 1
                      ? known->best
                      : best_losses(plan->maps, options.loss, examples, played.curve.rounds);
    if (experts != nullptr) CAUCUS_CHECK(experts->status());
  }
  return Done{};
}

/// Clients with a file of their own have its name, others their number.
void name_clients(const Dataset& data, const PartitionSpec& partition, ExperimentResult& summary) {
  for (AlgorithmResult& result : summary.results) {
    for (std::size_t j = 0; j < result.clients.size(); ++j) {
      result.clients[j].name = partition.kind == PartitionSpec::Kind::files ? data.file_names()[j]
                                                                            : std::to_string(j + 1);
    }
  }
}

}  // namespace

Result<ExperimentResult> run_experiment(const Dataset& data, const ExperimentOptions& options,
                                        Progress& progress, AskedRows* experts) {
  CAUCUS_CHECK(options.validate());
  const auto constants = make_constants(data.scaling(), options);
  std::vector<RepetitionOutcome> outcomes(options.repeats);
  std::vector<Status> played(options.repeats, Done{});
  std::atomic<bool> failed{false};
  parallel_for(options.repeats, options.threads, [&](std::size_t r) {
    if (failed) return;
    played[r] = play_all(data, options, constants, static_cast<std::uint32_t>(r), progress, experts,
                         outcomes[r]);
    if (!played[r].ok()) failed = true;
  });
  for (const Status& status : played) CAUCUS_CHECK(status);
  auto summary = summarise(std::move(outcomes), options);
  name_clients(data, options.partition, summary);
  std::vector<float> y;
  for (std::size_t row = 0; row < summary.used; ++row) y.push_back(data.y(row));
  summary.mean_predictor = best_constant_loss(options.loss, y) / static_cast<double>(y.size());
  return summary;
}

}  // namespace caucus
