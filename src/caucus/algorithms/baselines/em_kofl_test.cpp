#include "caucus/algorithms/baselines/kofl.hpp"

#include <gtest/gtest.h>

#include <set>

#include "caucus/algorithms/baselines/hedge.hpp"
#include "caucus/algorithms/baselines/kofl_reference_test.hpp"

namespace caucus::conformance {
namespace {

/// Plays both side by side, with the given clients reporting.
void expect_described_em_kofl(const Problem& problem, std::size_t per_batch,
                              const std::vector<std::uint32_t>& reporting) {
  EmKofl server(problem.baseline_settings());
  Clients<EmKofl> clients(problem);
  PlainKofl plain(problem);
  Matrix means = zero_models(plain.plan->maps);
  Vector cumulative(plain.K, 0.0);
  Vector p(plain.K, 1.0 / static_cast<double>(plain.K));
  const auto draw = [&](std::uint32_t batch) {
    Stream stream({problem.seed, Purpose::sampling, problem.repetition, batch, 0xFFFFFFFFU});
    return quantile(p, stream.uniform());
  };
  std::size_t I = draw(0);
  Vector forecasts;
  std::set<std::size_t> drawn;
  for (Batch batch = next_batch({0, 0, 0}, per_batch, problem.rounds); batch.first < problem.rounds;
       batch = next_batch(batch, per_batch, problem.rounds)) {
    ASSERT_EQ(server.chosen(), I) << batch.number;
    drawn.insert(I);
    play(server, problem, batch, reporting, clients);
    for (const auto j : reporting) {
      plain.W[j][I] = means[I];
      for (std::size_t t = batch.first; t < batch.last; ++t) {
        forecasts.push_back(plain.outputs(j, t)[I]);
        plain.step(j, t, cumulative);
      }
    }
    Vector logs;
    for (const double loss : cumulative) logs.push_back(-problem.eta * loss);
    p = softmax(logs);
    I = draw(batch.number);
    means[I] = plain.mean(I, reporting);
  }
  EXPECT_GT(drawn.size(), 1U) << "more than one model must have been through the server";
  EXPECT_GT(largest_weight(server.learned()), 0.1);
  EXPECT_LT(distance(server.learned(), p, means), 1e-4);
  ASSERT_EQ(clients.forecasts.size(), forecasts.size());
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    EXPECT_NEAR(clients.forecasts[t], forecasts[t], 1e-4) << t;
  }
  for (const auto j : reporting) {
    for (std::size_t i = 0; i < plain.K; ++i) {
      for (std::size_t k = 0; k < plain.W[j][i].size(); ++k) {
        EXPECT_NEAR(static_cast<double>(clients.memory[j].models[i][k]), plain.W[j][i][k], 1e-4);
      }
    }
  }
}

TEST(EmKofl, IsWhatItsDescriptionSays) { expect_described_em_kofl(kofl_problem(), 1, in_order(5)); }

TEST(EmKofl, InBatchesTheModelsMoveEveryRoundAndMeetAtTheEnds) {
  expect_described_em_kofl(kofl_problem(), 3, in_order(5));
}

TEST(EmKofl, AveragesOverThoseThatReport) {
  expect_described_em_kofl(kofl_problem(), 1, {0, 3, 4});
}

TEST(EmKofl, SendsOneModelAndAllLosses) {
  const Problem problem = kofl_problem();  // dimensions 3, 3, 16, 16
  EmKofl server(problem.baseline_settings());
  EmKofl::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  ASSERT_EQ(assignment.held.size(), 1U);
  const std::size_t d = server.chosen() < 2 ? 3 : 16;
  EXPECT_EQ(server.upload_bits(assignment), 32 * (4 + d) + 2);
  EXPECT_EQ(server.download_bits(assignment), 32 * d + 2);
}

TEST(EmKofl, AFrozenExpertThatIsRightWins) {
  Problem problem = kofl_problem();
  problem.spaces.resize(2);
  problem.spaces.push_back(Space{.kind = SpaceKind::expert, .function = [](auto x) {
                                   return 0.5F + 0.3F * (x[0] + x[1] / 2.0F + x[2] / 3.0F);
                                 }});
  EmKofl server(problem.baseline_settings());
  play_all(server, problem);
  EXPECT_GT(server.selection()[2], 0.9);
  EXPECT_TRUE(server.learned().weights[2].empty());
}

TEST(EmKofl, ALossWithoutASquareTakesItsDerivative) {
  // One client, one linear space, one round: W = -eta l'(0, y) x.
  Problem problem;
  problem.spaces.resize(1);
  problem.clients = 1;
  problem.rounds = 1;
  problem.loss = Loss(AbsoluteLoss{});
  EmKofl server(problem.baseline_settings());
  play_all(server, problem);
  const TestExample e = problem.example(0, 0);
  const double slope = e.y > 0.0 ? -1.0 : 1.0;
  for (std::size_t l = 0; l < 3; ++l) {
    EXPECT_NEAR(static_cast<double>(server.learned().weights[0][l]),
                -problem.lambda * slope * static_cast<double>(e.x[l]), 1e-6);
  }
}

TEST(EmKofl, NoRateOfAnyGridGivesNaN) { expect_no_nan_in_any_grid<EmKofl>(); }

TEST(EmKofl, ADivergingModelIsSeenInTheForecasts) { expect_divergence_is_seen<EmKofl>(); }

}  // namespace
}  // namespace caucus::conformance
