#include "caucus/algorithms/baselines/kofl.hpp"

#include <gtest/gtest.h>

#include "caucus/algorithms/baselines/kofl_reference_test.hpp"

namespace caucus::conformance {
namespace {

void expect_described_vm_kofl(const Problem& problem, std::size_t per_batch,
                              const std::vector<std::uint32_t>& reporting) {
  VmKofl server(problem.baseline_settings());
  Clients<VmKofl> clients(problem);
  PlainKofl plain(problem);
  Matrix means = zero_models(plain.plan->maps);
  Vector cumulative(plain.K, 0.0);
  Vector p(plain.K, 1.0 / static_cast<double>(plain.K));
  Vector forecasts;
  for (Batch batch = next_batch({0, 0, 0}, per_batch, problem.rounds); batch.first < problem.rounds;
       batch = next_batch(batch, per_batch, problem.rounds)) {
    play(server, problem, batch, reporting, clients);
    for (const auto j : reporting) {
      plain.W[j] = means;
      for (std::size_t t = batch.first; t < batch.last; ++t) {
        forecasts.push_back(product(p, plain.outputs(j, t)));
        plain.step(j, t, cumulative);
      }
    }
    Vector logs;
    for (const double loss : cumulative) logs.push_back(-problem.eta * loss);
    p = softmax(logs);
    for (std::size_t i = 0; i < plain.K; ++i) means[i] = plain.mean(i, reporting);
  }
  EXPECT_GT(largest_weight(server.learned()), 0.1);
  EXPECT_LT(distance(server.learned(), p, means), 1e-4);
  ASSERT_EQ(clients.forecasts.size(), forecasts.size());
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    EXPECT_NEAR(clients.forecasts[t], forecasts[t], 1e-4) << t;
  }
}

TEST(VmKofl, IsWhatItsDescriptionSays) { expect_described_vm_kofl(kofl_problem(), 1, in_order(5)); }

TEST(VmKofl, InBatchesTheModelsMoveEveryRoundAndMeetAtTheEnds) {
  expect_described_vm_kofl(kofl_problem(), 3, in_order(5));
}

TEST(VmKofl, AveragesOverThoseThatReport) {
  expect_described_vm_kofl(kofl_problem(), 1, {0, 3, 4});
}

TEST(VmKofl, SendsAllModelsUpAndDown) {
  const Problem problem = kofl_problem();  // dimensions 3, 3, 16, 16
  VmKofl server(problem.baseline_settings());
  VmKofl::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(assignment.held.size(), 4U);
  EXPECT_EQ(server.upload_bits(assignment), 32U * (38 + 4));
  EXPECT_EQ(server.download_bits(assignment), 32U * (38 + 4));
}

TEST(VmKofl, NoRateOfAnyGridGivesNaN) { expect_no_nan_in_any_grid<VmKofl>(); }

TEST(VmKofl, ADivergingModelIsSeenInTheForecasts) { expect_divergence_is_seen<VmKofl>(); }

}  // namespace
}  // namespace caucus::conformance
