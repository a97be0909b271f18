#include "caucus/core/losses/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace caucus {
namespace {

TEST(Bounds, LowerBoundsHaveTheConstantsOfTheoremFour) {
  EXPECT_NEAR(lower_bound_any(4, 10000, std::exp(1.0)), 0.25 * 4 * 100, 1e-10);
  EXPECT_NEAR(lower_bound_any(1, 100, std::exp(4.0)), 0.25 * 10 * 2, 1e-10);
  EXPECT_NEAR(lower_bound_noncooperative(3, 100, 18, 2), 0.1 * 3 * 30, 1e-10);
  EXPECT_NEAR(lower_bound_noncooperative(1, 100, 25, 25), 1.0, 1e-12);
}

TEST(Bounds, CollaborationGainsNothingAloneOrWithAllModelsAndGrowsWithClients) {
  for (std::size_t K = 3; K < 30; ++K) {
    EXPECT_DOUBLE_EQ(collaboration_gain(1, K, 2), 1.0);
    EXPECT_DOUBLE_EQ(collaboration_gain(50, K, K), 1.0);
    for (std::size_t M = 1; M < 20; ++M) {
      EXPECT_LT(collaboration_gain(M, K, 2), collaboration_gain(M + 1, K, 2));
    }
  }
  // K = 10, J = 2, M = 8: q = 8, sqrt(9 / 2).
  EXPECT_DOUBLE_EQ(collaboration_gain(8, 10, 2), 3.0 / std::numbers::sqrt2);
}

TEST(Bounds, TheSamplingPriceIsTheRootOfOnePlusUnseenOverClients) {
  EXPECT_DOUBLE_EQ(sampling_price(1, 10, 2), 3.0);
  EXPECT_DOUBLE_EQ(sampling_price(8, 10, 2), std::numbers::sqrt2);
  EXPECT_DOUBLE_EQ(sampling_price(1, 10, 4), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(sampling_price(5, 10, 10), 1.0);
}

TEST(Bounds, TheAdvisedSampleIsTheLeastWhosePriceIsAtMostRootTwo) {
  for (std::size_t K = 2; K <= 120; ++K) {
    for (std::size_t M = 1; M <= 130; ++M) {
      std::size_t J = 2;
      while (K - J > M * (J - 1)) ++J;  // q / M > 1, in whole numbers
      ASSERT_EQ(advised_sample(M, K), J) << "K=" << K << " M=" << M;
      ASSERT_LE(sampling_price(M, K, J), std::numbers::sqrt2 * (1.0 + 1e-15));
      if (J > 2) {
        ASSERT_GT(sampling_price(M, K, J - 1), std::numbers::sqrt2);
      }
    }
  }
  EXPECT_EQ(advised_sample(5, 1), 1u);
}

TEST(Bounds, IndexBitsAreTheFewestThatNameEveryModel) {
  for (std::size_t K = 1; K <= 2000; ++K) {
    std::size_t bits = 0;
    while ((std::size_t{1} << bits) < K) ++bits;
    ASSERT_EQ(index_bits(K), bits) << K;
  }
}

}  // namespace
}  // namespace caucus
