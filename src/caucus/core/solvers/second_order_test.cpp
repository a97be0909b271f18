#include "caucus/core/solvers/second_order.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

/// The ridge as a share of the largest |z|^2: 5 / round, but at least 1%.
double ridge_share(std::size_t round) { return std::max(0.01, 5.0 / static_cast<double>(round)); }

double length_of(const Doubles& w) {
  double sum = 0.0;
  for (const double value : w) sum += value * value;
  return std::sqrt(sum);
}

/// Weighted examples of a square loss, and the sums behind ridge regression.
class Examples {
 public:
  Examples(std::size_t count, std::size_t d, double scale = 1.0) : d_(d), A(d * d, 0.0), b(d, 0.0) {
    Stream stream({.seed = 3});
    for (std::size_t t = 0; t < count; ++t) {
      // Lengths are 1 to 1.5. The cap on c would apply if one were four times the usual square.
      Doubles direction;
      for (std::size_t k = 0; k < d; ++k) {
        direction.push_back(stream.normal() / (1.0 + static_cast<double>(k)));
      }
      const double length = (1.0 + 0.5 * stream.uniform()) / length_of(direction);
      Floats x;
      double target = 0.1 * stream.normal();
      for (std::size_t k = 0; k < d; ++k) {
        x.push_back(static_cast<float>(length * direction[k]));
        target += static_cast<double>(x[k]) * (k % 2 == 0 ? 1.0 : -0.5);
      }
      z.push_back(x);
      y.push_back(scale * target);
      weight.push_back(1.0 + 3.0 * stream.uniform());
    }
  }

  /// Gives all examples to the model as reports at its current point, solving after each.
  Floats learn(SecondOrderModel& model, const Region& region, int extra_solves = 200) {
    Floats w(d_, 0.0F);
    double largest = 0.0;
    for (std::size_t t = 0; t < z.size(); ++t) {
      double residual = -y[t];
      double length = 0.0;
      for (std::size_t k = 0; k < d_; ++k) {
        residual += static_cast<double>(w[k]) * static_cast<double>(z[t][k]);
        length += std::pow(static_cast<double>(z[t][k]), 2);
      }
      Floats gradient;
      for (const float x : z[t])
        gradient.push_back(static_cast<float>(2.0 * residual * static_cast<double>(x)));
      model.observe(residual * residual, gradient, weight[t], w);
      model.solve(region, w);
      largest = std::max(largest, length);
      for (std::size_t k = 0; k < d_; ++k) {
        b[k] += weight[t] * y[t] * static_cast<double>(z[t][k]);
        for (std::size_t l = 0; l < d_; ++l) {
          A[k * d_ + l] += weight[t] * static_cast<double>(z[t][k]) * static_cast<double>(z[t][l]);
        }
      }
    }
    for (std::size_t k = 0; k < d_; ++k) A[k * d_ + k] += ridge_share(z.size()) * largest;
    for (int s = 0; s < extra_solves; ++s) model.solve(region, w);
    return w;
  }

  /// (A + mu I)^-1 b by elimination.
  [[nodiscard]] Doubles solution(double mu = 0.0) const {
    Doubles M = A;
    Doubles x = b;
    for (std::size_t k = 0; k < d_; ++k) M[k * d_ + k] += mu;
    for (std::size_t k = 0; k < d_; ++k) {
      for (std::size_t r = k + 1; r < d_; ++r) {
        const double factor = M[r * d_ + k] / M[k * d_ + k];
        for (std::size_t c = k; c < d_; ++c) M[r * d_ + c] -= factor * M[k * d_ + c];
        x[r] -= factor * x[k];
      }
    }
    for (std::size_t k = d_; k-- > 0;) {
      for (std::size_t c = k + 1; c < d_; ++c) x[k] -= M[k * d_ + c] * x[c];
      x[k] /= M[k * d_ + k];
    }
    return x;
  }

