#include "caucus/algorithms/baselines/hedge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace caucus {
namespace {

TEST(Hedge, MultipliesByTheExponentialOfTheLoss) {
  Simplex p = Simplex::from_log_weights({std::log(0.2), std::log(0.3), std::log(0.5)});
  const std::vector<double> losses = {0.1, 2.0, 0.7};
  hedge(p, losses, 1.5);
  const double a = 0.2 * std::exp(-0.15);
  const double b = 0.3 * std::exp(-3.0);
  const double c = 0.5 * std::exp(-1.05);
  EXPECT_NEAR(p[0], a / (a + b + c), 1e-14);
  EXPECT_NEAR(p[1], b / (a + b + c), 1e-14);
  EXPECT_NEAR(p[2], c / (a + b + c), 1e-14);
}

TEST(Hedge, AModelThatUnderflowedCanComeBack) {
  Simplex p = Simplex::uniform(2);
  hedge(p, std::vector<double>{0.0, 1e5}, 1.0);
  EXPECT_EQ(p[1], 0.0);
  hedge(p, std::vector<double>{1e5, 0.0}, 1.0);
  EXPECT_NEAR(p[1], 0.5, 1e-9);
}

TEST(Hedge, TheLargestLossesGiveNoNaN) {
  Simplex p = Simplex::uniform(3);
  for (int t = 0; t < 1000; ++t) hedge(p, std::vector<double>{1e38, -1e38, 1e38}, 100.0);
  EXPECT_EQ(p[0], 0.0);
  EXPECT_EQ(p[1], 1.0);
}

TEST(DrawIndex, FollowsTheProbabilities) {
  const std::vector<double> p = {0.5, 0.0, 0.2, 0.3, 0.0};
  std::vector<double> share(p.size(), 0.0);
  constexpr std::uint32_t kDraws = 100000;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    Stream stream({1, Purpose::test, 0, draw, 0});
    share[draw_index(p, stream)] += 1.0 / kDraws;
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(share[i], p[i], 4.5 * std::sqrt(p[i] * (1.0 - p[i]) / kDraws) + 1e-12) << i;
  }
}

TEST(DrawIndex, WhatRoundingLeavesGoesToTheLastThatIsPossible) {
  const std::vector<double> p = {1e-300, 0.0};  // far from a sum of 1: there always is a rest
  Stream stream({1, Purpose::test, 0, 0, 0});
  EXPECT_EQ(draw_index(p, stream), 0U);
}

TEST(Expectation, IsTheWeightedSum) {
  EXPECT_NEAR(expectation(std::vector<double>{0.25, 0.75}, std::vector<double>{2.0, -1.0}), -0.25,
              1e-15);
}

TEST(Hedge, StaysAProbabilityForAbsurdRatesAndLosses) {
  Simplex p = Simplex::uniform(3);
  for (int t = 0; t < 4; ++t) {
    std::vector<double> losses = {1e36, 2e36, 3e36};
    std::rotate(losses.begin(), losses.begin() + t % 3, losses.end());
    hedge(p, losses, 1e300);
    double sum = 0.0;
    for (const double value : p.probabilities()) sum += value;
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace caucus
