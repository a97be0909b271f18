#include "caucus/algorithms/baselines/kofl.hpp"

#include <gtest/gtest.h>

#include <set>

#include "caucus/algorithms/baselines/kofl_reference_test.hpp"

namespace caucus::conformance {
namespace {

void expect_described_pm_kofl(const Problem& problem, std::size_t per_batch,
                              const std::vector<std::uint32_t>& reporting) {
  PmKofl server(problem.baseline_settings());
  Clients<PmKofl> clients(problem);
  PlainKofl plain(problem);
  const auto K = static_cast<double>(plain.K);
  Matrix means = zero_models(plain.plan->maps);
  Matrix log_v(problem.clients, Vector(plain.K, 0.0));
  Vector selection;
  Vector unused(plain.K, 0.0);
  Vector forecasts;
  const auto draw = [&](const Vector& p, Purpose purpose, std::uint32_t batch, std::uint32_t j) {
    return quantile(p, Stream({problem.seed, purpose, problem.repetition, batch, j}).uniform());
  };
  std::size_t I = draw(Vector(plain.K, 1.0 / K), Purpose::sampling, 0, 0xFFFFFFFFU);
  std::set<std::size_t> drawn;
  for (Batch batch = next_batch({0, 0, 0}, per_batch, problem.rounds); batch.first < problem.rounds;
       batch = next_batch(batch, per_batch, problem.rounds)) {
    ASSERT_EQ(server.chosen(), I) << batch.number;
    drawn.insert(I);
    play(server, problem, batch, reporting, clients);
    std::vector<std::vector<std::uint32_t>> senders(plain.K);
    selection.assign(plain.K, 0.0);
    for (const auto j : reporting) {
      plain.W[j][I] = means[I];
      for (std::size_t t = batch.first; t < batch.last; ++t) {
        forecasts.push_back(plain.outputs(j, t)[I]);
        const Vector squares = plain.step(j, t, unused);
        for (std::size_t i = 0; i < plain.K; ++i) {
          log_v[j][i] -= std::log(K) / std::sqrt(static_cast<double>(t + 1)) * squares[i];
        }
      }
      const Vector v = softmax(log_v[j]);
      senders[draw(v, Purpose::client, batch.number, j)].push_back(j);
      for (std::size_t i = 0; i < plain.K; ++i) {
        selection[i] += v[i] / static_cast<double>(reporting.size());
      }
    }
    Vector votes;
    double total = 0.0;
    for (const auto& of_index : senders) {
      votes.push_back(of_index.empty() ? 0.0
                                       : std::pow(static_cast<double>(of_index.size()),
                                                  static_cast<double>(problem.clients)));
      total += votes.back();
    }
    for (double& vote : votes) vote /= total;
    I = draw(votes, Purpose::sampling, batch.number, 0xFFFFFFFFU);
    means[I] = plain.mean(I, senders[I]);
  }
  EXPECT_GT(drawn.size(), 2U) << "several models must have been through the server";
  EXPECT_GT(largest_weight(server.learned()), 0.1);
  EXPECT_LT(distance(server.learned(), selection, means), 1e-4);
  ASSERT_EQ(clients.forecasts.size(), forecasts.size());
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    EXPECT_NEAR(clients.forecasts[t], forecasts[t], 1e-4) << t;
  }
}

TEST(PmKofl, IsWhatItsDescriptionSays) { expect_described_pm_kofl(kofl_problem(), 1, in_order(5)); }

TEST(PmKofl, InBatchesTheModelsMoveEveryRoundAndMeetAtTheEnds) {
  expect_described_pm_kofl(kofl_problem(), 3, in_order(5));
}

TEST(PmKofl, AveragesOverThoseThatReport) {
  expect_described_pm_kofl(kofl_problem(), 1, {0, 3, 4});
}

TEST(PmKofl, TheWeightRatePlaysNoRole) {
  Problem problem = kofl_problem();
  PmKofl first(problem.baseline_settings());
  problem.eta *= 10.0;
  PmKofl second(problem.baseline_settings());
  EXPECT_EQ(play_all(first, problem), play_all(second, problem));
}

TEST(PmKofl, VotesCountWithThePowerOfTheNumberOfClients) {
  const std::vector<std::size_t> counts = {3, 0, 2};
  const auto chances = power_vote(counts, 5);
  EXPECT_NEAR(chances[0], 243.0 / (243.0 + 32.0), 1e-12);
  EXPECT_EQ(chances[1], 0.0);
  EXPECT_NEAR(chances[2], 32.0 / (243.0 + 32.0), 1e-12);
}

TEST(PmKofl, VotesOfAThousandClientsDoNotOverflow) {
  const std::vector<std::size_t> counts = {500, 500, 0};
  const auto chances = power_vote(counts, 1000);
  EXPECT_NEAR(chances[0], 0.5, 1e-12);
  EXPECT_NEAR(chances[1], 0.5, 1e-12);
}

TEST(PmKofl, SendsOneModelUpAndDown) {
  const Problem problem = kofl_problem();  // dimensions 3, 3, 16, 16
  PmKofl server(problem.baseline_settings());
  PmKofl::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(server.download_bits(assignment), 32U * (server.chosen() < 2 ? 3 : 16) + 2);
  EXPECT_EQ(server.upload_bits(assignment), 32U * 16 + 2);
  ReportBatch report;
  report.add_report(0, 1);
  report.add_model(1, 0.0F, 3);
  EXPECT_EQ(server.upload_bits(report), 32U * 3 + 2);
}

TEST(PmKofl, NoRateOfAnyGridGivesNaN) { expect_no_nan_in_any_grid<PmKofl>(); }

TEST(PmKofl, ADivergingModelIsSeenInTheForecasts) { expect_divergence_is_seen<PmKofl>(); }

}  // namespace
}  // namespace caucus::conformance