  [[nodiscard]] double objective(const Doubles& w) const {
    double value = 0.0;
    for (std::size_t k = 0; k < d_; ++k) {
      value -= 2.0 * b[k] * w[k];
      for (std::size_t l = 0; l < d_; ++l) value += w[k] * A[k * d_ + l] * w[l];
    }
    return value;
  }

 private:
  std::size_t d_;

 public:
  std::vector<Floats> z;
  Doubles y, weight, A, b;
};

TEST(SecondOrderModel, IsWeightedRidgeRegressionForTheSquareLoss) {
  Examples examples(60, 5);
  SecondOrderModel model(5);
  const Floats w = examples.learn(model, {Constraint::ball, kInfinity});
  const Doubles expected = examples.solution();
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(static_cast<double>(w[k]), expected[k], 2e-5) << k;
}

TEST(SecondOrderModel, InABallIsTheBestPointOfTheBall) {
  Examples examples(60, 5);
  SecondOrderModel model(5);
  const double radius = 0.5;
  const Floats w = examples.learn(model, {Constraint::ball, radius});
  double low = 0.0;  // |(A + mu I)^-1 b| falls with mu: bisection
  double high = 1e6;
  for (int step = 0; step < 200; ++step) {
    const double mu = 0.5 * (low + high);
    (length_of(examples.solution(mu)) > radius ? low : high) = mu;
  }
  const Doubles expected = examples.solution(high);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(static_cast<double>(w[k]), expected[k], 1e-4) << k;
}

TEST(SecondOrderModel, LeavesTheSphereWhenTheDataAllowIt) {
  Examples examples(60, 3);
  SecondOrderModel model(3);
  const Floats w = examples.learn(model, {Constraint::ball, 100.0});
  const Doubles expected = examples.solution();
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(static_cast<double>(w[k]), expected[k], 2e-5) << k;
}

TEST(SecondOrderModel, InABoxNoSinglePointOfItIsBetter) {
  Examples examples(60, 5);
  SecondOrderModel model(5);
  const Region box{Constraint::box, 0.7};
  const double side = 0.7 / std::sqrt(5.0);
  const Floats w = examples.learn(model, box);
  Doubles point(w.begin(), w.end());
  const double reached = examples.objective(point);
  Stream stream({.seed = 8});
  for (int trial = 0; trial < 20000; ++trial) {
    Doubles other = point;
    for (double& value : other) {
      value = std::clamp(value + 0.1 * stream.normal(), -side, side);
    }
    EXPECT_GE(examples.objective(other), reached - 1e-5 * std::abs(reached));
  }
  for (const double value : point) EXPECT_LE(std::abs(value), side * (1.0 + 1e-6));
}

TEST(SecondOrderModel, IsFreeOfTheScaleOfTheTarget) {
  Examples small(60, 4, 0.001);
  Examples large(60, 4, 100.0);
  SecondOrderModel one(4);
  SecondOrderModel other(4);
  const Floats w = small.learn(one, {Constraint::ball, kInfinity}, 0);
  const Floats v = large.learn(other, {Constraint::ball, kInfinity}, 0);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(static_cast<double>(v[k]), 1e5 * static_cast<double>(w[k]),
                1e-4 * std::abs(static_cast<double>(v[k])));
  }
}

TEST(SecondOrderModel, IgnoresWhatSaysNothing) {
  Examples examples(20, 3);
  SecondOrderModel model(3);
  Floats w = examples.learn(model, {Constraint::ball, kInfinity});
  const Floats before = w;
  const float infinity = std::numeric_limits<float>::infinity();
  model.observe(0.0, Floats{1.0F, 0.0F, 0.0F}, 1.0, w);
  model.observe(-1.0, Floats{1.0F, 0.0F, 0.0F}, 1.0, w);
  model.observe(1.0, Floats{0.0F, 0.0F, 0.0F}, 1.0, w);
  model.observe(1.0, Floats{infinity, 0.0F, 0.0F}, 1.0, w);
  model.observe(1.0, Floats{std::nanf(""), 0.0F, 0.0F}, 1.0, w);
  model.observe(std::numeric_limits<double>::infinity(), Floats{1.0F, 0.0F, 0.0F}, 1.0, w);
  model.observe(std::nan(""), Floats{1.0F, 0.0F, 0.0F}, 1.0, w);
  model.solve({Constraint::ball, kInfinity}, w);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(w[k], before[k], 1e-6F);
}

