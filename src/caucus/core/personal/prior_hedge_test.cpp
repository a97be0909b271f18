#include "caucus/core/personal/prior_hedge.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace caucus {
namespace {

TEST(PriorHedge, StartsFromItsPriorAndKeepsItWhileLossesAreEqual) {
  PriorHedge hedge({0.8, 0.2, 0.0});
  for (int t = 0; t < 10; ++t) hedge.update(Doubles{0.3, 0.3, 0.0});
  EXPECT_NEAR(hedge.weights()[0], 0.8, 1e-12);
  EXPECT_NEAR(hedge.weights()[1], 0.2, 1e-12);
  EXPECT_EQ(hedge.weights()[2], 0.0);  // asleep, however well it does
}

TEST(PriorHedge, RestartingWithLossesWeighsThemByTheMixingCost) {
  PriorHedge hedge({0.5, 0.5});
  hedge.restart(Doubles{0.8, 0.2}, Doubles{0.6, 0.2}, 0.3);
  const double odds = 4.0 * std::exp(-PriorHedge::kRate * 0.4 / 0.3);
  EXPECT_NEAR(hedge.weights()[0] / hedge.weights()[1], odds, 1e-12);
}

TEST(PriorHedge, FollowsAChangeOfTheBestCandidate) {
  PriorHedge hedge({0.9, 0.1});
  for (int t = 0; t < 2000; ++t) hedge.update(Doubles{0.1, 0.9});
  EXPECT_GT(hedge.weights()[0], 0.99);
  for (int t = 0; t < 20; ++t) hedge.update(Doubles{0.9, 0.1});
  EXPECT_GT(hedge.weights()[1], 0.9);
}

// The bound of AdaHedge for losses in [0, 1], 2 sqrt(V ln K) + .., with room for the sharing.
RC_GTEST_PROP(PriorHedge, IsNeverMuchWorseThanTheBestCandidate, ()) {
  const auto K = *rc::gen::inRange<std::size_t>(2, 9);
  const auto T = *rc::gen::inRange<std::size_t>(1, 400);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const double scale = std::pow(10.0, *rc::gen::inRange(-6, 7));
  PriorHedge hedge(Doubles(K, 1.0 / static_cast<double>(K)));
  Doubles sums(K, 0.0);
  double suffered = 0.0;
  for (std::size_t t = 0; t < T; ++t) {
    Doubles losses(K);
    for (std::size_t i = 0; i < K; ++i) {
      const bool good = (t / 50) % K == i;  // the best one changes
      losses[i] = scale * stream.uniform() * (good ? 0.5 : 1.0);
      suffered += hedge.weights()[i] * losses[i];
      sums[i] += losses[i];
    }
    hedge.update(losses);
    const auto w = hedge.weights();
    RC_ASSERT(std::abs(std::accumulate(w.begin(), w.end(), 0.0) - 1.0) < 1e-9);
  }
  const double lnK = std::log(static_cast<double>(K));
  const double regret = suffered - *std::min_element(sums.begin(), sums.end());
  RC_ASSERT(regret <= scale * (1.5 * std::sqrt(static_cast<double>(T) * lnK) + 2.0 * lnK + 2.0));
}

TEST(PriorHedge, RefusesAStateThatIsNoMixture) {
  const auto refuses = [](const Doubles& prior, const Doubles& losses, const Doubles& weights,
                          double delta) {
    StateWriter writer;
    writer.numbers(prior);
    writer.numbers(losses);
    writer.numbers(weights);
    writer.real(delta);
    PriorHedge hedge({0.5, 0.5});
    StateReader reader(writer.bytes());
    return !hedge.restore(reader).ok();
  };
  EXPECT_FALSE(refuses({0.5, 0.5}, {0.0, 1.0}, {0.9, 0.1}, 1.0));
  EXPECT_FALSE(refuses({1.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}, 0.0));
  EXPECT_TRUE(refuses({0.5, 0.6}, {0.0, 1.0}, {0.9, 0.1}, 1.0));
  EXPECT_TRUE(refuses({1.0, 0.0}, {0.0, 1.0}, {0.9, 0.1}, 1.0));
  EXPECT_TRUE(refuses({1.0, 1e-300}, {0.0, 1.0}, {0.9, 0.1}, 1.0));
  EXPECT_TRUE(refuses({0.5, 0.5}, {0.0, 1.0}, {1.5, -0.5}, 1.0));
  EXPECT_TRUE(refuses({0.5, 0.5}, {0.0, kInfinity}, {0.9, 0.1}, 1.0));
  EXPECT_TRUE(refuses({0.5, 0.5}, {0.0, 1.0}, {0.9, 0.1}, -1.0));
  EXPECT_TRUE(refuses({1.0}, {0.0}, {1.0}, 1.0));
}

}  // namespace
}  // namespace caucus
