// How the losses of spaces are compared under the adaptive schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "caucus/algorithms/statistics/test_statistics.hpp"

namespace caucus::conformance {
namespace {

/// The sums over the reports of one batch, in which every client holds the given spaces.
BatchSums aggregate_of(const StatisticsOms& server, const Problem& problem, const Batch& batch,
                       const std::vector<std::uint32_t>& spaces) {
  auto forecast = server.new_forecast();
  auto mean = server.new_mean();
  auto aggregate = server.new_aggregate();
  StatisticsOms::ClientState memory;
  for (std::uint32_t j = 0; j < problem.clients; ++j) {
    Assignment assignment{j, {}, batch.last - batch.first};
    for (const std::uint32_t i : spaces) assignment.held.push_back({i, server.weights(i), 0.0});
    mean.begin(assignment);
    for (std::size_t t = batch.first; t < batch.last; ++t) {
      const TestExample example = problem.example(j, static_cast<std::uint32_t>(t));
      server.predict(memory, assignment, example.x, forecast);
      server.report(memory, forecast, example.y, mean);
    }
    ReportBatch report;
    mean.report(report);
    server.aggregate(report, aggregate);
  }
  return aggregate;
}

TEST(StatisticsComparison, FindsTheSumsOfTheLinearSpaceInThoseOfAKernel) {
  const Problem problem = reference_problem();
  const StatisticsOms server(problem.statistics_settings());
  const Batch batch{1, 0, 12};
  const std::size_t map = server.plan().maps.map_of(3);
  BatchSums direct = aggregate_of(server, problem, batch, {2, 3});
  BatchSums beside = aggregate_of(server, problem, batch, {3, 0});
  BatchSums alone = aggregate_of(server, problem, batch, {0});  // nobody holds the linear space
  const SymmetricMatrix& sums = direct.of_map[map].sums;
  ASSERT_EQ(sums.size(), problem.inputs + 2);
  EXPECT_EQ(direct.of_map[map].examples, 60.0);
  for (const BatchSums* other : {&beside, &alone}) {
    EXPECT_EQ(other->of_map[map].examples, 60.0);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        EXPECT_NEAR(other->of_map[map].sums(r, c), sums(r, c), 2e-5);
      }
    }
  }
  EXPECT_NEAR(sums(problem.inputs + 1, problem.inputs + 1), 60.0, 1e-9);
  direct.clear();
  EXPECT_TRUE(direct.of_map[map].sums.empty());
  EXPECT_TRUE(direct.touched.empty());
}

TEST(StatisticsComparison, IsWithTheLossOfTheReference) {
  Problem problem = reference_problem();
  StatisticsOms server(problem.statistics_settings());
  play_all(server, problem, 3);
  const Batch batch{9, 50, 62};
  const std::vector<std::uint32_t> held = {0, 2, 4, 3};
  const BatchSums sums = aggregate_of(server, problem, batch, held);
  // The reference is the first linear space with an intercept; 3 has the same map. 5 was not held.
  const auto loss = [&](std::size_t space) {
    double total = 0.0;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      for (std::size_t t = batch.first; t < batch.last; ++t) {
        const TestExample example = problem.example(j, static_cast<std::uint32_t>(t));
        total += std::pow(output_of(server, space, example) - example.y, 2);
      }
    }
    return total;
  };
  EXPECT_EQ(sums.losses.examples, 60.0);
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U}) {
    EXPECT_NEAR(sums.losses.sums[i], loss(i) - loss(1), 1e-3) << i;
    EXPECT_EQ(sums.losses.compared[i], 60.0) << i;
  }
  EXPECT_EQ(sums.losses.compared[5], 0.0);
  EXPECT_EQ(sums.losses.sums[5], 0.0);
  EXPECT_GT(std::abs(loss(4) - loss(1)), 0.1) << "the comparison is too easy";
}

TEST(StatisticsComparison, WithTheReferenceStandsForTheExamplesOfAllClients) {
  Problem problem = reference_problem();
  StatisticsOms server(problem.statistics_settings());
  play_all(server, problem, 3);
  const Batch batch{9, 12, 24};
  BatchSums few = server.new_aggregate();
  few.losses.examples = 60.0;
  few.losses.sums = {1.0, 0.0, -2.0, 0.5, 3.0, 0.0};
  few.losses.compared = {12.0, 60.0, 30.0, 60.0, 60.0, 0.0};
  BatchSums all = few;
  all.losses.sums = {5.0, 0.0, -4.0, 0.5, 3.0, 0.0};
  all.losses.compared.assign(6, 60.0);
  StatisticsOms other = server;
  const auto before = server.selection();
  server.step(batch, few);
  other.step(batch, all);
  EXPECT_EQ(server.selection(), other.selection());
  EXPECT_NE(server.selection(), before);
}

