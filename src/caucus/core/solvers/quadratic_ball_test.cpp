#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/solvers/quadratic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "caucus/core/solvers/test_quadratic.hpp"

namespace caucus {
namespace {

using testing::norm;
using testing::Problem;
using testing::random_problem;

TEST(QuadraticBall, AgreesWithADenseGridInThePlane) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = random_problem(seed, 2, seed % 3);
    const double radius = 0.1 * static_cast<double>(seed);
    const auto best = quadratic_on_ball(p.form())(radius);
    double grid = 0.0;
    for (int ring = 1; ring <= 200; ++ring) {
      for (int turn = 0; turn < 1000; ++turn) {
        const double r = radius * ring / 200.0;
        const double angle = 2.0 * std::numbers::pi * turn / 1000.0;
        const double w[] = {r * std::cos(angle), r * std::sin(angle)};
        grid = std::min(grid, testing::value(p, w));
      }
    }
    const double spacing = radius / 200.0;
    EXPECT_LE(best.value, grid + 1e-12);
    EXPECT_GE(best.value, grid - spacing * spacing * testing::trace(p) - 1e-4 * radius);
  }
}

TEST(QuadraticBall, AgreesWithVeryLongProjectedDescent) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem p = random_problem(seed, 8, 12);
    const double radius = 0.05 * std::pow(2.0, static_cast<double>(seed));
    const auto slow = testing::projected_descent(p, 20000, [&](std::vector<double>& w) {
      const double length = norm(w);
      if (length > radius) {
        for (double& entry : w) entry *= radius / length;
      }
    });
    const auto best = quadratic_on_ball(p.form())(radius);
    EXPECT_NEAR(best.value, testing::value(p, slow), 1e-9 * std::abs(best.value));
    EXPECT_LE(best.gap, 1e-12 * std::abs(best.value));
  }
}

RC_GTEST_PROP(QuadraticBall, MeetsTheOptimalityConditionsForAnyRankAndRadius, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 12);
  const auto rank = *rc::gen::inRange<std::size_t>(0, 2 * d);
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  const double radius = std::pow(10.0, *rc::gen::inRange(-4, 5));
  const double smallest = std::pow(10.0, -*rc::gen::inRange(0, 9));
  const Problem p = random_problem(seed, d, rank, smallest, *rc::gen::arbitrary<bool>());
  const auto best = quadratic_on_ball(p.form())(radius);
  const double size = norm(p.b) + testing::trace(p) * norm(best.weights);
  RC_ASSERT(norm(best.weights) <= radius * (1.0 + 1e-14));
  RC_ASSERT(best.multiplier >= 0.0);
  auto residual = testing::gradient(p, best.weights);  // Aw - b + m w = 0
  for (std::size_t i = 0; i < d; ++i) residual[i] += best.multiplier * best.weights[i];
  RC_ASSERT(norm(residual) <= 1e-11 * size);
  // m > 0 only on the sphere.
  RC_ASSERT(best.multiplier * (radius - norm(best.weights)) <= 1e-11 * size);
  RC_ASSERT(best.gap <= 1e-11 * size * radius);
}

TEST(QuadraticBall, InTheHardCaseTheShortestStationaryPointIsTaken) {
  const Problem p{{2.0, 0.0, 0.0, 0.0}, {1.0, 0.0}};
  const auto best = quadratic_on_ball(p.form())(3.0);
  EXPECT_NEAR(best.weights[0], 0.5, 1e-15);
  EXPECT_EQ(best.weights[1], 0.0);
  EXPECT_EQ(best.multiplier, 0.0);
  EXPECT_NEAR(best.gap, 0.0, 1e-15);
}

TEST(QuadraticBall, ALinearFunctionIsMinimisedOnTheSphere) {
  const Problem p{std::vector<double>(4, 0.0), {3.0, -4.0}};
  const auto best = quadratic_on_ball(p.form())(2.0);
  EXPECT_NEAR(best.weights[0], 1.2, 1e-14);
  EXPECT_NEAR(best.weights[1], -1.6, 1e-14);
  EXPECT_NEAR(best.value, -10.0, 1e-14);
  EXPECT_NEAR(best.multiplier, 2.5, 1e-14);
}

TEST(QuadraticBall, AnInfiniteBallGivesTheShortestSolutionOfTheNormalEquations) {
  const Problem p = random_problem(3, 6, 3, 1.0, true);
  const auto best = quadratic_on_ball(p.form())(kInfinity);
  EXPECT_LE(norm(testing::gradient(p, best.weights)), 1e-12 * norm(p.b));
  const auto finite = quadratic_on_ball(p.form())(1e6);
  EXPECT_TRUE(best.bounded);
  EXPECT_NEAR(norm(best.weights), norm(finite.weights), 1e-9);
  EXPECT_LE(best.gap, 1e-12 * std::abs(best.value));
}

TEST(QuadraticBall, AFunctionWithoutLowerBoundIsRecognised) {
  const Problem p{{1.0, 0.0, 0.0, 0.0}, {1.0, 1.0}};
  EXPECT_FALSE(quadratic_on_ball(p.form())(kInfinity).bounded);
  EXPECT_TRUE(quadratic_on_ball(p.form())(1e9).bounded);
}

TEST(QuadraticBall, ZeroRadiusAndZeroDimensionsGiveZero) {
  const Problem p = random_problem(1, 3, 3);
  EXPECT_EQ(quadratic_on_ball(p.form())(0.0).weights, std::vector<double>(3, 0.0));
  EXPECT_EQ(quadratic_on_ball(QuadraticForm{})(1.0).value, 0.0);
}

}  // namespace
}  // namespace caucus
