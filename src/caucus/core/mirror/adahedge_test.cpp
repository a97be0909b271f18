#include "caucus/core/mirror/adahedge.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace caucus {
namespace {

/// Multiples of 2^-10, whose sums are exact, so that the leader does not depend on rounding.
std::vector<Doubles> any_losses(std::size_t models) {
  std::vector<Doubles> rounds(*rc::gen::inRange<std::size_t>(1, 60), Doubles(models));
  for (Doubles& losses : rounds) {
    for (double& loss : losses) loss = static_cast<double>(*rc::gen::inRange(0, 1025)) / 1024.0;
  }
  return rounds;
}

/// AdaHedge as its paper writes it, without logarithms, from all losses so far. The numbers are
/// long doubles for their range: exp(-eta c) is often below the least normal double.
std::vector<Exact> plain(const std::vector<Doubles>& rounds) {
  const std::size_t K = rounds.front().size();
  const Exact lnK = std::log(static_cast<Exact>(K));
  std::vector<Exact> L(K, 0.0L);
  Exact delta = 0.0L;
  const auto weights = [&] {
    const Exact least = *std::min_element(L.begin(), L.end());
    std::vector<Exact> w(K);
    for (std::size_t i = 0; i < K; ++i) {
      const Exact behind = L[i] - least;
      w[i] = delta > 0.0L ? std::exp(-lnK / delta * behind) : (behind == 0.0L ? 1.0L : 0.0L);
    }
    const Exact sum = std::accumulate(w.begin(), w.end(), 0.0L);
    for (Exact& value : w) value /= sum;
    return w;
  };
  for (const Doubles& round : rounds) {
    const std::vector<Exact> losses(round.begin(), round.end());
    const std::vector<Exact> w = weights();
    Exact hedge = 0.0L;
    Exact mix = 0.0L;
    Exact least = 1e300L;
    const Exact eta = lnK / delta;
    for (std::size_t i = 0; i < K; ++i) {
      hedge += w[i] * losses[i];
      if (delta > 0.0L) mix += w[i] * std::exp(-eta * losses[i]);
      if (w[i] > 0.0L) least = std::min(least, losses[i]);
    }
    delta += std::max(0.0L, hedge - (delta > 0.0L ? -std::log(mix) / eta : least));
    for (std::size_t i = 0; i < K; ++i) L[i] += losses[i];
  }
  return weights();
}

RC_GTEST_PROP(AdaHedge, AgreesWithThePlainComputation, ()) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(2, 7);
  const auto rounds = any_losses(K);
  AdaHedge hedge(K);
  for (const Doubles& losses : rounds) hedge.update(losses);
  const std::vector<Exact> expected = plain(rounds);
  for (std::size_t i = 0; i < K; ++i)
    RC_ASSERT(std::abs(Exact(hedge.probabilities()[i]) - expected[i]) < 1e-7L);
}

RC_GTEST_PROP(AdaHedge, IsFreeOfScaleAndOfACommonLoss, ()) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(2, 7);
  const auto rounds = any_losses(K);
  const double scale = std::pow(2.0, *rc::gen::inRange(-40, 40));
  AdaHedge one(K);
  AdaHedge other(K);
  for (const Doubles& losses : rounds) {
    Doubles moved;
    for (const double loss : losses) moved.push_back(scale * (loss - losses[0]));
    one.update(losses);
    other.update(moved);
  }
  for (std::size_t i = 0; i < K; ++i) {
    RC_ASSERT(std::abs(one.probabilities()[i] - other.probabilities()[i]) < 1e-6);
  }
}

// de Rooij et al., Corollary 9: for losses in [0, 1] the regret is at most
// 2 sqrt(V ln K) + (4/3) ln K + 2 with V <= L*(T - L*)/T <= T/4.
RC_GTEST_PROP(AdaHedge, KeepsTheRegretBoundOfItsPaper, ()) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(2, 7);
  const auto rounds = any_losses(K);
  AdaHedge hedge(K);
  Doubles L(K, 0.0);
  double suffered = 0.0;
  for (const Doubles& losses : rounds) {
    for (std::size_t i = 0; i < K; ++i) {
      suffered += hedge.probabilities()[i] * losses[i];
      L[i] += losses[i];
    }
    hedge.update(losses);
  }
  const double lnK = std::log(static_cast<double>(K));
  const auto T = static_cast<double>(rounds.size());
  const double regret = suffered - *std::min_element(L.begin(), L.end());
  RC_ASSERT(regret <= std::sqrt(T * lnK) + 4.0 / 3.0 * lnK + 2.0);
}

