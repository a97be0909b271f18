#include "caucus/ball.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/base/test_numbers.hpp"
#include "caucus/mirror_map.hpp"

namespace caucus {
namespace {

using testing::Each;
using testing::ElementsAre;

static_assert(MirrorMap<Ball>);

double norm(const Floats& w) {
  double squares = 0.0;
  for (const float value : w) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares);
}

TEST(Ball, NoPointOfADenseGridOfTheDiscIsNearer) {
  Stream stream({.seed = 1});
  for (int trial = 0; trial < 20; ++trial) {
    const double radius = 0.5 + stream.uniform();
    const Floats start = normals(2, 0.3, stream);
    const Floats gradient = normals(2, 1.0, stream);
    const double rate = 2.0 * stream.uniform();
    Floats w = start;
    Ball{radius}.descend(w, gradient, rate);
    ASSERT_LE(norm(w), radius * (1.0 + 1e-6));
    const double target[2] = {
        static_cast<double>(start[0]) - rate * static_cast<double>(gradient[0]),
        static_cast<double>(start[1]) - rate * static_cast<double>(gradient[1])};
    const auto distance = [&](double a, double b) {
      return std::hypot(a - target[0], b - target[1]);
    };
    double nearest = kInfinity;
    for (int r = 0; r <= 200; ++r) {
      for (int angle = 0; angle < 720; ++angle) {
        const double size = radius * r / 200.0;
        const double direction = 2.0 * std::numbers::pi * angle / 720.0;
        nearest =
            std::min(nearest, distance(size * std::cos(direction), size * std::sin(direction)));
      }
    }
    const double reached = distance(static_cast<double>(w[0]), static_cast<double>(w[1]));
    EXPECT_LE(reached, nearest + 1e-6);
    EXPECT_GE(reached, nearest - 0.02);  // up to the width of the grid
  }
}

RC_GTEST_PROP(Ball, MeetsTheOptimalityConditionOfAProjection, ()) {
  // w is the projection of w_bar if and only if <w_bar - w, u - w> <= 0 for all u in the ball; the
  // most dangerous u is radius * (w_bar - w) / |w_bar - w|.
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 300);
  const double radius = std::exp(3.0 * stream.normal());
  const Floats start = normals(d, 1.0, stream);
  const Floats gradient = normals(d, 1.0, stream);
  const double rate = std::exp(2.0 * stream.normal());
  Floats w = start;
  Ball{radius}.descend(w, gradient, rate);
  double beyond = 0.0;  // |w_bar - w|
  double inner = 0.0;   // <w_bar - w, w>
  double size = 0.0;    // |w_bar|
  for (std::size_t k = 0; k < d; ++k) {
    const double target = static_cast<double>(start[k]) - rate * static_cast<double>(gradient[k]);
    const double left = target - static_cast<double>(w[k]);
    beyond += left * left;
    inner += left * static_cast<double>(w[k]);
    size += target * target;
  }
  RC_ASSERT(norm(w) <= radius * (1.0 + 1e-6));
  const double scale = std::sqrt(size) + rate * norm(gradient) + norm(start);
  RC_ASSERT(radius * std::sqrt(beyond) - inner <= 1e-5 * radius * scale);
}

TEST(Ball, AStepThatStaysInsideIsAPlainGradientStep) {
  Floats w = {1.0F, -2.0F};
  Ball{10.0}.descend(w, Floats{2.0F, 4.0F}, 0.5);
  EXPECT_THAT(w, ElementsAre(0.0F, -4.0F));
}

TEST(Ball, AnInfiniteRadiusNeverScales) {
  Floats w = {1e10F, 2.0F};
  Ball{}.descend(w, Floats{-1e10F, 0.0F}, 1.0);
  EXPECT_THAT(w, ElementsAre(2e10F, 2.0F));
}

TEST(Ball, ProjectingAgainMovesNothing) {
  Stream stream({.seed = 2});
  Floats w = normals(200, 5.0, stream);
  const Floats nothing(200, 0.0F);
  Ball{1.0}.descend(w, nothing, 1.0);
  const Floats once = w;
  Ball{1.0}.descend(w, nothing, 1.0);
  for (std::size_t k = 0; k < w.size(); ++k) EXPECT_FLOAT_EQ(w[k], once[k]);
}

TEST(Ball, AStepThatOverflowsEndsAtZero) {
  const Floats start = {1.0F, 2.0F, 3.0F};
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::pair<Floats, double> steps[] = {
      {{3e38F, 0.0F, 0.0F}, 100.0}, {{infinity, 0.0F, 0.0F}, 1.0}, {{nan, 0.0F, 0.0F}, 1.0},
      {{0.0F, 1.0F, 0.0F}, 1e300},  {{3e38F, 3e38F, 0.0F}, 1.0},
  };
  for (const auto& [gradient, rate] : steps) {
    for (const double radius : {1.0, kInfinity}) {
      Floats w = start;
      Ball{radius}.descend(w, gradient, rate);
      EXPECT_THAT(w, Each(0.0F));
    }
  }
}

}  // namespace
}  // namespace caucus
