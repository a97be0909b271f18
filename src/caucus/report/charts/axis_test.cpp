#include "caucus/report/charts/axis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace caucus::report {
namespace {

Extent extent(std::initializer_list<double> values, Scale scale = Scale::linear) {
  Extent e(scale);
  e.add(std::vector<double>(values));
  return e;
}

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks) texts.push_back(tick.label);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Axis, OnlyNumbersThatTheScaleHasCount) {
  Extent linear;
  EXPECT_TRUE(linear.empty());
  linear.add({std::nan(""), HUGE_VAL, -2.0, 3.0});
  EXPECT_EQ(linear.low, -2.0);
  EXPECT_EQ(linear.high, 3.0);
  const Extent log = extent({-1.0, 0.0, 0.5, 8.0}, Scale::log);
  EXPECT_EQ(log.low, 0.5);
  EXPECT_EQ(log.high, 8.0);
}

TEST(Axis, LinearTicksHaveTheDecimalsOfTheirStep) {
  EXPECT_EQ(labels(roomy_axis(Scale::linear, extent({0.0, 0.034}), 5)),
            (Texts{"0", "0.01", "0.02", "0.03", "0.04"}));
  EXPECT_EQ(labels(roomy_axis(Scale::linear, extent({-37.0, 62.0}), 5)),
            (Texts{"−40", "−20", "0", "20", "40", "60", "80"}));
  EXPECT_EQ(labels(roomy_axis(Scale::linear, extent({0.0, 110000.0}), 5)),
            (Texts{"0", "50,000", "100,000", "150,000"}));
  EXPECT_EQ(labels(tight_axis(Scale::linear, extent({1.0, 1659.0}), 6)),
            (Texts{"0", "500", "1,000", "1,500"}));
}

TEST(Axis, LogTicksAreDecadesOrOneTwoFive) {
  EXPECT_EQ(labels(tight_axis(Scale::log, extent({1.0, 1659.0}, Scale::log), 6)),
            (Texts{"1", "10", "100", "1,000"}));
  EXPECT_EQ(labels(tight_axis(Scale::log, extent({1.0, 50.0}, Scale::log), 6)),
            (Texts{"1", "2", "5", "10", "20", "50"}));
  EXPECT_EQ(labels(tight_axis(Scale::log, extent({3.1, 3.9}, Scale::log), 4)),
            (Texts{"3.2", "3.4", "3.6", "3.8"}));
  const Axis wide = tight_axis(Scale::log, extent({1e-3, 1e20}, Scale::log), 6);
  EXPECT_GE(wide.ticks.size(), 4U);
  EXPECT_LE(wide.ticks.size(), 7U);
}

TEST(Axis, PlacesAreProportionalToValuesOrToTheirLogarithms) {
  const Axis linear = tight_axis(Scale::linear, extent({10.0, 30.0}), 4);
  EXPECT_DOUBLE_EQ(linear.share(15.0), 0.25);
  EXPECT_EQ(linear.share(-1.0), 0.0);
  EXPECT_EQ(linear.share(99.0), 1.0);
  const Axis log = tight_axis(Scale::log, extent({1.0, 1000.0}, Scale::log), 4);
  EXPECT_NEAR(log.share(10.0), 1.0 / 3.0, 1e-12);
  EXPECT_EQ(log.share(0.0), 0.0);
}

TEST(Axis, EqualValuesAndNoValuesStillHaveAnAxis) {
  for (const double value : {0.0, 5.0, -5.0, 1e-300, 1e300, -1e300}) {
    const Axis axis = roomy_axis(Scale::linear, extent({value}), 5);
    EXPECT_LT(axis.low, axis.high) << value;
    EXPECT_GE(axis.ticks.size(), 2U) << value;
  }
  for (const Scale scale : {Scale::linear, Scale::log}) {
    EXPECT_LT(roomy_axis(scale, Extent(scale), 5).low, roomy_axis(scale, Extent(scale), 5).high);
  }
  EXPECT_LT(tight_axis(Scale::log, extent({7.0}, Scale::log), 5).low, 7.0);
}

