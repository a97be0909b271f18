#include "caucus/box.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/base/test_numbers.hpp"
#include "caucus/mirror_map.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;

static_assert(MirrorMap<Box>);

TEST(Box, NoPointOfADenseGridOfTheSquareIsNearer) {
  Stream stream({.seed = 1});
  for (int trial = 0; trial < 20; ++trial) {
    const double radius = 0.5 + stream.uniform();
    const double side = radius / std::sqrt(2.0);
    const Floats start = normals(2, 0.3, stream);
    const Floats gradient = normals(2, 1.0, stream);
    const double rate = 2.0 * stream.uniform();
    Floats w = start;
    Box{radius}.descend(w, gradient, rate);
    const auto distance = [&](double a, double b) {
      return std::hypot(
          a - (static_cast<double>(start[0]) - rate * static_cast<double>(gradient[0])),
          b - (static_cast<double>(start[1]) - rate * static_cast<double>(gradient[1])));
    };
    double nearest = std::numeric_limits<double>::infinity();
    for (int a = -200; a <= 200; ++a) {
      for (int b = -200; b <= 200; ++b) {
        nearest = std::min(nearest, distance(side * a / 200.0, side * b / 200.0));
      }
    }
    const double reached = distance(static_cast<double>(w[0]), static_cast<double>(w[1]));
    EXPECT_LE(reached, nearest + 1e-6);
    EXPECT_GE(reached, nearest - 0.01);  // up to the width of the grid
    for (const float value : w) {
      EXPECT_LE(std::abs(static_cast<double>(value)), side * (1.0 + 1e-6));
    }
  }
}

RC_GTEST_PROP(Box, ClipsEveryCoordinateAtRadiusOverRootOfTheDimension, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 300);
  const double radius = std::exp(2.0 * stream.normal());
  const Floats start = normals(d, 1.0, stream);
  const Floats gradient = normals(d, 1.0, stream);
  const double rate = std::exp(2.0 * stream.normal());
  Floats w = start;
  Box{radius}.descend(w, gradient, rate);
  for (std::size_t k = 0; k < d; ++k) {
    const double step = rate * static_cast<double>(gradient[k]);
    const double target = static_cast<double>(start[k]) - step;
    const double side = radius / std::sqrt(static_cast<double>(d));
    const double expected = std::max(-side, std::min(side, target));
    const double tolerance = 4e-7 * (std::abs(step) + std::abs(static_cast<double>(start[k])));
    RC_ASSERT(std::abs(static_cast<double>(w[k]) - expected) <= tolerance + 1e-7 * side);
  }
}

TEST(Box, AStepThatStaysInsideIsAPlainGradientStep) {
  Floats w = {1.0F, -2.0F};
  Box{10.0}.descend(w, Floats{2.0F, 4.0F}, 0.5);
  EXPECT_THAT(w, ElementsAre(0.0F, -4.0F));
}

TEST(Box, AnInfiniteRadiusNeverClips) {
  Floats w = {1e30F, 2.0F};
  Box{}.descend(w, Floats{-1e30F, 0.0F}, 1.0);
  EXPECT_THAT(w, ElementsAre(2e30F, 2.0F));
}

TEST(Box, ProjectingAgainMovesNothing) {
  Stream stream({.seed = 2});
  Floats w = normals(50, 5.0, stream);
  const Floats nothing(50, 0.0F);
  Box{1.0}.descend(w, nothing, 1.0);
  const Floats once = w;
  Box{1.0}.descend(w, nothing, 1.0);
  EXPECT_EQ(w, once);
}

TEST(Box, ACoordinateThatOverflowsEndsAtZeroAndLeavesTheOthers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Floats w = {1.0F, 1.0F, 1.0F, 1.0F};
  Box{100.0}.descend(w, Floats{infinity, nan, 3e38F, 0.0F}, 10.0);
  EXPECT_THAT(w, ElementsAre(0.0F, 0.0F, 0.0F, 1.0F));
}

}  // namespace
}  // namespace caucus
