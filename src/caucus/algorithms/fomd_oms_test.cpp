#include "caucus/algorithms/fomd_oms.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "caucus/algorithms/paper_reference_test.hpp"
#include "caucus/algorithms/test_conformance.hpp"
#include "caucus/ball.hpp"
#include "caucus/box.hpp"
#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/fomd_no_lu.hpp"

namespace caucus::conformance {
namespace {

void expect_follows_the_paper(const Problem& problem, std::uint32_t per_batch) {
  FomdOms server(problem.settings());
  PaperReference reference(problem);
  std::uint32_t number = 0;
  for (std::uint32_t first = 0; first < problem.rounds; first += per_batch) {
    const auto last =
        std::min<std::uint32_t>(first + per_batch, static_cast<std::uint32_t>(problem.rounds));
    const Batch batch{++number, first, last};
    std::vector<std::vector<std::uint32_t>> held;
    Assignment assignment;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      server.assign(batch, j, assignment);
      auto& list = held.emplace_back();
      for (const HeldModel& model : assignment.held) list.push_back(model.space);
    }
    play(server, problem, batch, in_order(problem.clients));
    reference.round(held, first, last);
  }
  for (std::size_t i = 0; i < problem.spaces.size(); ++i) {
    EXPECT_NEAR(server.probabilities()[i], reference.p[i], 1e-5);
    for (std::size_t k = 0; k < reference.w[i].size(); ++k) {
      EXPECT_NEAR(static_cast<double>(server.weights(i)[k]), reference.w[i][k], 1e-4);
    }
  }
}

TEST(FomdOms, FollowsThePaperStepByStep) {
  Problem problem;
  problem.rounds = 60;
  for (const std::size_t J : {2U, 3U, 4U}) {
    problem.sample_size = J;
    expect_follows_the_paper(problem, 1);
  }
}

TEST(FomdOms, FollowsThePaperWithFewerUploadsAndAShorterLastBatch) {
  Problem problem;
  problem.rounds = 62;
  expect_follows_the_paper(problem, 5);
}

TEST(FomdOms, HoldingAllModelsEqualsTheGeneralFrameworkBitForBit) {
  Problem problem;
  problem.spaces = {Space{.radius = 0.3}, Space{.radius = 1.0}};
  problem.sample_size = 2;
  FomdOms server(problem.settings());
  const std::size_t d = problem.inputs;
  FomdNoLu<Ball> small(Ball{0.3}, std::vector<float>(d, 0.0F));
  FomdNoLu<Ball> large(Ball{1.0}, std::vector<float>(d, 0.0F));
  FomdNoLu<WeightedEntropy> p(WeightedEntropy({4.0, 4.0}), Simplex::uniform(2));
  for (std::uint32_t r = 1; r <= 40; ++r) {
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      const TestExample e = problem.example(j, r - 1);
      std::vector<double> losses;
      for (auto* model : {&small, &large}) {
        const double v = dot(model->decision(), e.x);
        std::vector<float> gradient;
        for (const float x : e.x) gradient.push_back(static_cast<float>(2.0 * (v - e.y)) * x);
        losses.push_back(static_cast<double>(static_cast<float>((v - e.y) * (v - e.y))));
        model->receive(gradient);
      }
      p.receive(losses);
    }
    play(server, problem, {r, r - 1, r}, in_order(problem.clients));
    small.step(problem.lambda);
    large.step(problem.lambda);
    p.step(problem.eta);
    for (std::size_t k = 0; k < d; ++k) {
      ASSERT_EQ(server.weights(0)[k], small.decision()[k]);
      ASSERT_EQ(server.weights(1)[k], large.decision()[k]);
    }
    ASSERT_NEAR(server.probabilities()[0], p.decision()[0], 1e-13);
  }
}

TEST(FomdOms, UntouchedModelsKeepTheirWeights) {
  Problem problem;
  problem.clients = 1;
  FomdOms server(problem.settings());
  Assignment assignment;
  for (std::uint32_t r = 1; r <= 30; ++r) {
    const FomdOms before = server;
    server.assign({r, r - 1, r}, 0, assignment);
    play(server, problem, {r, r - 1, r}, {0});
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool held = std::any_of(assignment.held.begin(), assignment.held.end(),
                                    [&](const HeldModel& m) { return m.space == i; });
      const auto a = before.weights(i);
      const auto b = server.weights(i);
      EXPECT_TRUE(held || std::equal(a.begin(), a.end(), b.begin()));
    }
  }
}

