#include "caucus/algorithms/nco_oms.hpp"

#include <gtest/gtest.h>

#include "caucus/algorithms/test_conformance.hpp"

namespace caucus::conformance {
namespace {

TEST(NcoOms, WithOneClientIsFomdOmsBitForBit) {
  Problem problem;
  problem.clients = 1;
  FomdOms alone(problem.settings());
  NcoOms copies(problem.settings(), 1);
  play_all(alone, problem);
  play_all(copies, problem);
  EXPECT_EQ(state_of(alone), state_of(copies));
}

TEST(NcoOms, AClientLearnsTheSameWhoeverElseTakesPart) {
  const Problem problem;
  NcoOms together(problem.settings(), problem.clients);
  NcoOms apart(problem.settings(), problem.clients);
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(together, problem, {r, r - 1, r}, in_order(problem.clients));
    play(apart, problem, {r, r - 1, r}, {3});
  }
  EXPECT_EQ(state_of(together.copy(3)), state_of(apart.copy(3)));
  EXPECT_NE(state_of(together.copy(2)), state_of(apart.copy(2)));
}

TEST(NcoOms, SendsNothing) {
  const Problem problem;
  NcoOms server(problem.settings(), problem.clients);
  Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(server.upload_bits(assignment), 0U);
  EXPECT_EQ(server.download_bits(assignment), 0U);
}

TEST(NcoOms, TheLearnedModelForecastsTheMeanOfTheClients) {
  Problem problem;
  problem.rounds = 30;
  NcoOms server(problem.settings(), problem.clients);
  play_all(server, problem);
  const auto settings = problem.settings();
  const FeatureMaps& maps = settings->plan->maps;
  const LearnedModel all = server.learned();
  Predictor predict(maps, settings->plan->loss, all);
  const TestExample example = problem.example(50, 0);
  double mean = 0.0;
  for (std::size_t j = 0; j < problem.clients; ++j) {
    const LearnedModel one = server.copy(j).learned();
    Predictor predict_one(maps, settings->plan->loss, one);
    mean += predict_one(example.x) / static_cast<double>(problem.clients);
  }
  EXPECT_NEAR(predict(example.x), mean, 1e-6);
}

}  // namespace
}  // namespace caucus::conformance
