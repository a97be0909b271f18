#include "caucus/algorithms/statistics/statistics_oms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "caucus/algorithms/statistics/test_statistics.hpp"

namespace caucus::conformance {
namespace {

/// Solves (sum z z' + ridge) w = sum y z by elimination.
std::vector<double> ridge_regression(const std::vector<std::vector<double>>& z,
                                     const std::vector<double>& y,
                                     const std::vector<double>& ridge) {
  const std::size_t d = ridge.size();
  std::vector<std::vector<double>> rows(d, std::vector<double>(d + 1, 0.0));
  for (std::size_t k = 0; k < d; ++k) {
    rows[k][k] = ridge[k];
    for (std::size_t n = 0; n < z.size(); ++n) {
      for (std::size_t l = 0; l < d; ++l) rows[k][l] += z[n][k] * z[n][l];
      rows[k][d] += z[n][k] * y[n];
    }
  }
  for (std::size_t k = 0; k < d; ++k) {  // positive definite, so that no pivots are needed
    for (std::size_t l = 0; l < d; ++l) {
      if (l == k) continue;
      const double factor = rows[l][k] / rows[k][k];
      for (std::size_t m = k; m <= d; ++m) rows[l][m] -= factor * rows[k][m];
    }
  }
  std::vector<double> w(d);
  for (std::size_t k = 0; k < d; ++k) w[k] = rows[k][d] / rows[k][k];
  return w;
}

TEST(StatisticsOms, IsRidgeRegressionAfterEveryBatch) {
  for (const bool intercept : {false, true}) {
    for (const std::size_t clients : {1U, 3U}) {
      Problem problem;
      problem.spaces = {Space{.radius = kFree, .intercept = intercept}};
      problem.sample_size = 1;
      problem.clients = clients;
      StatisticsOms server(problem.statistics_settings());
      Clients<StatisticsOms> memory(problem);
      std::vector<double> ridge(problem.inputs, 0.003 * static_cast<double>(problem.inputs));
      if (intercept) ridge.push_back(0.003);
      std::vector<std::vector<double>> z;
      std::vector<double> y;
      Batch batch{0, 0, 0};
      while (batch.last < 100) {
        batch = {batch.number + 1, batch.last, batch.last + 1 + batch.last / 3};
        play(server, problem, batch, in_order(clients), memory);
        for (std::uint32_t j = 0; j < clients; ++j) {
          for (std::size_t t = batch.first; t < batch.last; ++t) {
            const TestExample example = problem.example(j, static_cast<std::uint32_t>(t));
            z.push_back(features_at(server.plan(), 0, example));
            y.push_back(example.y);
          }
        }
        const auto expected = ridge_regression(z, y, ridge);
        for (std::size_t k = 0; k < expected.size(); ++k) {
          ASSERT_NEAR(static_cast<double>(server.weights(0)[k]), expected[k], 2e-4) << batch.last;
        }
      }
      EXPECT_EQ(server.probabilities()[0], 1.0);
    }
  }
}

TEST(StatisticsOms, SelectsTheBetterOfTwoSpaces) {
  const Space small{.radius = 0.02};
  const Space wide{.kind = SpaceKind::gaussian, .radius = 3.0, .width = 2.0, .features = 20};
  Space small_kernel = kWithLinear;
  small_kernel.radius = 0.02;
  Space wild{.kind = SpaceKind::gaussian, .radius = 3.0, .width = 0.05, .features = 20};
  const std::vector<std::vector<Space>> pairs = {
      {small, Space{.radius = 2.0}},                        // two models that one client holds
      {small, wide},                                        //
      {Space{.radius = 0.02, .intercept = true}, kAffine},  // both known on every batch
      {small_kernel, kAffine},                              // compared with the reference
      {wild, kAffine},
      {Space{.radius = 0.02, .intercept = true}, kWithLinear}};
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    for (const bool swapped : {false, true}) {
      Problem problem;
      problem.spaces = pairs[n];
      if (swapped) std::swap(problem.spaces[0], problem.spaces[1]);
      problem.rounds = 120;
      StatisticsOms server(problem.statistics_settings());
      play_all(server, problem, 3);
      EXPECT_GT(server.probabilities()[swapped ? 0 : 1], 0.9) << n;
    }
  }
}

TEST(StatisticsOms, WithoutModelsAClientPredictsFromItsOwnRows) {
  Problem problem;
  problem.personal = true;
  StatisticsOms server(problem.statistics_settings());
  auto forecast = server.new_forecast();
  auto mean = server.new_mean();
  Assignment assignment;
  server.assign({1, 0, 30}, 0, assignment);
  for (const HeldModel& model : assignment.held) EXPECT_EQ(model.share, 0.0);
  mean.begin(assignment);
  StatisticsOms::ClientState memory;
  PersonalLayer alone(problem.inputs, problem.loss);
  double last_error = 1.0;
  for (std::uint32_t t = 0; t < 30; ++t) {
    const TestExample example = problem.example(0, t);
    server.predict(memory, assignment, example.x, forecast);
    EXPECT_EQ(forecast.output, alone.predict(example.x, std::nullopt));
    server.report(memory, forecast, example.y, mean);
    alone.observe(example.y);
    last_error = std::abs(forecast.output - example.y);
  }
  EXPECT_LT(last_error, 0.05);
}

TEST(StatisticsOms, WithoutModelsAndPersonalLayerItPredictsZero) {
  Problem problem;
  StatisticsOms server(problem.statistics_settings());
  Clients<StatisticsOms> memory(problem);
  play(server, problem, {1, 0, 3}, in_order(problem.clients), memory);
  EXPECT_EQ(memory.forecasts, std::vector<double>(15, 0.0));
  EXPECT_FALSE(memory.memory[0]);
  play(server, problem, {2, 3, 4}, in_order(problem.clients), memory);
  EXPECT_NE(memory.forecasts.back(), 0.0);
}

TEST(StatisticsOms, AnExpertPredictsBeforeModelsAreKnownAndIsSelectedIfItIsBest) {
  Problem problem;
  const Space oracle{.kind = SpaceKind::expert, .function = [](std::span<const float> x) {
                       return 0.5F + 0.3F * (x[0] + x[1] / 2.0F + x[2] / 3.0F);
                     }};
  for (const bool with_reference : {false, true}) {
    problem.spaces = {
        Space{.radius = 0.3, .intercept = with_reference}, oracle,
        Space{.kind = SpaceKind::expert, .function = [](std::span<const float>) { return 5.0F; }}};
    problem.sample_size = 3;
    problem.rounds = 40;
    StatisticsOms server(problem.statistics_settings());
    const auto forecasts = play_all(server, problem);
    EXPECT_NEAR(forecasts[0], 0.5 * (problem.example(0, 0).y + 5.0), 1e-6);
    EXPECT_GT(server.probabilities()[1], 0.9);
    EXPECT_NEAR(forecasts.back(), problem.example(4, 39).y, 0.02);
  }
}

/// The mean loss of a forecast per example, in the second half of a run.
double later_loss(const Problem& problem, const std::vector<double>& forecasts) {
  double sum = 0.0;
  const std::size_t half = problem.rounds / 2;
  for (std::size_t t = half; t < problem.rounds; ++t) {
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      const TestExample example = problem.example(j, static_cast<std::uint32_t>(t));
      sum += problem.loss.value(forecasts[t * problem.clients + j], example.y);
    }
  }
  return sum / static_cast<double>((problem.rounds - half) * problem.clients);
}

