#include <gtest/gtest.h>

#include <string>

#include "caucus/algorithms/test_snapshot.hpp"

namespace caucus::conformance {
namespace {

auto statistics(const Problem& problem) {
  return [settings = problem.statistics_settings()] { return StatisticsOms(settings); };
}

/// A linear space that all clients hold, and kernels that contain its sums.
Problem problem_with_reference() {
  Problem problem = mixed_problem();
  for (Space& space : problem.spaces) space.intercept = true;
  return problem;
}

TEST(StatisticsSnapshot, GoesOnExactly) {
  Problem problem = mixed_problem();
  problem.spaces[4].intercept = false;
  expect_exact(problem, {}, statistics(problem));  // without a reference
  for (const double fixed_share : {0.0, 0.01}) {
    problem = problem_with_reference();
    problem.fixed_share = fixed_share;
    expect_exact(problem, {}, statistics(problem));
    expect_exact(problem, {.per_batch = 4, .dropout = 0.4}, statistics(problem));
    problem.sample_size = problem.spaces.size();
    expect_exact(problem, {.last_client_leaves_after = 25}, statistics(problem));
  }
}

TEST(StatisticsSnapshot, GoesOnExactlyWithOneModel) {
  Problem problem;
  problem.spaces.resize(1);
  problem.sample_size = 1;
  expect_exact(problem, {}, statistics(problem));
}

TEST(StatisticsSnapshot, GoesOnExactlyAfterExtremeInput) {
  for (const float scale : {1e-30F, 1e30F, 3e38F}) {
    for (const Loss& loss : {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(LinearLoss{})}) {
      Problem problem = problem_with_reference();
      problem.rounds = 40;
      problem.scale = scale;
      problem.loss = loss;
      SCOPED_TRACE(loss.name() + " at " + std::to_string(scale));
      expect_exact(problem, {}, statistics(problem));
    }
  }
}

TEST(StatisticsSnapshot, OtherBytesDoNoHarm) {
  Problem problem = tiny_problem();
  expect_no_harm(problem, statistics(problem));
  for (Space& space : problem.spaces) space.intercept = true;
  expect_no_harm(problem, statistics(problem));
}

TEST(StatisticsSnapshot, IsRefusedByAServerOfOtherSettings) {
  const Problem problem = problem_with_reference();
  StatisticsOms server = statistics(problem)();
  go_on(server, problem, {}, 0, 5);
  const std::string bytes = saved(server);
  Problem fewer = problem;
  fewer.spaces.pop_back();
  Problem longer = problem;
  longer.inputs = 4;
  Problem narrower = problem;
  for (Space& space : narrower.spaces) space.radius = 1e-3;
  for (const Problem& other : {fewer, longer, narrower}) {
    StatisticsOms refusing = statistics(other)();
    EXPECT_FALSE(restore(refusing, bytes).ok());
  }
  FirstOrderOms another(problem.first_order_settings());
  EXPECT_FALSE(restore(another, bytes).ok());
}

}  // namespace
}  // namespace caucus::conformance
