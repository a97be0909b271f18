#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/base/test_numbers.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"
#include "caucus/simulation/hindsight/test_comparator.hpp"

namespace caucus {
namespace {

using testing::Examples;
using testing::random_examples;
using testing::total_loss;

const std::vector<Loss> kLosses = {
    Loss{SquareLoss{}}, Loss{AbsoluteLoss{}},   Loss{HuberLoss{0.3}},   Loss{LogisticLoss{}},
    Loss{HingeLoss{}},  Loss{PinballLoss{0.5}}, Loss{PinballLoss{0.9}}, Loss{LinearLoss{}}};

TEST(BestInHindsight, AgreesWithNestedSectionsForEveryLossAndRegion) {
  for (const Loss& loss : kLosses) {
    const Examples examples = random_examples(1, 100, 2, loss.is_classification());
    for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
      for (const double radius : {0.1, 1.0, 8.0}) {
        const Region region{constraint, radius};
        const BestFit fit = best_in_hindsight(loss, examples.rows(), region);
        const double slow = testing::nested_sections(loss, examples, region);
        const double size = std::abs(slow);
        EXPECT_NEAR(fit.loss, slow, 1e-6 * size) << loss.name() << " " << radius;
        EXPECT_LE(fit.loss, slow + 1e-8 * size) << loss.name() << " " << radius;
        EXPECT_GE(slow, fit.loss - fit.gap - 1e-12 * size) << loss.name() << " " << radius;
        EXPECT_LE(fit.gap, 1e-7 * size) << loss.name() << " " << radius;
      }
    }
  }
}

TEST(BestInHindsight, ReportsTheLossOfFeasibleWeightsWithASmallGap) {
  for (const Loss& loss : kLosses) {
    const Examples examples = random_examples(2, 400, 15, loss.is_classification());
    for (const double radius : {0.3, 3.0, 30.0}) {
      const BestFit ball = best_in_hindsight(loss, examples.rows(), {Constraint::ball, radius});
      const BestFit box = best_in_hindsight(loss, examples.rows(), {Constraint::box, radius});
      double squares = 0.0;
      for (std::size_t k = 0; k < 15; ++k) {
        squares += ball.weights[k] * ball.weights[k];
        EXPECT_LE(std::abs(box.weights[k]), radius / std::sqrt(15.0) * (1.0 + 1e-15));
      }
      EXPECT_LE(std::sqrt(squares), radius * (1.0 + 1e-14));
      for (const BestFit& fit : {ball, box}) {
        const double direct = total_loss(loss, examples, fit.weights);
        EXPECT_NEAR(fit.loss, direct, 1e-11 * std::abs(direct)) << loss.name();
        EXPECT_LE(fit.gap, 1e-8 * std::abs(fit.loss)) << loss.name() << " " << radius;
      }
      EXPECT_LE(ball.loss - ball.gap, box.loss);  // the box lies in the ball
    }
  }
}

TEST(BestInHindsight, OneConstantFeatureGivesTheQuantile) {
  Stream stream({.seed = 3, .purpose = Purpose::test});
  Examples examples{1, std::vector<float>(101, 1.0F), {}};
  for (int i = 0; i < 101; ++i) examples.y.push_back(static_cast<float>(stream.normal()));
  std::vector<float> sorted = examples.y;
  std::ranges::sort(sorted);
  for (const double tau : {0.1, 0.5, 0.9}) {
    // Of 101 targets the tau-quantile is number ceil(101 tau), and unique.
    const auto rank = static_cast<std::size_t>(std::ceil(101.0 * tau)) - 1;
    const auto quantile = static_cast<double>(sorted[rank]);
    const BestFit fit =
        best_in_hindsight(Loss{PinballLoss{tau}}, examples.rows(), {Constraint::ball, kInfinity});
    EXPECT_NEAR(fit.weights[0], quantile, 1e-6);
    EXPECT_NEAR(fit.loss, total_loss(Loss{PinballLoss{tau}}, examples, std::vector{quantile}),
                1e-7);
    if (tau != 0.5) continue;
    const BestFit absolute =
        best_in_hindsight(Loss{AbsoluteLoss{}}, examples.rows(), {Constraint::box, 100.0});
    EXPECT_NEAR(absolute.loss, 2.0 * fit.loss, 1e-6);
  }
}

TEST(BestInHindsight, LogisticAgreesWithLongGradientDescent) {
  const Examples examples = random_examples(4, 300, 5, true, 1.0);
  const Loss loss{Loss{LogisticLoss{}}};
  std::vector<double> w(5, 0.0);
  for (int step = 0; step < 3000; ++step) {
    std::vector<double> g(5, 0.0);
    for (std::size_t i = 0; i < 300; ++i) {
      const auto z = examples.row(i);
      double v = 0.0;
      for (std::size_t k = 0; k < 5; ++k) v += w[k] * static_cast<double>(z[k]);
      const double slope = loss.derivative(v, static_cast<double>(examples.y[i]));
      for (std::size_t k = 0; k < 5; ++k) g[k] += slope * static_cast<double>(z[k]);
    }
    for (std::size_t k = 0; k < 5; ++k) w[k] -= 0.01 * g[k];
  }
  const double slow = total_loss(loss, examples, w);
  const BestFit fit = best_in_hindsight(loss, examples.rows(), {Constraint::ball, kInfinity});
  EXPECT_NEAR(fit.loss, slow, 1e-8 * slow);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(fit.weights[k], w[k], 1e-5);
  EXPECT_LE(fit.gap, 1e-8 * fit.loss);
}

TEST(BestInHindsight, AnInfiniteRadiusIsTheLimitOfLargeOnes) {
  for (const Loss& loss : kLosses) {
    if (std::holds_alternative<LinearLoss>(loss.kind())) continue;
    const Examples examples = random_examples(5, 300, 6, loss.is_classification());
    const BestFit large = best_in_hindsight(loss, examples.rows(), {Constraint::ball, 1e3});
    for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
      const BestFit fit = best_in_hindsight(loss, examples.rows(), {constraint, kInfinity});
      EXPECT_NEAR(fit.loss, large.loss, 1e-7 * large.loss) << loss.name();
      EXPECT_LE(fit.gap, 1e-7 * fit.loss) << loss.name();
    }
  }
}