TEST(StatisticsOms, LearnsWithEveryLoss) {
  for (const Loss& loss :
       {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(HuberLoss{}), Loss(LogisticLoss{}),
        Loss(HingeLoss{}), Loss(PinballLoss{0.2}), Loss(LinearLoss{})}) {
    for (const bool personal : {false, true}) {
      Problem problem;
      for (Space& space : problem.spaces) {
        space.radius = 4.0;
        space.intercept = true;
      }
      problem.loss = loss;
      problem.rounds = 200;
      problem.personal = personal;
      StatisticsOms server(problem.statistics_settings());
      Clients<StatisticsOms> clients(problem);
      std::vector<double> forecasts(problem.rounds * problem.clients);
      Batch batch{0, 0, 0};
      while (batch.last < problem.rounds) {
        batch = {batch.number + 1, batch.last,
                 std::min(batch.last + 4 + batch.last / 4, problem.rounds)};
        clients.forecasts.clear();
        play(server, problem, batch, in_order(problem.clients), clients);
        const std::size_t length = batch.last - batch.first;  // client by client
        for (std::size_t n = 0; n < clients.forecasts.size(); ++n) {
          forecasts[(batch.first + n % length) * problem.clients + n / length] =
              clients.forecasts[n];
        }
      }
      double constant = 1e9;
      for (double v = -1.0; v <= 1.0; v += 0.01) {
        constant =
            std::min(constant, later_loss(problem, std::vector<double>(forecasts.size(), v)));
      }
      EXPECT_LT(later_loss(problem, forecasts), 0.6 * constant)
          << loss.name() << (personal ? " with personal layers" : "");
    }
  }
}

TEST(StatisticsOms, SumsWithoutAllCoordinatesTeachTheLeadingOnes) {
  Problem problem;
  problem.spaces = {kWithLinear};
  problem.sample_size = 1;
  problem.uploads = {
      .rounds = 0, .growth = 1.25, .least = 8, .hides_examples = true, .numbers = 1000};
  StatisticsOms server(problem.statistics_settings());
  Clients<StatisticsOms> memory(problem);
  const auto zero_from = [&] {
    const auto w = server.weights(0);
    std::size_t end = w.size();
    while (end > 0 && w[end - 1] == 0.0F) --end;
    return end;
  };
  play(server, problem, {1, 0, 7}, in_order(problem.clients), memory);
  EXPECT_EQ(zero_from(), 0U) << "7 examples are too few";
  play(server, problem, {2, 7, 16}, in_order(problem.clients), memory);
  EXPECT_EQ(zero_from(), 4U);
  play(server, problem, {3, 16, 36}, in_order(problem.clients), memory);
  EXPECT_EQ(zero_from(), 10U);
  play(server, problem, {4, 36, 80}, in_order(problem.clients), memory);
  EXPECT_EQ(zero_from(), 4U + 16U);
}

TEST(StatisticsOms, ForgetsThePastWithFixedShare) {
  Problem problem;
  problem.spaces = {kAffine, kWithLinear};
  problem.rounds = 100;
  Problem turned = problem;
  turned.scale = -1.0F;  // the same targets of the opposite inputs
  double errors[2] = {0.0, 0.0};
  for (const bool forgets : {false, true}) {
    problem.fixed_share = turned.fixed_share = forgets ? 0.05 : 0.0;
    StatisticsOms server(problem.statistics_settings());
    play_all(server, problem);
    play_all(server, turned);
    for (std::uint32_t t = 0; t < 100; ++t) {
      const TestExample example = turned.example(77, t);
      errors[forgets ? 1 : 0] += std::abs(output_of(server, 0, example) - example.y);
    }
  }
  EXPECT_LT(errors[1], 0.05 * errors[0]);
}

}  // namespace
}  // namespace caucus::conformance
