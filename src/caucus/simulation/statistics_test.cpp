// Experiments with the statistics schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/data/generators.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/simulation/experiment.hpp"
#include "caucus/simulation/grid.hpp"

namespace caucus {
namespace {

Dataset rows_of(const char* generator, std::size_t rows) {
  GeneratorOptions options;
  options.rows = rows;
  return generate_dataset(make_generator(generator, options).value()).value();
}

std::vector<Space> spaces_with_intercepts() {
  std::vector<Space> spaces = {Space{.radius = 5.0, .intercept = true}};
  for (const double width : {1.0, 2.0, 8.0}) {
    spaces.push_back({.kind = SpaceKind::gaussian,
                      .radius = 5.0,
                      .intercept = true,
                      .width = width,
                      .features = 20});
  }
  return spaces;
}

ExperimentOptions growing(std::vector<Space> spaces) {
  ExperimentOptions options;
  options.spaces = std::move(spaces);
  options.schedule.kind = ScheduleKind::statistics;
  options.rounds_per_upload = 0;
  options.clients = 4;
  options.threads = 1;
  return options;
}

ExperimentResult result_of(const Dataset& data, const ExperimentOptions& options) {
  Progress progress;
  auto result = run_experiment(data, options, progress);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().line());
  EXPECT_EQ(progress.done.load(), progress.total.load());
  return std::move(result).value();
}

TEST(StatisticsParallel, AnyNumberOfThreadsGivesTheSameNumbers) {
  const Dataset data = rows_of("kernel", 2000);
  auto options = growing(spaces_with_intercepts());
  options.algorithms = {"fomd-oms", "nco-oms"};
  options.repeats = 3;
  options.dropout = 0.1;
  const auto one = result_of(data, options);
  for (const std::size_t threads : {2U, 3U, 16U}) {
    options.threads = threads;
    const auto other = result_of(data, options);
    for (std::size_t a = 0; a < 2; ++a) {
      EXPECT_EQ(one.results[a].loss, other.results[a].loss);
      EXPECT_EQ(one.results[a].per_client_loss, other.results[a].per_client_loss);
      EXPECT_EQ(one.results[a].probabilities, other.results[a].probabilities);
      EXPECT_EQ(one.results[a].curve.loss, other.results[a].curve.loss);
      EXPECT_EQ(one.results[a].learned.weights, other.results[a].learned.weights);
      EXPECT_EQ(one.results[a].upload_bits_per_client_round,
                other.results[a].upload_bits_per_client_round);
    }
  }
}

TEST(StatisticsExperiment, PlaysTheBatchesThatTheRunLengthCounts) {
  const Dataset data = rows_of("linear", 2003);
  auto options = growing({Space{.radius = 5.0, .intercept = true}});
  options.personal = false;
  for (const auto kind : {PartitionSpec::Kind::shuffle, PartitionSpec::Kind::dirichlet}) {
    for (const std::size_t min_batch : {1U, 7U, 10000U}) {
      for (const std::size_t fixed : {0U, 30U}) {
        options.partition.kind = kind;
        options.min_batch = min_batch;
        options.rounds_per_upload = fixed;
        const auto result = result_of(data, options);
        const auto partition =
            make_partition(options.partition, data, options.clients, options.seed, 0).value();
        const RunLength length = run_length(partition, upload_rule(options, data.features()));
        EXPECT_EQ(result.uploads, length.batches);
        // All reports are of one size: the loss and the triangle of (y, x, 1).
        const std::size_t bits = 32 + 32 * triangle_size(data.features() + 2);
        const double sent =
            result.results[0].upload_bits_per_client_round * static_cast<double>(result.used);
        EXPECT_NEAR(sent / static_cast<double>(bits), static_cast<double>(length.reports), 1e-6);
        EXPECT_EQ(length.batches == 1, min_batch == 10000 && fixed == 0);
      }
    }
  }
}

TEST(StatisticsExperiment, BatchesGrowFromTheLeastThatHidesExamples) {
  const Dataset data = rows_of("linear", 2000);
  auto options = growing({Space{.radius = 5.0, .intercept = true}});
  options.keep_forecasts = true;
  options.personal = false;
  const auto result = result_of(data, options);
  const std::size_t least = 2 * (data.features() + 1);
  std::map<std::uint32_t, double> largest;  // of the forecasts of a round
  for (const GivenForecast& given : result.results[0].forecasts) {
    largest[given.round] = std::max(largest[given.round], std::abs(given.output));
  }
  ASSERT_EQ(largest.size(), 500U);
  for (const auto& [round, output] : largest) {
    EXPECT_EQ(output > 0.0, round >= least) << round;
  }
  // About log(500 / least) / log(1.3) batches after the first ones.
  EXPECT_GT(result.uploads, 8U);
  EXPECT_LT(result.uploads, 20U);
}

TEST(StatisticsExperiment, LearnsLinearAndOtherFunctions) {
  for (const char* generator : {"linear", "kernel"}) {
    const Dataset data = rows_of(generator, 8000);
    for (const bool personal : {false, true}) {
      auto options = growing(spaces_with_intercepts());
      options.personal = personal;
      const auto result = result_of(data, options);
      auto adaptive = options;
      adaptive.schedule.kind = ScheduleKind::adaptive;
      adaptive.rounds_per_upload = 1;
      const double reached = result.results[0].loss[0];
      const double usual = result_of(data, adaptive).results[0].loss[0];
      EXPECT_LT(reached, *result.mean_predictor) << generator;
      EXPECT_LT(reached, 1.5 * usual) << generator << " " << personal;
    }
  }
}

TEST(StatisticsExperiment, PlaysOtherLossesUnequalClientsAndLostReports) {
  const Dataset data = rows_of("linear", 3000);
  for (const Loss& loss : {Loss(AbsoluteLoss{}), Loss(HuberLoss{0.1}), Loss(PinballLoss{0.8})}) {
    auto options = growing(spaces_with_intercepts());
    options.loss = loss;
    options.partition.kind = PartitionSpec::Kind::dirichlet;
    options.dropout = 0.3;
    options.min_batch = 4;
    options.schedule.fixed_share = 0.001;
    const auto result = result_of(data, options);
    EXPECT_EQ(result.results[0].diverged, 0U);
    EXPECT_LT(result.results[0].loss[0], *result.mean_predictor) << loss.name();
  }
}

TEST(StatisticsExperiment, LearnsTheLinearLossAboutAsWellAsTheAdaptiveSchedule) {
  const Dataset data = rows_of("linear", 4000);
  auto options = growing(spaces_with_intercepts());
  options.loss = Loss(LinearLoss{});
  auto adaptive = options;
  adaptive.schedule.kind = ScheduleKind::adaptive;
  adaptive.rounds_per_upload = 1;
  const double usual = result_of(data, adaptive).results[0].loss[0];
  EXPECT_LT(result_of(data, options).results[0].loss[0], usual + 0.2 * std::abs(usual));
}

TEST(StatisticsExperiment, ReadyFeaturesOfAGridGiveTheSameNumbers) {
  const Dataset data = rows_of("kernel", 600);
  const std::vector<GridSetting> settings = {{"growing", growing(spaces_with_intercepts()), {}}};
  Progress progress;
  const auto scores = play_grid(data, settings, {0, 2}, 2, progress);
  ASSERT_TRUE(scores.ok()) << scores.error().line();
  auto options = growing(spaces_with_intercepts());
  options.repeats = 2;
  EXPECT_EQ((*scores)[0].mse, result_of(data, options).results[0].mse);
}

TEST(StatisticsOptions, GrowingBatchesNeedTheSchedule) {
  auto options = growing({Space{}});
  EXPECT_TRUE(options.validate().ok());
  options.schedule.kind = ScheduleKind::adaptive;
  EXPECT_FALSE(options.validate().ok());
  options = growing({Space{}});
  for (const double growth : {0.0, -1.0, 1.5, std::nan("")}) {
    options.growth = growth;
    EXPECT_FALSE(options.validate().ok()) << growth;
  }
}

}  // namespace
}  // namespace caucus