TEST(AdaHedge, ProbabilitiesThatVanishedComeBack) {
  AdaHedge hedge(2);
  for (int t = 0; t < 5000; ++t) hedge.update(Doubles{0.0, t % 7 == 0 ? 0.5 : 1.0});
  EXPECT_LT(hedge.probabilities()[1], 1e-300);
  for (int t = 0; t < 20000; ++t) hedge.update(Doubles{1.0, 0.0});
  EXPECT_GT(hedge.probabilities()[1], 0.99);
}

TEST(AdaHedge, SharingMixesWithTheUniformDistribution) {
  AdaHedge hedge(3);
  hedge.update(Doubles{0.0, 0.4, 1.0});
  hedge.update(Doubles{0.3, 0.0, 1.0});
  const Doubles before = hedge.probabilities().probabilities();
  const double cost = hedge.mixing_cost();
  hedge.share(0.1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(hedge.probabilities()[i], 0.9 * before[i] + 0.1 / 3.0, 1e-12);
  }
  EXPECT_NEAR(hedge.mixing_cost(), 0.9 * cost, 1e-15);
  hedge.update(Doubles{0.5, 0.5, 0.5});  // equal losses do not change p
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(hedge.probabilities()[i], 0.9 * before[i] + 0.1 / 3.0, 1e-12);
  }
}

TEST(AdaHedge, SharingFollowsAChangeThatPlainHedgeMisses) {
  AdaHedge plain_hedge(2);
  AdaHedge sharing(2);
  const auto rounds = [&](int count, const Doubles& losses) {
    for (int t = 0; t < count; ++t) {
      plain_hedge.update(losses);
      sharing.update(losses);
      sharing.share(0.01);
    }
  };
  rounds(1000, {0.0, 1.0});
  rounds(50, {1.0, 0.0});
  EXPECT_GT(sharing.probabilities()[1], 0.9);
  EXPECT_LT(plain_hedge.probabilities()[1], 0.1);
}

RC_GTEST_PROP(AdaHedge, ADiscountKeepsTheProbabilities, ()) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(2, 7);
  AdaHedge hedge(K);
  for (const Doubles& losses : any_losses(K)) hedge.update(losses);
  const Doubles before = hedge.probabilities().probabilities();
  const double cost = hedge.mixing_cost();
  const double factor = *rc::gen::element(1.0, 0.7, 0.01);
  hedge.discount(factor);
  RC_ASSERT(hedge.probabilities().probabilities() == before);
  RC_ASSERT(std::abs(hedge.mixing_cost() - factor * cost) <= 1e-15 * cost);
  hedge.update(Doubles(K, 0.5));  // equal losses show the p that belongs to the cumulative ones
  for (std::size_t i = 0; i < K; ++i) {
    RC_ASSERT(std::abs(hedge.probabilities()[i] - before[i]) < 1e-9);
  }
}

TEST(AdaHedge, AfterADiscountNewLossesCountMore) {
  AdaHedge plain_hedge(2);
  AdaHedge discounting(2);
  const auto rounds = [&](int count, const Doubles& losses) {
    for (int t = 0; t < count; ++t) {
      plain_hedge.update(losses);
      discounting.update(losses);
    }
  };
  rounds(100, {0.4, 0.6});
  rounds(10, {0.6, 0.4});
  discounting.discount(0.1);
  EXPECT_NEAR(discounting.probabilities()[1], plain_hedge.probabilities()[1], 1e-12);
  rounds(12, {0.6, 0.4});
  EXPECT_GT(discounting.probabilities()[1], 0.5);
  EXPECT_LT(plain_hedge.probabilities()[1], 0.1);
}

TEST(AdaHedge, ADiscountByAllIsANewBeginning) {
  AdaHedge hedge(3);
  hedge.discount(0.0);  // before the first losses
  EXPECT_EQ(hedge.probabilities().probabilities(), Doubles(3, 1.0 / 3.0));
  hedge.update(Doubles{0.0, 0.4, 1.0});
  hedge.discount(0.0);
  AdaHedge fresh(3);
  hedge.update(Doubles(3, 0.5));
  fresh.update(Doubles(3, 0.5));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(hedge.probabilities()[i], fresh.probabilities()[i]);
  }
}

TEST(AdaHedge, OneModelKeepsItsProbability) {
  AdaHedge hedge(1);
  hedge.update(Doubles{3.0});
  hedge.share(0.5);
  EXPECT_EQ(hedge.probabilities()[0], 1.0);
}

}  // namespace
}  // namespace caucus
