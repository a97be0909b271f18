#include "caucus/core/losses/constants.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace caucus {
namespace {

TEST(Constants, SquareLossGivesTheBoundsOfLemmaTwo) {
  for (const double U : {0.1, 1.0, 4.0}) {
    for (const double b : {0.5, 1.0, 3.0}) {
      for (const double Y : {0.5, 1.0, 10.0}) {
        const auto c = constants_of({.radius = U}, Loss(SquareLoss{}), b, {.label_bound = Y});
        EXPECT_DOUBLE_EQ(c.radius, U);
        EXPECT_DOUBLE_EQ(c.loss_bound, U * U * b * b + 2 * U * b * Y + Y * Y);
        EXPECT_DOUBLE_EQ(c.gradient_bound, 2 * U * b * b + 2 * Y * b);
      }
    }
  }
}

TEST(Constants, TheGradientScaleReplacesTheTwoOfTheSquareLoss) {
  for (const double S : {1.0, 2.0, 6.0, 10.0}) {  // the paper's s_G (U + 1), with b = Y = 1
    const auto c = constants_of({.radius = 0.3}, Loss(SquareLoss{}), 1.0, {.gradient_scale = S});
    EXPECT_DOUBLE_EQ(c.gradient_bound, S * 1.3);
    EXPECT_DOUBLE_EQ(c.loss_bound, 1.3 * 1.3);
  }
}

TEST(Constants, OtherLossesUseTheirOwnBounds) {
  const Space space{.radius = 2.0};
  const auto absolute = constants_of(space, Loss(AbsoluteLoss{}), 3.0, {.label_bound = 4.0});
  EXPECT_DOUBLE_EQ(absolute.loss_bound, 10.0);
  EXPECT_DOUBLE_EQ(absolute.gradient_bound, 3.0);
  const auto logistic = constants_of(space, Loss(LogisticLoss{}), 1.0, {});
  EXPECT_DOUBLE_EQ(logistic.loss_bound, std::log(1.0 + std::exp(2.0)));
  EXPECT_DOUBLE_EQ(logistic.gradient_bound, 1.0 / (1.0 + std::exp(-2.0)));
}

TEST(Constants, AGivenLossBoundReplacesTheFormulaButNotTheGradient) {
  const auto c = constants_of({.radius = 2.0}, Loss(SquareLoss{}), 1.0, {.loss_bound = 3.0});
  EXPECT_EQ(c.loss_bound, 3.0);
  EXPECT_DOUBLE_EQ(c.gradient_bound, 6.0);
}

TEST(Constants, AnExpertReachesAsFarAsItsForecastsWhateverItsRadius) {
  const Space expert{.kind = SpaceKind::expert, .radius = 50.0};
  EXPECT_DOUBLE_EQ(constants_of(expert, Loss(SquareLoss{}), 2.0, {.label_bound = 3.0}).loss_bound,
                   25.0);
}

}  // namespace
}  // namespace caucus
