#include "caucus/loss.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace caucus {
namespace {

using testing::HasSubstr;

/// A loss with its name, an independent definition, and the distance of v from a kink.
struct Case {
  std::string name;
  Exact (*definition)(Exact v, Exact y);
  double (*to_kink)(double v, double y);
};

double smooth(double, double) { return std::numeric_limits<double>::infinity(); }
double at_target(double v, double y) { return std::abs(v - y); }
Exact huber(Exact r, Exact delta) { return r <= delta ? r * r / 2 : delta * r - delta * delta / 2; }

const std::array<Case, 9> kCases = {{
    {"square", [](Exact v, Exact y) { return v * v - 2 * v * y + y * y; }, smooth},
    {"absolute", [](Exact v, Exact y) { return std::max(v - y, y - v); }, at_target},
    {"huber", [](Exact v, Exact y) { return huber(std::abs(v - y), 1); },
     [](double v, double y) { return std::abs(std::abs(v - y) - 1.0); }},
    {"huber:0.25", [](Exact v, Exact y) { return huber(std::abs(v - y), 0.25L); },
     [](double v, double y) { return std::abs(std::abs(v - y) - 0.25); }},
    {"logistic", [](Exact v, Exact y) { return std::log(1 + std::exp(-v * y)); }, smooth},
    {"hinge", [](Exact v, Exact y) { return v * y < 1 ? 1 - v * y : Exact(0); },
     [](double v, double y) { return std::abs(1.0 - v * y); }},
    {"pinball", [](Exact v, Exact y) { return std::abs(v - y) / 2; }, at_target},
    {"pinball:0.875", [](Exact v, Exact y) { return std::max(0.875L * (y - v), 0.125L * (v - y)); },
     at_target},
    {"linear", [](Exact v, Exact y) { return 1 - v * y; }, smooth},
}};

Loss loss_of(const Case& c) { return parse_loss(c.name).value(); }

double real(double low, double high) {
  constexpr std::int64_t kSteps = 1 << 30;
  const auto step = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, kSteps));
  return low + (high - low) * static_cast<double>(step) / static_cast<double>(kSteps);
}

double target_for(const Loss& loss) {
  if (loss.is_classification()) return *rc::gen::element(-1.0, 1.0);
  return real(-3.0, 3.0);
}

RC_GTEST_PROP(Loss, ValuesFollowTheDefinitions, ()) {
  for (const Case& c : kCases) {
    const Loss loss = loss_of(c);
    const double v = real(-6.0, 6.0);
    const double y = target_for(loss);
    const auto expected = static_cast<double>(c.definition(Exact(v), Exact(y)));
    RC_ASSERT(std::abs(loss.value(v, y) - expected) <= 1e-13 * (1.0 + v * v + y * y));
  }
}

RC_GTEST_PROP(Loss, DerivativesAgreeWithDifferencesAwayFromKinks, ()) {
  constexpr double h = 1e-5;
  for (const Case& c : kCases) {
    const Loss loss = loss_of(c);
    const double v = real(-6.0, 6.0);
    const double y = target_for(loss);
    if (c.to_kink(v, y) < 1e-3) continue;
    const auto difference = static_cast<double>(
        (c.definition(Exact(v + h), Exact(y)) - c.definition(Exact(v - h), Exact(y))) /
        (Exact(v + h) - Exact(v - h)));
    RC_ASSERT(std::abs(loss.derivative(v, y) - difference) < 1e-9);
  }
}

RC_GTEST_PROP(Loss, LiesAboveItsTangentsAlsoAtKinks, ()) {
  for (const Case& c : kCases) {
    const Loss loss = loss_of(c);
    const double y = target_for(loss);
    const double u = real(-6.0, 6.0);
    for (const double v : {real(-6.0, 6.0), y, y + 1.0, y - 0.25, 1.0 / y}) {
      if (!std::isfinite(v)) continue;
      const double tangent = loss.value(v, y) + loss.derivative(v, y) * (u - v);
      RC_ASSERT(loss.value(u, y) >= tangent - 1e-12 * (1.0 + std::abs(tangent) + v * v));
    }
  }
}

RC_GTEST_PROP(Loss, LargestAndSteepestBoundTheRangeAndAreAttained, ()) {
  const double V = real(0.1, 5.0);
  const double Y = real(0.1, 3.0);
  for (const Case& c : kCases) {
    const Loss loss = loss_of(c);
    double largest = 0.0;
    double steepest = 0.0;
    constexpr int kSteps = 20;
    for (int a = -kSteps; a <= kSteps; ++a) {
      for (int b = -kSteps; b <= kSteps; ++b) {
        const double v = V * a / kSteps;
        const double y = Y * b / kSteps;
        largest = std::max(largest, loss.value(v, y));
        steepest = std::max(steepest, std::abs(loss.derivative(v, y)));
      }
    }
    RC_ASSERT(std::abs(loss.largest(V, Y) - largest) <= 1e-13 * largest);
    RC_ASSERT(std::abs(loss.steepest(V, Y) - steepest) <= 1e-13 * steepest);
  }
}

