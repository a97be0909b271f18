#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

const std::vector<Loss> kLosses = {
    Loss(SquareLoss{}), Loss(AbsoluteLoss{}),   Loss(HuberLoss{0.7}), Loss(LogisticLoss{}),
    Loss(HingeLoss{}),  Loss(PinballLoss{0.3}), Loss(LinearLoss{})};

TEST(QuadraticLoss, IsTheSquareLossItself) {
  for (const double output : {-3.0, 0.0, 0.2}) {
    const QuadraticLoss quadratic = quadratic_loss(Loss(SquareLoss{}), output, 0.7, 0.1);
    EXPECT_EQ(quadratic.weight, 1.0);
    EXPECT_EQ(quadratic.target, 0.7);
  }
}

RC_GTEST_PROP(QuadraticLoss, HasTheSlopeOfTheLossAtThePrediction, ()) {
  const Loss loss = *rc::gen::elementOf(kLosses);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const double output = 3.0 * stream.normal();
  const double y =
      loss.is_classification() ? (stream.uniform() < 0.5 ? -1.0 : 1.0) : stream.normal();
  const double usual = *rc::gen::element(0.0, 1e-3, 1.0, 100.0);
  const auto [weight, target] = quadratic_loss(loss, output, y, usual);
  const double slope = 2.0 * weight * (output - target);
  RC_ASSERT(std::abs(slope - loss.derivative(output, y)) < 1e-3);  // the difference may cancel
  if (!loss.is_classification()) return;
  RC_ASSERT(weight >= 0.025);
  // If neither bound matters, it also has the value of the loss.
  const double value = loss.value(output, y);
  const double curved = std::pow(loss.derivative(output, y), 2) / (4.0 * value);
  if (value > std::max(usual, 1e-6) && curved > 0.025) {
    RC_ASSERT(std::abs(weight * std::pow(output - target, 2) - value) < 1e-6 * value);
  }
}

RC_GTEST_PROP(QuadraticLoss, IsNowhereBelowALossOfRealTargets, ()) {
  const Loss loss = *rc::gen::element(Loss(AbsoluteLoss{}), Loss(HuberLoss{0.7}),
                                      Loss(PinballLoss{0.3}), Loss(SquareLoss{}));
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const double output = 3.0 * stream.normal();
  const double y = stream.normal();
  const double usual = 0.0;
  RC_PRE(std::abs(output - y) > 1e-3);
  const auto [weight, target] = quadratic_loss(loss, output, y, usual);
  const auto above = [&, weight = weight, target = target](double v) {
    const double change = std::pow(v - target, 2) - std::pow(output - target, 2);
    return loss.value(output, y) + weight * change - loss.value(v, y);
  };
  for (double v = -40.0; v < 40.0; v += 0.02) RC_ASSERT(above(v) >= -1e-9);
  // It touches the loss at the opposite error, too, so a flatter one would be below there.
  RC_ASSERT(std::abs(above(2.0 * y - output)) < 1e-9);
}

TEST(QuadraticLoss, FollowsTheUnitOfTheTargets) {
  for (const Loss& loss : {Loss(AbsoluteLoss{}), Loss(PinballLoss{0.3}), Loss(HuberLoss{0.7})}) {
    for (const double usual : {30.0, 200.0}) {
      const QuadraticLoss one = quadratic_loss(loss, 100.0, -50.0, usual);
      const QuadraticLoss other = quadratic_loss(loss, 1e5, -5e4, 1e3 * usual);
      EXPECT_NEAR(1e3 * other.weight / one.weight, 1.0, 0.01) << loss.name();
      EXPECT_NEAR(other.target / one.target, 1e3, 10.0) << loss.name();
    }
  }
}

TEST(QuadraticLoss, IsFiniteWhereALossHasAKinkOrIsZero) {
  for (const Loss& loss : kLosses) {
    for (const double usual : {0.0, 1e-300, 0.5}) {
      for (const double away : {0.0, 1e-300, -1e-300, 1e-15, -1e-15, 1e-9, -1e-9}) {
        for (const double y : {-1.0, 1.0}) {
          const double output = y + away;
          const auto [weight, target] = quadratic_loss(loss, output, y, usual);
          EXPECT_TRUE(std::isfinite(static_cast<float>(weight))) << loss.name();
          EXPECT_GT(weight, 0.0) << loss.name();
          EXPECT_TRUE(std::isfinite(target)) << loss.name();
          EXPECT_LE(std::abs(target), 25.0) << loss.name();
        }
      }
    }
  }
}

TEST(QuadraticLoss, OfTheLinearLossIsNearlyFlatWhereverItIs) {
  for (const double output : {-5.0, 0.9, 1.0, 5.0}) {  // at 1 the loss is 0, beyond it is negative
    EXPECT_EQ(quadratic_loss(Loss(LinearLoss{}), output, 1.0, -2.0).weight, 0.025);
  }
}

}  // namespace
}  // namespace caucus
