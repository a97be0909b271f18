#include "caucus/algorithms/first_order_oms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "caucus/algorithms/test_play.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus::conformance {
namespace {

/// A warmed-up server, so that p is not uniform.
FirstOrderOms warm_server(Problem& problem, std::size_t sample_size) {
  problem.sample_size = sample_size;
  problem.rounds = 6;
  FirstOrderOms server(problem.first_order_settings());
  play_all(server, problem);
  return server;
}

/// The loss of each model for client j at round t, which do not depend on the draws.
double loss_of(const FirstOrderOms& server, const Problem& problem, std::uint32_t client,
               std::uint32_t round, std::size_t i) {
  const auto plan = problem.plan();
  FeatureMaps::Workspace workspace(plan->maps);
  const TestExample example = problem.example(client, round);
  workspace.begin(example.x);
  return plan->loss.value(dot(server.weights(i), plan->maps.features(i, workspace)), example.y);
}

// The mean of the estimates over many draws of the same round is the truth.
void expect_unbiased_losses(std::size_t sample_size, double dropout) {
  Problem problem;
  FirstOrderOms server = warm_server(problem, sample_size);
  const std::size_t K = server.models();
  std::vector<double> exact(K, 0.0);
  for (std::size_t i = 0; i < K; ++i) {
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      const double loss = loss_of(server, problem, j, 6, i) / static_cast<double>(problem.clients);
      exact[i] += loss;
      for (std::size_t k = 0; k < K; ++k) exact[k] -= server.probabilities()[i] * loss;
    }
  }
  std::vector<double> mean(K, 0.0);
  std::vector<double> square(K, 0.0);
  double rounds = 0.0;
  Assignment assignment;
  BatchMean batch_mean;
  NoMemory memory;
  auto forecast = server.new_forecast();
  auto aggregate = server.new_aggregate();
  for (std::uint32_t draw = 0; draw < 40000; ++draw) {
    aggregate.clear();
    Stream lost({5, Purpose::dropout, 0, draw, 0});
    std::size_t reporting = 0;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      if (lost.uniform() < dropout) continue;
      ++reporting;
      server.assign({1000 + draw, 6, 7}, j, assignment);
      batch_mean.begin(assignment);
      const TestExample example = problem.example(j, 6);
      server.predict(memory, assignment, example.x, forecast);
      server.report(memory, forecast, example.y, batch_mean);
      ReportBatch report;
      batch_mean.report(report);
      server.aggregate(report, aggregate);
    }
    if (reporting == 0) continue;
    rounds += 1.0;
    const auto estimate = server.estimated_differences(aggregate);
    double weighted = 0.0;
    for (std::size_t i = 0; i < K; ++i) {
      mean[i] += estimate[i];
      square[i] += estimate[i] * estimate[i];
      weighted += server.probabilities()[i] * estimate[i];
    }
    ASSERT_NEAR(weighted, 0.0, 1e-10);  // by construction, in every draw
  }
  for (std::size_t i = 0; i < K; ++i) {
    mean[i] /= rounds;
    const double variance = std::max(0.0, square[i] / rounds - mean[i] * mean[i]);
    const double error = std::sqrt(variance / rounds);
    EXPECT_NEAR(mean[i], exact[i], 4.5 * error + 1e-6) << i;
    EXPECT_LT(error, 0.01) << "too few draws to see a bias";
  }
}

TEST(FirstOrderOms, DifferencesAreUnbiasedForTwoModels) { expect_unbiased_losses(2, 0.0); }
TEST(FirstOrderOms, DifferencesAreUnbiasedForThreeModels) { expect_unbiased_losses(3, 0.0); }
TEST(FirstOrderOms, DifferencesAreUnbiasedForAllModels) { expect_unbiased_losses(4, 0.0); }
TEST(FirstOrderOms, DifferencesStayUnbiasedWhenReportsAreLost) { expect_unbiased_losses(2, 0.3); }

TEST(FirstOrderOms, TheForecastIsTheMeanOfTheFirstModelGivenTheHeldSet) {
  Problem problem;
  FirstOrderOms server = warm_server(problem, 3);
  Assignment assignment;
  auto forecast = server.new_forecast();
  NoMemory memory;
  for (std::uint32_t j = 0; j < 50; ++j) {
    server.assign({50, 6, 7}, j, assignment);
    const TestExample example = problem.example(0, j);
    server.predict(memory, assignment, example.x, forecast);
    double sum = 0.0;
    double mean = 0.0;
    for (std::size_t a = 0; a < assignment.held.size(); ++a) {
      sum += server.probabilities()[assignment.held[a].space];
      mean += server.probabilities()[assignment.held[a].space] * forecast.outputs[a];
    }
    EXPECT_NEAR(forecast.output, mean / sum, 1e-12);
  }
}

TEST(FirstOrderOms, AShareFewerThanModelsGoesDown) {
  Problem problem;
  FirstOrderOms server = warm_server(problem, 3);
  Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  std::size_t floats = 0;
  for (const HeldModel& model : assignment.held) floats += model.weights.size();
  EXPECT_EQ(server.download_bits(assignment), 32 * (floats + 2) + 3 * 2);
  EXPECT_EQ(server.upload_bits(assignment), 32 * (floats + 3) + 3 * 2);
}

}  // namespace
}  // namespace caucus::conformance