TEST(FomdOms, CommunicationFollowsTheFormula) {
  const Problem problem;  // dimensions 3, 3, 16, 16; K = 4 needs 2 bits per index
  FomdOms server(problem.settings());
  Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  std::size_t floats = 0;
  for (const HeldModel& model : assignment.held) floats += model.space < 2 ? 3 : 16;
  EXPECT_EQ(server.download_bits(assignment), 32 * floats + 2 * 2);
  EXPECT_EQ(server.upload_bits(assignment), 32 * (floats + 2) + 2 * 2);
}

TEST(FomdOms, ImpossibleSettingsAreRefused) {
  Problem problem;
  for (const std::size_t J : {0U, 1U, 5U}) {
    problem.sample_size = J;
    EXPECT_FALSE(problem.settings()->validate().ok()) << J;
  }
  problem.sample_size = 2;
  EXPECT_TRUE(problem.settings()->validate().ok());
  problem.loss_bound = kInfinity;
  EXPECT_FALSE(problem.settings()->validate().ok());
}

TEST(FomdOms, FrozenExpertsAreSelectedByTheirLoss) {
  Problem problem;
  problem.spaces = {Space{.kind = SpaceKind::expert}, Space{.kind = SpaceKind::expert}};
  problem.spaces[0].function = [](std::span<const float>) { return 5.0F; };
  problem.spaces[1].function = [](std::span<const float>) { return 0.5F; };
  problem.rounds = 60;
  problem.eta = 1.0;
  FomdOms server(problem.settings());
  play_all(server, problem);
  EXPECT_GT(server.probabilities()[1], 0.99);
}

RC_GTEST_PROP(FomdOms, AnyConfigurationKeepsItsInvariants, ()) {
  Problem problem;
  problem.spaces.clear();
  const auto K = *rc::gen::inRange<std::size_t>(2, 12);
  for (std::size_t i = 0; i < K; ++i) {
    const bool kernel = *rc::gen::arbitrary<bool>();
    problem.spaces.push_back(
        Space{.kind = kernel ? SpaceKind::gaussian : SpaceKind::linear,
              .radius = 0.1 + *rc::gen::inRange(0, 30) / 10.0,
              .constraint = *rc::gen::arbitrary<bool>() ? Constraint::ball : Constraint::box,
              .width = 0.5 + static_cast<double>(i),
              .features = 4});
  }
  problem.sample_size = *rc::gen::inRange<std::size_t>(2, K + 1);
  problem.clients = *rc::gen::inRange<std::size_t>(1, 7);
  problem.eta = std::pow(10.0, *rc::gen::inRange(-3, 4));
  problem.lambda = std::pow(10.0, *rc::gen::inRange(-3, 3));
  problem.seed = *rc::gen::arbitrary<std::uint64_t>();
  FomdOms server(problem.settings());
  play_all(server, problem, *rc::gen::inRange<std::size_t>(1, 6));
  double sum = 0.0;
  for (const double p : server.probabilities().probabilities()) sum += p;
  RC_ASSERT(std::abs(sum - 1.0) < 1e-12);
  for (std::size_t i = 0; i < K; ++i) {
    const double norm = std::sqrt(squared_norm(server.weights(i)));
    RC_ASSERT(norm <= problem.spaces[i].radius * (1.0 + 1e-6));
  }
}

TEST(FomdOms, TakesTheStepsOfAUsersOwnSet) {
  Problem boxes;
  for (Space& space : boxes.spaces) space.constraint = Constraint::box;
  boxes.lambda = 3.0;  // large enough for every projection to be needed
  Problem own = boxes;
  std::size_t steps = 0;
  for (Space& space : own.spaces) {
    space.own_step = [&steps, box = Box{space.radius}](
                         std::span<float> w, std::span<const float> gradient, double rate) {
      ++steps;
      box.descend(w, gradient, rate);
    };
    space.constraint = Constraint::ball;
  }
  FomdOms expected(boxes.settings());
  FomdOms server(own.settings());
  EXPECT_EQ(play_all(server, own), play_all(expected, boxes));
  EXPECT_EQ(server.learned().weights, expected.learned().weights);
  EXPECT_GT(steps, 0U);
}

}  // namespace
}  // namespace caucus::conformance
