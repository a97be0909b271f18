// Monte Carlo: the importance-weighted estimates are unbiased.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "caucus/algorithms/paper_reference_test.hpp"
#include "caucus/algorithms/test_conformance.hpp"
#include "caucus/core/base/test_numbers.hpp"

namespace caucus::conformance {
namespace {

/// Averages one step over many draws from the same state. Without constraints the models move by
/// -lambda g and ln(p_i / p_k) by -(eta / C)(c_i - c_k): both are linear in the estimates, so their
/// mean over the draws (and over which reports are lost) must be the step with full information.
void expect_unbiased(std::size_t J, double dropout) {
  Problem problem;
  problem.rounds = 5;
  problem.eta = 8.0;
  for (Space& space : problem.spaces) {
    space.radius = kInfinity;
    space.constraint = Constraint::ball;
  }
  problem.sample_size = J;
  FomdOms warm(problem.settings());
  play_all(warm, problem);

  Problem full = problem;
  full.sample_size = problem.spaces.size();
  PaperReference exact(full);
  const std::size_t K = exact.p.size();
  for (std::size_t i = 0; i < K; ++i) {
    exact.p[i] = warm.probabilities()[i];
    for (std::size_t k = 0; k < exact.w[i].size(); ++k) {
      exact.w[i][k] = static_cast<double>(warm.weights(i)[k]);
    }
  }
  const auto p_before = exact.p;
  const auto w_before = exact.w;
  exact.round(std::vector<std::vector<std::uint32_t>>(problem.clients, in_order(K)), 5, 6);

  std::vector<Average> ratio(K);
  std::vector<Average> moved(K);
  for (std::uint32_t draw = 0; draw < 150000; ++draw) {
    Stream lost({5, Purpose::dropout, 0, draw, 0});
    std::vector<std::uint32_t> reporting;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      if (lost.uniform() >= dropout) reporting.push_back(j);
    }
    if (reporting.empty()) continue;
    FomdOms server = warm;
    // The batch number names the stream of draws; a constant schedule makes no other use of it.
    play(server, problem, {1000 + draw, 5, 6}, reporting);
    const auto log_p = server.probabilities().log_probabilities();
    for (std::size_t i = 0; i < K; ++i) {
      ratio[i].add((log_p[i] - log_p[0]) - std::log(p_before[i] / p_before[0]));
      moved[i].add(static_cast<double>(server.weights(i)[0]) - w_before[i][0]);
    }
  }
  for (std::size_t i = 0; i < K; ++i) {
    const double log_ratio =
        std::log(exact.p[i] / exact.p[0]) - std::log(p_before[i] / p_before[0]);
    EXPECT_NEAR(ratio[i].mean(), log_ratio, 4.5 * ratio[i].error() + 1e-6) << i;
    EXPECT_NEAR(moved[i].mean(), exact.w[i][0] - w_before[i][0], 4.5 * moved[i].error() + 1e-7)
        << i;
    EXPECT_LT(ratio[i].error(), 3e-3) << "too few draws to see a bias";
  }
}

TEST(FomdOmsEstimates, AreUnbiasedForTwoModels) { expect_unbiased(2, 0.0); }
TEST(FomdOmsEstimates, AreUnbiasedForThreeModels) { expect_unbiased(3, 0.0); }
TEST(FomdOmsEstimates, StayUnbiasedWhenReportsAreLost) { expect_unbiased(2, 0.3); }

TEST(FomdOmsEstimates, DividingByTheHoldersInsteadOfTheReportersWouldBeBiased) {
  // Two clients, three models: model 0 is held by n of them, n random. The mean over holders of a
  // constant loss 1 would be 1 whenever n > 0, and its expectation P[n > 0] / ... differs from 1;
  // the implemented estimate has mean 1 exactly. Exact enumeration over n for P = P_0.
  const double P = inclusion_probability(1.0 / 3.0, 3, 2);
  double implemented = 0.0;
  double by_holders = 0.0;
  for (int n = 0; n <= 2; ++n) {
    const double chance = (n == 1 ? 2.0 : 1.0) * std::pow(P, n) * std::pow(1.0 - P, 2 - n);
    implemented += chance * n / (2.0 * P);
    by_holders += chance * (n > 0 ? 1.0 / P : 0.0);
  }
  EXPECT_NEAR(implemented, 1.0, 1e-12);
  EXPECT_GT(std::abs(by_holders - 1.0), 0.1);
}

}  // namespace
}  // namespace caucus::conformance