RC_GTEST_PROP(Axis, RoomyAxesCoverTheValuesWithRoundEvenTicks, ()) {
  const double power = std::pow(10.0, *rc::gen::inRange(-30, 30));
  const double a = *rc::gen::inRange(-1000, 1000) * power;
  const double b = *rc::gen::inRange(-1000, 1000) * power;
  const Axis axis = roomy_axis(Scale::linear, extent({a, b}), 5);
  const double room = 1e-5 * (axis.high - axis.low);
  RC_ASSERT(axis.low <= std::min(a, b) + room);
  RC_ASSERT(axis.high >= std::max(a, b) - room);
  RC_ASSERT(axis.ticks.size() >= 2U);
  RC_ASSERT(axis.ticks.size() <= 8U);
  const double step = axis.ticks[1].value - axis.ticks[0].value;
  const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-6));
  RC_ASSERT(std::min({std::abs(mantissa - 1.0), std::abs(mantissa - 2.0),
                      std::abs(mantissa - 5.0)}) < 1e-5);
  RC_ASSERT(std::abs(axis.ticks.front().value - axis.low) < room);
  RC_ASSERT(std::abs(axis.ticks.back().value - axis.high) < room);
}

RC_GTEST_PROP(Axis, AnyTwoNumbersGiveTicksInOrder, (double a, double b)) {
  for (const Scale scale : {Scale::linear, Scale::log}) {
    const Extent e = extent({a, b}, scale);
    for (const Axis& axis : {tight_axis(scale, e, 6), roomy_axis(scale, e, 5)}) {
      RC_ASSERT(axis.low < axis.high);
      RC_ASSERT(axis.ticks.size() <= 101U);
      RC_ASSERT(std::is_sorted(axis.ticks.begin(), axis.ticks.end(),
                               [](const Tick& s, const Tick& t) { return s.value < t.value; }));
      const double share = axis.share(a);
      RC_ASSERT(share >= 0.0);
      RC_ASSERT(share <= 1.0);
    }
  }
}

TEST(Nudge, PlacesThatDoNotMeetStay) {
  EXPECT_EQ(nudged_apart({10.0, 50.0, 30.0}, 15.0, 0.0, 100.0),
            (std::vector<double>{10.0, 50.0, 30.0}));
  EXPECT_TRUE(nudged_apart({}, 15.0, 0.0, 100.0).empty());
}

TEST(Nudge, EqualPlacesPartEvenlyAndEdgesHold) {
  EXPECT_EQ(nudged_apart({50.0, 50.0}, 10.0, 0.0, 100.0), (std::vector<double>{45.0, 55.0}));
  EXPECT_EQ(nudged_apart({0.0, 0.0, 0.0}, 10.0, 0.0, 100.0),
            (std::vector<double>{0.0, 10.0, 20.0}));
  EXPECT_EQ(nudged_apart({5.0, 5.0, 5.0}, 10.0, 0.0, 10.0), (std::vector<double>{0.0, 5.0, 10.0}));
}

/// The least sum of squares over a grid of all pairs and triples, by trying them.
double least_by_trying(double a, double b, double c, double gap) {
  double least = std::numeric_limits<double>::max();
  for (int x = 0; x <= 60; ++x) {
    for (int y = x; y <= 60; ++y) {
      for (int z = y; z <= 60; ++z) {
        if (y - x < gap || z - y < gap) continue;
        least = std::min(least, std::pow(x - a, 2) + std::pow(y - b, 2) + std::pow(z - c, 2));
      }
    }
  }
  return least;
}

TEST(Nudge, NoOtherPlacesAreNearer) {
  for (const auto& [a, b, c] : {std::tuple{10.0, 12.0, 13.0}, std::tuple{3.0, 30.0, 31.0},
                                std::tuple{0.0, 2.0, 58.0}, std::tuple{59.0, 59.0, 60.0}}) {
    const auto moved = nudged_apart({a, b, c}, 9.0, 0.0, 60.0);
    const double cost =
        std::pow(moved[0] - a, 2) + std::pow(moved[1] - b, 2) + std::pow(moved[2] - c, 2);
    EXPECT_LE(cost, least_by_trying(a, b, c, 9.0) + 1e-9);
    EXPECT_GE(moved[1] - moved[0], 9.0 - 1e-9);
    EXPECT_GE(moved[2] - moved[1], 9.0 - 1e-9);
    EXPECT_GE(moved[0], 0.0);
    EXPECT_LE(moved[2], 60.0);
  }
}

}  // namespace
}  // namespace caucus::report
