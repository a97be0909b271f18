// A server that is restored from its saved state goes on as if nothing had happened, bit for bit;
// and bytes that are no such state are refused.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "caucus/algorithms/test_snapshot.hpp"

namespace caucus::conformance {
namespace {

OmsSettings theory_settings(const Problem& problem) {
  std::vector<SpaceConstants> constants;
  std::vector<double> bounds;
  for (const Space& space : problem.spaces) {
    const double radius = std::isinf(space.radius) ? 3.0 : space.radius;
    constants.push_back({radius, (radius + 1) * (radius + 1), 2 * (radius + 1)});
    bounds.push_back(constants.back().loss_bound);
  }
  const ProblemSize size{problem.spaces.size(), problem.sample_size,
                         static_cast<double>(problem.clients), static_cast<double>(problem.rounds)};
  OmsSettings settings = *problem.settings();
  settings.schedule = TheorySchedule(size, constants);
  settings.entropy = WeightedEntropy(bounds);
  return settings;
}

auto fomd(OmsSettings settings) {
  const auto shared = std::make_shared<const OmsSettings>(std::move(settings));
  return [shared] { return FomdOms(shared); };
}
auto first_order(const Problem& problem) {
  return [settings = problem.first_order_settings()] { return FirstOrderOms(settings); };
}

TEST(FomdOmsSnapshot, GoesOnExactlyWithTheSchedules) {
  const Problem problem = mixed_problem();
  expect_exact(problem, {}, fomd(theory_settings(problem)));
  expect_exact(problem, {}, fomd(*problem.settings()));
  OmsSettings unequal = *problem.settings();
  unequal.entropy = WeightedEntropy({1.0, 2.0, 3.0, 2.5, 0.5, 4.0, 1.5});
  expect_exact(problem, {}, fomd(unequal));
}

TEST(FomdOmsSnapshot, GoesOnExactlyWithLostReportsBatchesAndFixedShare) {
  Problem problem = mixed_problem();
  problem.fixed_share = 0.01;
  problem.sample_size = 3;
  expect_exact(problem, {.per_batch = 4, .dropout = 0.4}, fomd(theory_settings(problem)));
  expect_exact(problem, {.dropout = 0.4}, fomd(*problem.settings()));
}

TEST(FomdOmsSnapshot, GoesOnExactlyWithManyModels) {
  Problem problem = mixed_problem();
  for (int width = 1; width <= 20; ++width) {
    problem.spaces.push_back(
        {.kind = SpaceKind::gaussian, .width = static_cast<double>(width), .features = 4});
  }
  problem.eta = 40.0;  // so that weights move far, and are made anew
  expect_exact(problem, {.dropout = 0.2}, fomd(*problem.settings()));
  expect_exact(problem, {.dropout = 0.2}, fomd(theory_settings(problem)));
}

TEST(FomdOmsSnapshot, GoesOnExactlyWithOneModel) {
  Problem problem;
  problem.spaces.resize(1);
  problem.sample_size = 1;
  expect_exact(problem, {}, fomd(*problem.settings()));
  expect_exact(problem, {}, first_order(problem));
}

TEST(FirstOrderSnapshot, GoesOnExactlyWithLostReportsAndBatches) {
  Problem problem = mixed_problem();
  expect_exact(problem, {.dropout = 0.3}, first_order(problem));
  expect_exact(problem, {.per_batch = 3}, first_order(problem));
}

TEST(FirstOrderSnapshot, GoesOnExactlyWhileDataDriftAndClientsLeave) {
  Problem problem = mixed_problem();
  problem.fixed_share = 0.01;
  expect_exact(problem, {.last_client_leaves_after = 25}, first_order(problem));
  problem.fixed_share = 0.0;
  expect_exact(problem, {.last_client_leaves_after = 25}, first_order(problem));
  expect_exact(problem, {.per_batch = 2, .dropout = 0.5}, first_order(problem));
}

TEST(FirstOrderSnapshot, GoesOnExactlyAfterExtremeInput) {
  for (const float scale : {1e-30F, 1e30F, 3e38F}) {
    for (const Loss& loss : {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(LinearLoss{})}) {
      Problem problem = mixed_problem();
      problem.rounds = 40;
      problem.scale = scale;
      problem.loss = loss;
      problem.eta = 100.0;
      SCOPED_TRACE(loss.name() + " at " + std::to_string(scale));
      expect_exact(problem, {}, first_order(problem));
      expect_exact(problem, {}, fomd(*problem.settings()));
    }
  }
}

TEST(FomdOmsSnapshot, OtherBytesDoNoHarm) {
  expect_no_harm(tiny_problem(), fomd(*tiny_problem().settings()));
}
TEST(FirstOrderSnapshot, OtherBytesDoNoHarm) {
  Problem problem = tiny_problem();
  expect_no_harm(problem, first_order(problem));
}

TEST(FirstOrderSnapshot, IsRefusedByAServerOfOtherSettings) {
  const Problem problem = mixed_problem();
  FirstOrderOms server = first_order(problem)();
  go_on(server, problem, {}, 0, 5);
  const std::string bytes = saved(server);

  Problem fewer = problem;
  fewer.spaces.pop_back();
  Problem longer = problem;
  longer.inputs = 4;
  Problem narrower = problem;
  for (Space& space : narrower.spaces) space.radius = 1e-3;
  for (const Problem& other : {fewer, longer, narrower}) {
    FirstOrderOms refusing = first_order(other)();
    EXPECT_FALSE(restore(refusing, bytes).ok());
  }
  FomdOms another = fomd(*problem.settings())();
  const Status status = restore(another, bytes);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().line().find("fomd-oms"), std::string::npos);
}

}  // namespace
}  // namespace caucus::conformance
