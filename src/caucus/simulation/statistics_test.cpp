// Experiments with the adaptive schedule.
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
      EXPECT_EQ(one.results[a].clients, other.results[a].clients);
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
        const RunLength length = run_length(partition, upload_rule(options, data.features(), true));
        if (kind == PartitionSpec::Kind::shuffle) {
          EXPECT_NEAR(result.results[0].uploads, static_cast<double>(length.batches), 1e-9);
        }
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
  EXPECT_GT(result.results[0].uploads, 8U);
  EXPECT_LT(result.results[0].uploads, 20U);
}

TEST(StatisticsExperiment, LearnsLinearAndOtherFunctions) {
  for (const char* generator : {"linear", "kernel"}) {
    const Dataset data = rows_of(generator, 8000);
    for (const bool personal : {false, true}) {
      auto options = growing(spaces_with_intercepts());
      options.personal = personal;
      options.min_batch = 1;
      const auto result = result_of(data, options);
      EXPECT_LT(result.results[0].loss[0], *result.mean_predictor) << generator;
      // Gradients of single rows tell the rows, so sums that need not hide them are compared.
      options.min_batch = 1;
      auto first_order = options;
      first_order.schedule.kind = ScheduleKind::adaptive_first_order;
      const double reached = result_of(data, options).results[0].loss[0];
      const double usual = result_of(data, first_order).results[0].loss[0];
      EXPECT_LT(reached, usual) << generator << " " << personal;
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

TEST(StatisticsExperiment, TakesFirstOrderStepsWhereSumsDoNotServe) {
  const Dataset data = rows_of("linear", 400);
  const auto learns_from_sums = [&](const ExperimentOptions& options) {
    const auto result = result_of(data, options);
    EXPECT_EQ(result.results[0].uploads < 100.0, result.results[0].from_sums);
    return result.results[0].from_sums;
  };
  auto options = growing(spaces_with_intercepts());
  EXPECT_TRUE(learns_from_sums(options));
  options.loss = Loss(LinearLoss{});
  EXPECT_FALSE(learns_from_sums(options));
  options.loss = {};
  options.spaces[1].features = 251;
  EXPECT_FALSE(learns_from_sums(options));
  options.spaces[1].features = 200;
  EXPECT_TRUE(learns_from_sums(options));
  options.spaces[1].own_step = [](std::span<float>, std::span<const float>, double) {};
  EXPECT_FALSE(learns_from_sums(options));
}

/// Everything but the last digits of the curve, whose sums run in another order.
void expect_same(const AlgorithmResult& one, const AlgorithmResult& other) {
  EXPECT_EQ(one.loss, other.loss);
  EXPECT_EQ(one.clients, other.clients);
  EXPECT_EQ(one.probabilities, other.probabilities);
  EXPECT_EQ(one.learned.weights, other.learned.weights);
  EXPECT_EQ(one.curve.rounds, other.curve.rounds);
  ASSERT_EQ(one.curve.loss.size(), other.curve.loss.size());
  for (std::size_t k = 0; k < one.curve.loss.size(); ++k) {
    EXPECT_NEAR(one.curve.loss[k], other.curve.loss[k], 1e-9 * one.curve.loss[k]);
  }
}

TEST(StatisticsExperiment, ClientsWithTheSameDataNeedNotWaitForEachOther) {
  const Dataset data = rows_of("kernel", 2000);
  for (const std::size_t fixed : {0U, 30U}) {
    auto options = growing(spaces_with_intercepts());
    options.rounds_per_upload = fixed;
    options.algorithms = {"fomd-oms", "nco-oms"};
    options.dropout = 0.1;
    const auto asynchronous = result_of(data, options);
    options.mode = Mode::synchronous;
    const auto synchronous = result_of(data, options);
    for (std::size_t a = 0; a < 2; ++a)
      expect_same(asynchronous.results[a], synchronous.results[a]);
  }
}

TEST(StatisticsExperiment, ClientsWithOtherAmountsOfDataLearnAboutAsWellAsynchronously) {
  const Dataset data = rows_of("linear", 6000);
  auto options = growing(spaces_with_intercepts());
  options.partition.kind = PartitionSpec::Kind::dirichlet;
  options.partition.concentration = 0.5;
  const double asynchronous = result_of(data, options).results[0].loss[0];
  options.mode = Mode::synchronous;
  const double synchronous = result_of(data, options).results[0].loss[0];
  EXPECT_LT(asynchronous, 1.1 * synchronous);
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

TEST(StatisticsOptions, RefuseAGrowthThatIsNone) {
  auto options = growing({Space{}});
  EXPECT_TRUE(options.validate().ok());
  for (const double growth : {0.0, -1.0, 1.5, std::nan("")}) {
    options.growth = growth;
    EXPECT_FALSE(options.validate().ok()) << growth;
  }
}

}  // namespace
}  // namespace caucus
