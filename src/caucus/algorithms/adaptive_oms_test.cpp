#include "caucus/algorithms/adaptive_oms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "caucus/algorithms/conformance_play.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus::conformance {
namespace {

/// A warmed-up server, so that p is not uniform.
AdaptiveOms warm_server(Problem& problem, std::size_t sample_size) {
  problem.sample_size = sample_size;
  problem.rounds = 6;
  AdaptiveOms server(problem.adaptive_settings());
  play_all(server, problem);
  return server;
}

/// The loss of each model for client j at round t, which do not depend on the draws.
double loss_of(const AdaptiveOms& server, const Problem& problem, std::uint32_t client,
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
  AdaptiveOms server = warm_server(problem, sample_size);
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

TEST(AdaptiveOms, DifferencesAreUnbiasedForTwoModels) { expect_unbiased_losses(2, 0.0); }
TEST(AdaptiveOms, DifferencesAreUnbiasedForThreeModels) { expect_unbiased_losses(3, 0.0); }
TEST(AdaptiveOms, DifferencesAreUnbiasedForAllModels) { expect_unbiased_losses(4, 0.0); }
TEST(AdaptiveOms, DifferencesStayUnbiasedWhenReportsAreLost) { expect_unbiased_losses(2, 0.3); }

TEST(AdaptiveOms, TheForecastIsTheMeanOfTheFirstModelGivenTheHeldSet) {
  Problem problem;
  AdaptiveOms server = warm_server(problem, 3);
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

TEST(AdaptiveOms, AShareFewerThanModelsGoesDown) {
  Problem problem;
  AdaptiveOms server = warm_server(problem, 3);
  Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  std::size_t floats = 0;
  for (const HeldModel& model : assignment.held) floats += model.weights.size();
  EXPECT_EQ(server.download_bits(assignment), 32 * (floats + 2) + 3 * 2);
  EXPECT_EQ(server.upload_bits(assignment), 32 * (floats + 3) + 3 * 2);
}

// J = K, so that nothing is drawn: the unbounded model must end at the ridge regression of all
// data, but for the few early reports whose c is capped; the other on its sphere.
TEST(AdaptiveOms, WithAllModelsHeldItEndsAtRidgeRegression) {
  Problem problem;
  problem.spaces = {Space{.radius = std::numeric_limits<double>::infinity()},
                    Space{.radius = 0.05}};
  problem.sample_size = 2;
  problem.rounds = 400;
  AdaptiveOms server(problem.adaptive_settings());
  play_all(server, problem);
  // Gram sums over all examples; the ridge is 0.01 of the largest |x|^2.
  const std::size_t d = problem.inputs;
  std::vector<double> A(d * d, 0.0);
  std::vector<double> b(d, 0.0);
  double largest = 0.0;
  for (std::uint32_t t = 0; t < problem.rounds; ++t) {
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      const TestExample e = problem.example(j, t);
      largest = std::max(largest, squared_norm(e.x));
      for (std::size_t k = 0; k < d; ++k) {
        b[k] += e.y * static_cast<double>(e.x[k]);
        for (std::size_t l = 0; l < d; ++l) {
          A[k * d + l] += static_cast<double>(e.x[k]) * static_cast<double>(e.x[l]);
        }
      }
    }
  }
  // The ridge solution has a vanishing gradient: (A + 0.01 largest I) w = b.
  for (std::size_t k = 0; k < d; ++k) {
    double row = 0.01 * largest * static_cast<double>(server.weights(0)[k]) - b[k];
    for (std::size_t l = 0; l < d; ++l)
      row += A[k * d + l] * static_cast<double>(server.weights(0)[l]);
    EXPECT_NEAR(row / A[k * d + k], 0.0, 1e-3) << k;  // how far a coordinate is from its best
  }
  EXPECT_NEAR(std::sqrt(squared_norm(server.weights(1))), 0.05, 1e-4);
  EXPECT_GT(server.probabilities()[0], 0.9);  // a model of norm 0.05 is too small
}

TEST(AdaptiveOms, AKernelWithAnInterceptEndsAtRidgeRegression) {
  Problem problem;
  problem.spaces = {Space{.kind = SpaceKind::gaussian,
                          .radius = std::numeric_limits<double>::infinity(),
                          .intercept = true,
                          .features = 2}};
  problem.sample_size = 1;
  problem.rounds = 400;
  problem.scale = 3.0F;  // so that |phi|^2 is not 1
  AdaptiveOms server(problem.adaptive_settings());
  play_all(server, problem);
  const std::size_t d = server.weights(0).size();
  std::vector<double> gradient(d, 0.0);
  std::vector<double> curvature(d, 0.0);
  double largest = 0.0;
  FeatureMaps::Workspace workspace(server.plan().maps);
  for (std::uint32_t t = 0; t < problem.rounds; ++t) {
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      const TestExample e = problem.example(j, t);
      workspace.begin(e.x);
      const auto phi = server.plan().maps.features(0, workspace);
      const double error = dot(server.weights(0), phi) - e.y;
      largest = std::max(largest, squared_norm(phi));
      for (std::size_t k = 0; k < d; ++k) {
        gradient[k] += error * static_cast<double>(phi[k]);
        curvature[k] += static_cast<double>(phi[k]) * static_cast<double>(phi[k]);
      }
    }
  }
  EXPECT_GT(largest, 4.0);
  for (std::size_t k = 0; k < d; ++k) {
    gradient[k] += 0.01 * largest * static_cast<double>(server.weights(0)[k]);
    EXPECT_NEAR(gradient[k] / curvature[k], 0.0, 1e-3) << k;
  }
}

TEST(AdaptiveOms, SecondOrderStepsAreTakenWhereTheyAreAffordable) {
  const auto choice = [](std::vector<Space> spaces, std::size_t inputs, std::size_t copies,
                         Loss loss) {
    auto maps = FeatureMaps::make(std::move(spaces), {inputs, 0}, 1, 0);
    return affordable_second_order({std::move(maps).value(), loss}, copies);
  };
  const Space kernel{.kind = SpaceKind::gaussian, .features = 100};
  const Space large{.kind = SpaceKind::gaussian, .features = 251};
  EXPECT_EQ(choice({Space{}, kernel, large}, 500, 1, {}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(choice({kernel}, 3, 12000, {}), (std::vector<bool>{true}));   // 166,400 bytes each
  EXPECT_EQ(choice({kernel}, 3, 12100, {}), (std::vector<bool>{false}));  // 2.01 GB
  EXPECT_EQ(choice({kernel}, 3, 1, Loss(LinearLoss{})), (std::vector<bool>{false}));
}

}  // namespace
}  // namespace caucus::conformance