TEST(Loss, NothingOverflowsAtHugeForecasts) {
  for (const Case& c : kCases) {
    const Loss loss = loss_of(c);
    for (const double v : {-1e300, 1e300}) {
      for (const double y : {-1.0, 1.0}) {
        EXPECT_TRUE(std::isfinite(loss.derivative(v, y))) << c.name;
        // The square of 1e300 overflows, but must not become NaN.
        if (c.name == "square") {
          EXPECT_EQ(loss.value(v, y), std::numeric_limits<double>::infinity());
        } else {
          EXPECT_TRUE(std::isfinite(loss.value(v, y))) << c.name;
        }
      }
    }
  }
}

TEST(Loss, LogisticKeepsItsTails) {
  EXPECT_EQ(LogisticLoss::value(1e300, -1.0), 1e300);
  EXPECT_EQ(LogisticLoss::value(1e300, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(LogisticLoss::value(50.0, 1.0), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(LogisticLoss::derivative(50.0, 1.0), -std::exp(-50.0));
  EXPECT_EQ(LogisticLoss::derivative(-1e300, 1.0), -1.0);
  EXPECT_DOUBLE_EQ(LogisticLoss::value(0.0, 1.0), std::log(2.0));
}

TEST(Loss, NamesReadBack) {
  for (const Case& c : kCases) EXPECT_EQ(loss_of(c).name(), c.name);
  EXPECT_EQ(Loss{}.name(), "square");
  EXPECT_EQ(parse_loss("huber:1").value().name(), "huber");
  EXPECT_EQ(parse_loss("pinball:0.5").value().name(), "pinball");
}

RC_GTEST_PROP(Loss, ParametersReadBackExactly, ()) {
  const double delta = real(1e-3, 1e3);
  const double tau = real(1e-3, 0.999);
  const Loss huber_loss = parse_loss(Loss{HuberLoss{delta}}.name()).value();
  const Loss pinball = parse_loss(Loss{PinballLoss{tau}}.name()).value();
  RC_ASSERT(std::get<HuberLoss>(huber_loss.kind()).delta == delta);
  RC_ASSERT(std::get<PinballLoss>(pinball.kind()).tau == tau);
}

TEST(Loss, OnlyLogisticAndHingeClassify) {
  for (const Case& c : kCases) {
    EXPECT_EQ(loss_of(c).is_classification(), c.name == "logistic" || c.name == "hinge") << c.name;
  }
}

TEST(Loss, AForecastOfAClassIsItsProbability) {
  const Loss logistic(LogisticLoss{});
  for (const double p : {0.01, 0.2, 0.5, 0.93, 0.99}) {
    EXPECT_NEAR(logistic.value(logistic.prediction_of(p), 1.0), -std::log(p), 1e-12);
    EXPECT_NEAR(logistic.value(logistic.prediction_of(p), -1.0), -std::log(1.0 - p), 1e-12);
  }
  EXPECT_EQ(logistic.prediction_of(1.0), logistic.prediction_of(0.99)) << "a class is not certain";
  EXPECT_EQ(logistic.prediction_of(0.0), logistic.prediction_of(0.01));
  EXPECT_EQ(logistic.prediction_of(-1.0), logistic.prediction_of(0.0)) << "-1 is a class, too";
  const Loss hinge(HingeLoss{});
  EXPECT_EQ(hinge.prediction_of(1.0), 1.0);
  EXPECT_EQ(hinge.prediction_of(0.25), -0.5);
  EXPECT_EQ(hinge.prediction_of(-1.0), -1.0);
  EXPECT_EQ(Loss(SquareLoss{}).prediction_of(2.5), 2.5);
}

TEST(Loss, BadNamesAreRefusedByName) {
  for (const char* text :
       {"",          "Square",      "square ",      "squared",     "square:1",
        "hinge:",    "huber:",      "huber:x",      "huber:1x",    "huber:0",
        "huber:-1",  "huber:nan",   "huber:inf",    "huber:1e999", "pinball:0",
        "pinball:1", "pinball:1.5", "pinball:-0.1", "pinball:nan", "pinball:0.5:0.5",
        ":",         ":1",          "huber :1"}) {
    const Result<Loss> loss = parse_loss(text);
    ASSERT_FALSE(loss.ok()) << text;
    EXPECT_EQ(loss.error().kind, ErrorKind::usage);
    EXPECT_THAT(loss.error().what, HasSubstr("'" + std::string(text) + "'"));
    EXPECT_FALSE(loss.error().expected.empty());
  }
}

TEST(Loss, OfClassesKnowsTheirNumber) {
  const Loss ten = parse_loss("classes:10").value();
  EXPECT_EQ(ten.classes(), 10U);
  EXPECT_EQ(ten.outputs(), 10U);
  EXPECT_EQ(ten.name(), "classes:10");
  EXPECT_TRUE(ten.has_classes() && ten.is_square() && !ten.is_classification());
  const Loss unknown = parse_loss("classes").value();
  EXPECT_TRUE(unknown.has_classes());
  EXPECT_EQ(unknown.classes(), 0U);
  EXPECT_EQ(unknown.name(), "classes");
  EXPECT_EQ(Loss().outputs(), 1U);
  for (const char* text : {"classes:1", "classes:2.5", "classes:1001", "classes:x", "classes:-3"}) {
    EXPECT_FALSE(parse_loss(text).ok()) << text;
  }
}

}  // namespace
}  // namespace caucus