TEST(BestInHindsight, HuberWithEveryTargetFarAwayStillConverges) {
  Examples examples = random_examples(6, 100, 3, false);
  for (float& y : examples.y) y = 1000.0F + 100.0F * y;  // no curvature at w = 0
  const BestFit fit =
      best_in_hindsight(Loss{HuberLoss{0.1}}, examples.rows(), {Constraint::ball, kInfinity});
  EXPECT_LE(fit.gap, 1e-6 * fit.loss);
}

TEST(BestInHindsight, SeparableDataEndWithALossNearZero) {
  Examples examples = random_examples(7, 60, 3, true, 0.0);
  const BestFit logistic =
      best_in_hindsight(Loss{LogisticLoss{}}, examples.rows(), {Constraint::ball, kInfinity});
  EXPECT_LE(logistic.loss, 1e-6);
  EXPECT_LE(logistic.gap, logistic.loss);
  const BestFit hinge =
      best_in_hindsight(Loss{HingeLoss{}}, examples.rows(), {Constraint::ball, kInfinity});
  EXPECT_LE(hinge.loss, 1e-6);
}

TEST(BestInHindsight, TheLinearLossIsInClosedForm) {
  const Examples examples{2, {1.0F, 0.0F, 2.0F, -4.0F}, {1.0F, 1.0F}};  // sum y z = (3, -4)
  const auto loss = [&](Constraint constraint, double radius) {
    return best_in_hindsight(Loss{LinearLoss{}}, examples.rows(), {constraint, radius}).loss;
  };
  EXPECT_NEAR(loss(Constraint::ball, 2.0), 2.0 - 10.0, 1e-13);
  EXPECT_NEAR(loss(Constraint::box, 2.0), 2.0 - 7.0 * std::sqrt(2.0), 1e-13);
  EXPECT_EQ(loss(Constraint::ball, kInfinity), -kInfinity);
  EXPECT_EQ(loss(Constraint::box, kInfinity), -kInfinity);
  const Examples balanced{1, {1.0F, 1.0F}, {1.0F, -1.0F}};
  EXPECT_EQ(best_in_hindsight(Loss{LinearLoss{}}, balanced.rows(), {}).loss, 2.0);
}

TEST(BestInHindsight, DuplicatesAndZeroFeaturesChangeNothing) {
  for (const Loss& loss : kLosses) {
    if (std::holds_alternative<LinearLoss>(loss.kind())) continue;
    const Examples plain = random_examples(8, 150, 2, loss.is_classification());
    Examples padded{4, {}, plain.y};
    for (std::size_t i = 0; i < 150; ++i) {
      const auto z = plain.row(i);
      padded.z.insert(padded.z.end(), {z[0], z[1], 0.0F, z[1]});
    }
    for (const double radius : {100.0, kInfinity}) {
      const Region region{Constraint::ball, radius};
      const BestFit a = best_in_hindsight(loss, plain.rows(), region);
      const BestFit b = best_in_hindsight(loss, padded.rows(), region);
      EXPECT_NEAR(a.loss, b.loss, 1e-7 * a.loss) << loss.name();
      EXPECT_LE(b.gap, 1e-7 * b.loss) << loss.name();
    }
  }
}

TEST(BestInHindsight, WithoutRowsFeaturesOrRadiusTheForecastIsZero) {
  for (const Loss& loss : kLosses) {
    const Examples none{3, {}, {}};
    EXPECT_EQ(best_in_hindsight(loss, none.rows(), {Constraint::box, 1.0}).loss, 0.0);
    const Examples featureless{0, {}, {1.0F, -1.0F}};
    const Examples some = random_examples(9, 2, 2, true);
    const double zero = total_loss(loss, some, std::vector<double>{0.0, 0.0});
    for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
      const BestFit empty = best_in_hindsight(loss, featureless.rows(), {constraint, 1.0});
      EXPECT_EQ(empty.loss, loss.value(0.0, 1.0) + loss.value(0.0, -1.0));
      const BestFit still = best_in_hindsight(loss, some.rows(), {constraint, 0.0});
      EXPECT_EQ(still.loss, zero);
      EXPECT_LE(still.gap, 1e-7 * zero);
    }
  }
}

}  // namespace
}  // namespace caucus
