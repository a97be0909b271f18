#include "caucus/simulation/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "caucus/data/generators.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus {
namespace {

constexpr std::size_t kClients = 7;

Dataset example_data() {
  GeneratorOptions options;
  options.rows = 1000;
  auto generator = make_generator("classify", options);
  EXPECT_TRUE(generator.ok());
  auto data = generate_dataset(*generator);
  EXPECT_TRUE(data.ok());
  EXPECT_TRUE(apply_label_convention(*data).ok());
  return std::move(data).value();
}

/// What a server knows of a run, from sums per client and batch; p as the run had it.
RepetitionOutcome served(const AlgorithmResult& run, const ExperimentOptions& options,
                         std::size_t rounds) {
  std::vector<std::vector<GivenForecast>> of_client(kClients);
  for (const GivenForecast& given : run.forecasts) of_client[given.client].push_back(given);
  Telemetry telemetry(options.loss, kClients);
  CurveRecorder recorder;
  const std::size_t N = options.rounds_per_upload;
  const auto p = [&] { return run.curve.probabilities[recorder.curve.rounds.size()]; };
  std::size_t batches = 0;
  std::size_t played = 0;
  for (; played < rounds; ++batches) {
    std::uint32_t most = 0;
    for (std::size_t client = 0; client < kClients; ++client) {
      PlayedSums sums;
      for (const GivenForecast& given : of_client[client]) {
        if (given.round / N == batches) {
          sums.add(options.loss, given.output, static_cast<double>(given.y));
        }
      }
      if (sums.forecasts > 0) telemetry.record(client, sums);
      most = std::max(most, sums.forecasts);
    }
    telemetry.end_batch();
    played += most;
    recorder.after_batch(played, telemetry.loss, p);
  }
  recorder.finish(played, telemetry.loss, p);
  RepetitionOutcome outcome;
  outcome.played.push_back({std::move(telemetry),
                            1.5,
                            std::move(recorder.curve),
                            run.learned,
                            {kClients, rounds, batches, 0}});
  return outcome;
}

TEST(Summary, AServersIsTheSimulationsBitForBit) {
  const Dataset data = example_data();
  for (const Loss& loss :
       {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(HuberLoss{}), Loss(LogisticLoss{}),
        Loss(HingeLoss{}), Loss(PinballLoss{}), Loss(LinearLoss{})}) {
    for (const std::size_t per_upload : {1U, 3U, 10U}) {
      ExperimentOptions options;
      options.spaces = {Space{.radius = 0.5}, Space{.radius = 2.0}};
      options.loss = loss;
      options.clients = kClients;
      options.partition.kind = PartitionSpec::Kind::dirichlet;
      options.rounds_per_upload = per_upload;
      options.schedule.kind = ScheduleKind::adaptive_first_order;
      options.keep_forecasts = true;
      Progress progress;
      const auto run = run_experiment(data, options, progress);
      ASSERT_TRUE(run.ok()) << run.error().line();
      const AlgorithmResult& simulated = run->results.front();

      std::vector<RepetitionOutcome> outcomes;
      outcomes.push_back(served(simulated, options, run->rounds));
      const ExperimentResult result = summarise(std::move(outcomes), options);
      ASSERT_EQ(result.results.size(), 1U);
      const AlgorithmResult& told = result.results.front();
      EXPECT_EQ(result.used, run->used);
      EXPECT_EQ(result.clients, run->clients);
      EXPECT_EQ(result.rounds, run->rounds);
      EXPECT_EQ(result.sample_size, run->sample_size);
      EXPECT_FALSE(result.mean_predictor);
      EXPECT_TRUE(run->mean_predictor);
      EXPECT_EQ(told.algorithm, simulated.algorithm);
      EXPECT_EQ(told.mse, simulated.mse);
      EXPECT_EQ(told.loss, simulated.loss);
      EXPECT_EQ(told.accuracy, simulated.accuracy);
      EXPECT_EQ(told.log_loss, simulated.log_loss);
      ASSERT_EQ(told.clients.size(), simulated.clients.size());
      for (std::size_t j = 0; j < told.clients.size(); ++j) {
        EXPECT_EQ(told.clients[j].given, simulated.clients[j].given);
        EXPECT_EQ(told.clients[j].examples, simulated.clients[j].examples);
      }
      EXPECT_EQ(told.probabilities, simulated.probabilities);
      EXPECT_EQ(told.curve.rounds, simulated.curve.rounds);
      EXPECT_EQ(told.curve.loss, simulated.curve.loss);
      EXPECT_EQ(told.curve.probabilities, simulated.curve.probabilities);
      EXPECT_EQ(told.learned.weights, simulated.learned.weights);
      EXPECT_EQ(told.seconds, std::vector<double>{1.5});
    }
  }
}

}  // namespace
}  // namespace caucus