TEST(SecondOrderModel, FollowsAChangeOnlyIfItForgets) {
  const auto error_after_change = [](double share) {
    SecondOrderModel model(1);
    Floats w(1, 0.0F);
    Stream stream({.seed = 4});
    double error = 0.0;
    for (int t = 0; t < 1040; ++t) {
      const double truth = t < 1000 ? 1.0 : -1.0;
      const double residual = static_cast<double>(w[0]) - truth - 0.1 * stream.normal();
      if (share > 0.0) model.forget(share, 1, residual * residual);
      model.observe(residual * residual, Floats{static_cast<float>(2.0 * residual)}, 1.0, w);
      model.solve({Constraint::ball, kInfinity}, w);
      if (t >= 1020) error += std::pow(static_cast<double>(w[0]) - truth, 2) / 20.0;
    }
    return error;
  };
  EXPECT_GT(error_after_change(0.0), 3.0);    // has not moved
  EXPECT_LT(error_after_change(0.003), 0.1);  // the losses revealed the change
}

TEST(SecondOrderModel, SteadyForgettingIsExponentialWeighting) {
  // Two reports, the first forgotten over three rounds: A = 0.9^3 z1 z1' + z2 z2' and so on. In one
  // dimension with c = r^2, g = 2 r z: w = (k y1 + y2) / (k + 1 + ridge), k = 0.9^3.
  SecondOrderModel model(1);
  Floats w(1, 0.0F);
  const auto report = [&](double y) {
    const double residual = static_cast<double>(w[0]) - y;
    model.observe(residual * residual, Floats{static_cast<float>(2.0 * residual)}, 1.0, w);
  };
  report(1.0);
  model.forget(0.1, 3, 1.0);  // the first loss becomes the usual one
  report(3.0);
  for (int s = 0; s < 5; ++s) model.solve({Constraint::ball, kInfinity}, w);
  const double kept = 0.9 * 0.9 * 0.9;
  EXPECT_NEAR(static_cast<double>(w[0]), (kept * 1.0 + 3.0) / (kept + 1.0 + ridge_share(1)), 1e-5);
}

TEST(SecondOrderModel, AMeanOverManyExamplesCountsForMoreCurvature) {
  // The first report sets the largest |z|^2 to 1; the second shows 1/16 of it and is a mean over 9:
  // its quadratic counts sqrt(9) times, its gradient once.
  const auto learned = [](SecondOrderModel model) {
    Floats w(1, 0.0F);
    model.observe(1.0, Floats{-2.0F}, 1.0, w);
    model.observe(1.0, Floats{-0.5F}, 1.0, w, 9);
    for (int s = 0; s < 5; ++s) model.solve({Constraint::ball, kInfinity}, w);
    return static_cast<double>(w[0]);
  };
  const double ridge = 0.01;
  EXPECT_NEAR(learned(SecondOrderModel(1, 1.0)), 1.25 / (1.0 + ridge + 3.0 / 16.0), 1e-5);
}

TEST(SecondOrderModel, AFirstReportOfATinyFeatureDoesNotSendTheModelFarAway) {
  // y = 1 whatever z. Fitted exactly, z = 0.01 would give w = 100.
  SecondOrderModel model(1);
  Floats w(1, 0.0F);
  model.observe(1.0, Floats{-2.0F * 0.01F}, 1.0, w);
  model.solve({Constraint::ball, kInfinity}, w);
  EXPECT_NEAR(w[0], 100.0F / 6.0F, 1e-3F);
}

