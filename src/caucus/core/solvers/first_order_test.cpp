#include "caucus/core/solvers/first_order.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {
namespace {

TEST(FirstOrderModel, AgreesWithThePlainFormulas) {
  constexpr std::size_t kDimension = 6;
  constexpr double kReporters = 5.0;
  FirstOrderModel model;
  std::vector<float> w(kDimension, 0.0F);
  std::vector<double> plain(kDimension, 0.0);
  double curvatures = 0.0;
  double squares = 0.0;
  double reach = 0.0;
  Stream stream({.seed = 2});
  for (int t = 1; t <= 50; ++t) {
    const double holders = 1.0 + stream.below(5);
    const double P = 0.2 + 0.8 * stream.uniform();
    std::vector<float> sum(kDimension, 0.0F);
    double losses = 0.0;
    double squared = 0.0;
    for (int j = 0; j < static_cast<int>(holders); ++j) {
      losses += 0.01 + stream.uniform();
      for (float& value : sum) {
        const double g = 0.3 * stream.normal() + 0.2;
        squared += g * g;
        value += static_cast<float>(g);
      }
    }
    model.step({5, holders, P, losses, squared, sum, squared_norm(sum)}, {Constraint::ball, 0.9},
               w);

    double own = 0.0;
    for (const float value : sum) own += std::pow(static_cast<double>(value) / (kReporters * P), 2);
    const double H = holders / (kReporters * P) * squared / (2.0 * losses);
    curvatures += H;
    squares += own;
    double lambda = 1.0 / std::max(H, curvatures / t);
    if (t > 1) lambda = std::min(lambda, 1.4 * reach / std::sqrt(squares));
    if (t == 1) reach = lambda * std::sqrt(own);
    double length = 0.0;
    for (std::size_t k = 0; k < kDimension; ++k) {
      plain[k] -= lambda * static_cast<double>(sum[k]) / (kReporters * P);
      length += plain[k] * plain[k];
    }
    length = std::sqrt(length);
    for (double& value : plain) value *= std::min(1.0, 0.9 / length);
    reach = std::max(reach, std::min(length, 0.9));
    for (std::size_t k = 0; k < kDimension; ++k) {
      EXPECT_NEAR(static_cast<double>(w[k]), plain[k], 2e-5) << t;
    }
  }
}

TEST(FirstOrderModel, AFirstStepReachesTheBestPointOfASquareLossAtOnce) {
  // One client, c = (w - y)^2, g = 2 (w - y): H = 2, so that lambda = 1/2 and w = y.
  FirstOrderModel model;
  std::vector<float> w(1, 0.0F);
  const std::vector<float> gradient = {-6.0F};
  model.step({1, 1, 1.0, 9.0, 36.0, gradient, squared_norm(gradient)},
             {Constraint::ball, kInfinity}, w);
  EXPECT_FLOAT_EQ(w[0], 3.0F);
}

TEST(GuardedFirstOrderModel, AgreesWithThePlainFormulas) {
  constexpr double kExamples = 3.0;
  for (const double known : {0.0, 0.8}) {
    FirstOrderModel model(known, true);
    std::vector<float> w(2, 0.0F);
    std::vector<double> plain(2, 0.0);
    double largest = known, curvatures = 0.0, squares = 0.0, reach = 0.0;
    Stream stream({.seed = 3});
    for (int t = 1; t <= 40; ++t) {
      RoundSums sums{1, 1.0, 1.0, 0.1 + stream.uniform(), 0.0, {}, 0.0, 3, 0.0};
      const std::vector<float> g = {static_cast<float>(stream.normal()),
                                    static_cast<float>(0.5 * stream.normal())};
      sums.gradient = g;
      sums.squared_gradients = sums.squared_sum = squared_norm(g);
      sums.largest_size = sums.squared_gradients / (4.0 * sums.losses);
      if (known > 0.0) sums.largest_size = std::min(sums.largest_size, known);
      sums.squared_gradients = 4.0 * sums.losses * sums.largest_size;
      model.step(sums, {Constraint::ball, kInfinity}, w);

      largest = std::max(largest, sums.largest_size);
      const double size = std::max(sums.largest_size, largest / kExamples);
      const double H = 2.0 * size * std::sqrt(std::min(kExamples, largest / size));
      curvatures += H;
      squares += sums.squared_sum;
      const double steepest = std::max(H, curvatures / t);
      reach = std::max(reach, std::sqrt(squares / t) / steepest);
      const double lambda = std::min(1.0 / steepest, 1.4 * reach / std::sqrt(squares));
      if (known == 0.0 && t <= 6) {
        EXPECT_EQ(w[0], 0.0F);
        continue;
      }
      for (std::size_t k = 0; k < 2; ++k) plain[k] -= lambda * static_cast<double>(g[k]);
      reach = std::max(reach, std::hypot(plain[0], plain[1]));
      EXPECT_NEAR(static_cast<double>(w[0]), plain[0], 2e-5) << t;
      EXPECT_NEAR(static_cast<double>(w[1]), plain[1], 2e-5) << t;
    }
  }
}

/// The weight after 60 rounds, in which z = 1 and y = 0.5, after rounds of a lie.
double learned_after(FirstOrderModel model, int lies, float gradient, double loss) {
  std::vector<float> w(1, 0.0F);
  for (int t = 0; t < lies + 60; ++t) {
    const float error = w[0] - 0.5F;
    const std::vector<float> g = {t < lies ? gradient : 2.0F * error};
    const double c = t < lies ? loss : static_cast<double>(error) * static_cast<double>(error);
    const double squared = squared_norm(g);
    model.step({1, 1, 1.0, c, squared, g, squared, 1, c > 0.0 ? squared / (4.0 * c) : 0.0},
               {Constraint::ball, kInfinity}, w);
    if (std::abs(w[0]) > 2.0F) return static_cast<double>(w[0]);
  }
  return static_cast<double>(w[0]);
}

TEST(GuardedFirstOrderModel, IsNotThrownFarByATinyFirstGradient) {
  EXPECT_GT(std::abs(learned_after(FirstOrderModel(), 1, 1e-15F, 1.0)), 1e10);
  for (const int lies : {1, 5}) {
    EXPECT_NEAR(learned_after(FirstOrderModel(0.0, true), lies, 1e-15F, 1.0), 0.5, 0.01);
    EXPECT_NEAR(learned_after(FirstOrderModel(1.0, true), lies, 1e-15F, 1.0), 0.5, 0.01);
  }
}

TEST(GuardedFirstOrderModel, IsNotSlowedByATinyFirstGradient) {
  EXPECT_NEAR(learned_after(FirstOrderModel(1.0), 1, 1e-15F, 0.25e-30), 0.0, 0.01);
  EXPECT_NEAR(learned_after(FirstOrderModel(1.0, true), 1, 1e-15F, 0.25e-30), 0.5, 0.01);
  EXPECT_NEAR(learned_after(FirstOrderModel(0.0, true), 5, 1e-15F, 0.25e-30), 0.5, 0.01);
}

TEST(FirstOrderModel, LearnsWithoutCurvature) {  // the linear loss: c may be negative
  FirstOrderModel model;
  std::vector<float> w(2, 0.0F);
  const std::vector<float> gradient = {-1.0F, 0.0F};
  for (int t = 0; t < 200; ++t) {
    model.step({1, 1, 1.0, -1.0, 1.0, gradient, squared_norm(gradient)}, {Constraint::ball, 2.0},
               w);
  }
  EXPECT_NEAR(w[0], 2.0F, 1e-5F);
}

TEST(FirstOrderModel, IgnoresWhatIsNotFinite) {
  FirstOrderModel model;
  std::vector<float> w = {0.25F};
  for (const float bad : {0.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const std::vector<float> gradient = {bad};
    model.step({1, 1, 1.0, 1.0, 1.0, gradient, squared_norm(gradient)},
               {Constraint::ball, kInfinity}, w);
    EXPECT_EQ(w[0], 0.25F);
  }
}

TEST(FirstOrderModel, AMeanOverManyExamplesHidesCurvature) {
  // |z|^2 is known to be 1 and the report shows 1/16 of it: the step is 1/sqrt(16) of that of one
  // example, and 1/sqrt(4) of it if the report is a mean over 4.
  const auto step = [](std::size_t examples) {
    FirstOrderModel model(1.0);
    std::vector<float> w(1, 0.0F);
    const std::vector<float> gradient = {-0.5F};
    const RoundSums sums{1, 1, 1.0, 1.0, 0.25, gradient, squared_norm(gradient), examples};
    model.step(sums, {}, w);
    return w[0];
  };
  EXPECT_FLOAT_EQ(step(4), step(1) / 2.0F);
  EXPECT_FLOAT_EQ(step(100), step(1) / 4.0F);
}

}  // namespace
}  // namespace caucus
