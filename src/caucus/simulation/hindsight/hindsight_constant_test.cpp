#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "caucus/simulation/hindsight/hindsight.hpp"
#include "caucus/simulation/hindsight/test_comparator.hpp"

namespace caucus {
namespace {

TEST(BestConstantLoss, OfTheSquareIsTheSumOfSquaresAroundTheMean) {
  const std::vector<float> y = {1.0F, 2.0F, 6.0F};
  EXPECT_NEAR(best_constant_loss(Loss{SquareLoss{}}, y), 14.0, 1e-13);
}

TEST(BestConstantLoss, OfTheAbsoluteLossIsTakenAtTheMedian) {
  const std::vector<float> y = {-5.0F, 1.0F, 2.0F, 3.0F, 100.0F};
  EXPECT_NEAR(best_constant_loss(Loss{AbsoluteLoss{}}, y), 7.0 + 1.0 + 1.0 + 98.0, 1e-12);
}

TEST(BestConstantLoss, OfTheLogisticLossIsTheEntropyOfTheClasses) {
  const std::vector<float> y = {1.0F, 1.0F, 1.0F, -1.0F};
  const double entropy = -3.0 * std::log(0.75) - std::log(0.25);
  EXPECT_NEAR(best_constant_loss(Loss{LogisticLoss{}}, y), entropy, 1e-14);
  EXPECT_EQ(best_constant_loss(Loss{LogisticLoss{}}, std::vector<float>{1.0F, 1.0F}), 0.0);
}

TEST(BestConstantLoss, OfTheHingeIsTwicePerExampleOfTheRarerClass) {
  EXPECT_NEAR(best_constant_loss(Loss{HingeLoss{}}, std::vector<float>{1, 1, 1, -1}), 2.0, 1e-12);
}

TEST(BestConstantLoss, OfTheLinearLossIsTakenAtTheBound) {
  EXPECT_NEAR(best_constant_loss(Loss{LinearLoss{}}, std::vector<float>{1, 1, -1}), 2.0, 1e-12);
}

TEST(BestConstantLoss, AgreesWithGoldenSectionForEveryLoss) {
  for (const Loss& loss :
       std::vector<Loss>{Loss{SquareLoss{}}, Loss{AbsoluteLoss{}}, Loss{HuberLoss{0.2}},
                         Loss{HingeLoss{}}, Loss{PinballLoss{0.8}}, Loss{LinearLoss{}}}) {
    const auto examples = testing::random_examples(1, 80, 1, loss.is_classification());
    double bound = 1.0;
    for (const float y : examples.y) bound = std::max(bound, std::abs(static_cast<double>(y)));
    const auto total = [&](double c) {
      double sum = 0.0;
      for (const float y : examples.y) sum += loss.value(c, static_cast<double>(y));
      return sum;
    };
    const double slow = testing::golden_section(total, -bound, bound, 80);
    EXPECT_NEAR(best_constant_loss(loss, examples.y), slow, 1e-9 * std::abs(slow)) << loss.name();
  }
}

TEST(BestConstantLoss, ScalesWithTheTargets) {
  const std::vector<float> plain = {0.0F, 1.0F, 2.0F, 5.0F};
  for (const float size : {1e-20F, 1e-10F, 1e10F, 1e17F}) {
    std::vector<float> y = plain;
    for (float& t : y) t *= size;
    const auto scale = static_cast<double>(size);
    // Mean 2: 4 + 1 + 0 + 9; any median: 5 - 0 and 2 - 1.
    EXPECT_NEAR(best_constant_loss(Loss{SquareLoss{}}, y) / (scale * scale), 14.0, 1e-5);
    EXPECT_NEAR(best_constant_loss(Loss{AbsoluteLoss{}}, y) / scale, 6.0, 1e-5);
  }
  EXPECT_EQ(best_constant_loss(Loss{SquareLoss{}}, std::vector<float>{0.0F, 0.0F}), 0.0);
}

TEST(BestConstantLoss, WithoutTargetsIsZero) {
  EXPECT_EQ(best_constant_loss(Loss{SquareLoss{}}, {}), 0.0);
  EXPECT_EQ(best_constant_loss(Loss{LogisticLoss{}}, {}), 0.0);
}

}  // namespace
}  // namespace caucus