/// All ways to hold J of K models: the held set, and its probability under the draws from p.
struct Draw {
  std::vector<std::uint32_t> held;
  double probability = 0.0;
};
std::vector<Draw> all_draws(const std::vector<double>& p, std::size_t J) {
  const std::size_t K = p.size();
  double others = 1.0;  // (K - 1) over (J - 1)
  for (std::size_t k = 1; k < J; ++k) {
    others *= static_cast<double>(K - k) / static_cast<double>(k);
  }
  std::vector<Draw> draws;
  for (unsigned set = 0; set < (1U << K); ++set) {
    Draw draw;
    for (std::uint32_t i = 0; i < K; ++i) {
      if ((set >> i & 1U) == 0) continue;
      draw.held.push_back(i);
      draw.probability += p[i] / others;
    }
    if (draw.held.size() == J) draws.push_back(draw);
  }
  return draws;
}

/// The mean over all draws of the differences that one report gives, where models were drawn with
/// the probabilities `drawn_with`; empty means those of the server.
void expect_unbiased_pairs(std::size_t J, std::vector<double> drawn_with) {
  Problem problem;  // has no reference
  problem.sample_size = J;
  problem.rounds = 8;
  StatisticsOms server(problem.statistics_settings());
  play_all(server, problem, 2);
  const std::size_t K = server.models();
  const std::vector<double> p = server.probabilities().probabilities();
  const bool late = !drawn_with.empty();
  if (!late) drawn_with = p;
  const std::vector<double> losses = {0.25, 1.5, 0.0, 4.0};
  double mean = 0.0;
  for (std::size_t i = 0; i < K; ++i) mean += p[i] * losses[i];
  std::vector<double> expected(K, 0.0);
  double total = 0.0;
  for (const Draw& draw : all_draws(drawn_with, J)) {
    ReportBatch report;
    report.add_report(0, 7);
    for (const std::uint32_t i : draw.held) {
      report.add_model(i, static_cast<float>(losses[i]), 0);
      if (late) report.mark_late(report.spaces.size() - 1, drawn_with[i]);
    }
    BatchSums sums = server.new_aggregate();
    server.aggregate(report, sums);
    for (std::size_t i = 0; i < K; ++i) expected[i] += draw.probability * sums.losses.sums[i];
    total += draw.probability;
  }
  ASSERT_NEAR(total, 1.0, 1e-12);
  for (std::size_t i = 0; i < K; ++i) {
    EXPECT_NEAR(expected[i], 7.0 * (losses[i] - mean), 1e-10) << "J = " << J << ", " << i;
  }
  EXPECT_GT(std::abs(p[0] - p[2]), 0.02) << "p is too uniform to see a bias";
}

TEST(StatisticsComparison, OfPairsIsUnbiased) {
  for (const std::size_t J : {2U, 3U, 4U}) expect_unbiased_pairs(J, {});
}
TEST(StatisticsComparison, OfPairsThatWereDrawnEarlierIsUnbiased) {
  for (const std::size_t J : {2U, 3U, 4U}) expect_unbiased_pairs(J, {0.4, 0.1, 0.2, 0.3});
}

TEST(StatisticsComparison, EveryClientHoldsTheReferenceBesideTheDrawnModels) {
  for (const std::size_t J : {2U, 3U, 5U, 6U}) {
    Problem problem = reference_problem();
    problem.sample_size = J;
    problem.uploads = {.rounds = 4};
    StatisticsOms server(problem.statistics_settings());
    Clients<StatisticsOms> memory(problem);
    for (std::uint32_t r = 1; r <= 20; ++r) {
      Assignment assignment;
      server.assign({r, r, r + 4}, 2, assignment);
      EXPECT_EQ(assignment.examples, 4U);
      std::set<std::uint32_t> spaces;
      double shares = 0.0;
      for (const HeldModel& model : assignment.held) {
        spaces.insert(model.space);
        shares += model.share;
        EXPECT_EQ(model.weights.data(), server.weights(model.space).data());
      }
      EXPECT_EQ(spaces.size(), assignment.held.size()) << "a model is held twice";
      EXPECT_EQ(spaces.size(), std::min<std::size_t>(J + 1, 6));
      EXPECT_EQ(assignment.held.back().space, 1U);
      if (r > 1) {
        EXPECT_NEAR(shares, 1.0, 1e-12);
      }
      play(server, problem, {r, r, r + 1}, in_order(problem.clients), memory);
    }
  }
}

}  // namespace
}  // namespace caucus::conformance