TEST(SecondOrderModel, TheRidgeEndsAtOnePercent) {
  Examples examples(600, 5);
  SecondOrderModel model(5);
  const Floats w = examples.learn(model, {Constraint::ball, kInfinity});
  ASSERT_EQ(ridge_share(600), 0.01);
  const Doubles expected = examples.solution();
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(static_cast<double>(w[k]), expected[k], 2e-5) << k;
}

TEST(SecondOrderModel, FadingIsAsIfThePastHadWeighedLess) {
  const auto learned = [](double weight, double fade) {
    Examples past(60, 3);
    SecondOrderModel model(3);
    for (double& value : past.weight) value *= weight;
    Floats w = past.learn(model, {Constraint::ball, kInfinity}, 0);
    model.fade(fade);
    for (int t = 0; t < 600; ++t) {  // brings both ridges to 1% of the same size
      const double residual = static_cast<double>(w[0]) + 1.0;
      model.observe(residual * residual, Floats{static_cast<float>(2.0 * residual), 0.0F, 0.0F},
                    1.0, w);
      model.solve({Constraint::ball, kInfinity}, w);
    }
    return w;
  };
  const Floats faded = learned(1.0, 0.1);
  const Floats lighter = learned(0.1, 1.0);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(faded[k], lighter[k], 5e-3F) << k;
  EXPECT_GT(std::abs(faded[0] - learned(1.0, 1.0)[0]), 0.05F);
}

TEST(SecondOrderModel, ReportsThatWaitAreNotLost) {
  Examples at_once(40, 4);
  Examples waiting(40, 4);
  SecondOrderModel one(4, 2.25);
  SecondOrderModel other(4, 2.25);
  Floats w = at_once.learn(one, {Constraint::ball, kInfinity});
  // All reports taken at 0, and no step until the end.
  Floats v(4, 0.0F);
  for (std::size_t t = 0; t < waiting.z.size(); ++t) {
    Floats gradient;
    for (const float x : waiting.z[t])
      gradient.push_back(static_cast<float>(-2.0 * waiting.y[t] * static_cast<double>(x)));
    other.observe(waiting.y[t] * waiting.y[t], gradient, waiting.weight[t], v);
    EXPECT_EQ(other.unsolved(), t + 1);
  }
  for (int s = 0; s < 200; ++s) other.solve({Constraint::ball, kInfinity}, v, 1);
  EXPECT_EQ(other.unsolved(), 0U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(v[k], w[k], 2e-2F) << k;
}

TEST(SecondOrderModel, TheRidgeOfMeansIsThatOfTheWorstThatTheyMayHide) {
  // |z|^2 is not known, a mean over 100 examples shows 1: the ridge is 1% of 100^2.
  SecondOrderModel model(1);
  Floats w(1, 0.0F);
  model.observe(1.0, Floats{-2.0F}, 1.0, w, 100);
  model.solve({Constraint::ball, kInfinity}, w);
  EXPECT_NEAR(w[0], 1.0F / 101.0F, 1e-6F);
}

TEST(SecondOrderModel, AFirstMeanThatHidesTheCurvatureIsNotFittedAsIfItWereExact) {
  // Targets of mean 0.05 and mean square 0.1 under the constant feature 1: w should become 0.05.
  // Read as one example, the mean report would give 0.1 / 0.05 = 2.
  SecondOrderModel model(1, 1.0);
  Floats w(1, 0.0F);
  model.observe(0.1, Floats{-0.1F}, 1.0, w, 50);
  model.solve({Constraint::ball, kInfinity}, w);
  EXPECT_GT(w[0], 0.0F);
  EXPECT_LT(w[0], 0.35F);
}

}  // namespace
}  // namespace caucus
