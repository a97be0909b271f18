#include "caucus/federation/validation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "caucus/engine/participant/test_reports.hpp"
#include "caucus/federation/test_federation.hpp"

namespace caucus {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// A report of an honest client, and what it is held against.
struct Honest {
  explicit Honest(const Loss& loss = Loss(SquareLoss{}), std::size_t examples = 3,
                  float scale = 1.0F) {
    const auto settings = test_settings(1, ScheduleKind::constant);
    auto maps = FeatureMaps::make(settings.plan.spaces, {4, 0}, 1, 0);
    plan = std::make_unique<Plan>(Plan{std::move(maps).value(), loss});
    Assignment assignment;
    for (const std::uint32_t space : {3U, 1U}) {
      auto& w = weights.emplace_back(plan->maps.dimension(space));
      for (std::size_t k = 0; k < w.size(); ++k)
        w[k] = scale * (0.1F * static_cast<float>(k % 5) - 0.2F);
      double norm = 0.0;
      for (const float v : w) norm += static_cast<double>(v) * static_cast<double>(v);
      sampled.models.push_back(
          {space, 0.5, std::sqrt(norm), 0.0, std::make_shared<const std::vector<float>>(w)});
    }
    assignment.held = {{3, weights[0], 1.0}, {1, weights[1], 0.0}};
    sampled.batch = 1;
    Forecast forecast(plan->maps);
    BatchMean mean;
    mean.begin(assignment);
    const TestSource source({examples});
    for (std::size_t t = 0; t < examples; ++t) {
      const Example example = source.example(0, t);
      const double y = loss.is_classification() ? (example.y > 0.5 ? 1.0 : -1.0) : example.y;
      predict_with_held(*plan, assignment, example.x, forecast);
      played.add(loss, PlayedExample{0, 0, forecast.output, y});
      report_held(*plan, forecast, y, mean);
    }
    ReportBatch report;
    report.sampled_in.push_back(1);
    mean.report(report);
    part = parts_of(report).front();
  }
  [[nodiscard]] ReportRules rules() const {
    return {*plan, {1.0, {2.0, std::sqrt(5.0), 1.0, 1.0}, 100}};
  }

  std::unique_ptr<Plan> plan;
  std::vector<std::vector<float>> weights;
  SampledSet sampled;
  TestPart part;
  PlayedSums played;
};

TEST(Validation, TakesHonestReportsOfEveryLoss) {
  for (const char* name :
       {"square", "absolute", "huber:0.3", "logistic", "hinge", "pinball:0.2", "linear"}) {
    for (const std::size_t examples : {1U, 10U}) {
      const Honest honest(parse_loss(name).value(), examples);
      EXPECT_EQ(honest.rules().fault(batch_of({honest.part}), 0, honest.sampled), std::nullopt)
          << name;
      EXPECT_EQ(honest.rules().fault(honest.played, std::vector{honest.sampled}), std::nullopt)
          << name;
    }
  }
}

TEST(Validation, FindsWhatCannotBeTrue) {
  const Honest honest;
  const auto faulty = [&](auto change) {
    TestPart part = honest.part;
    change(part);
    return honest.rules().fault(batch_of({part}), 0, honest.sampled).value_or("");
  };
  using Part = TestPart;
  EXPECT_EQ(faulty([](Part&) {}), "");
  EXPECT_NE(faulty([](Part& p) { p.examples = 0; }).find("examples"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.examples = 101; }).find("examples"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held.pop_back(); }).find("models"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { std::swap(p.held[0], p.held[1]); }).find("space"),
            std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[1].gradient.pop_back(); }).find("numbers"),
            std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].loss = kNan; }).find("not finite"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].loss = -1e-3F; }).find("loss"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].loss = kInf; }).find("not finite"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].loss = 1e6F; }).find("beyond"), std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].gradient[3] = kNan; }).find("not finite"),
            std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].gradient[3] = -kInf; }).find("not finite"),
            std::string::npos);
  EXPECT_NE(faulty([](Part& p) { p.held[0].gradient[3] = 3e38F; }).find("gradient"),
            std::string::npos);
  // A gradient that another loss would allow, but not its own.
  EXPECT_NE(faulty([](Part& p) { p.held[0].loss *= 0.5F; }).find("for its loss"),
            std::string::npos);
}

TEST(Validation, FindsSumsThatCannotBeTrue) {
  const Honest honest;
  const auto faulty = [&](auto change) {
    PlayedSums played = honest.played;
    change(played);
    return honest.rules().fault(played, std::vector{honest.sampled}).has_value();
  };
  EXPECT_FALSE(faulty([](PlayedSums&) {}));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.loss = -1.0; }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.loss = 1e9; }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.loss = static_cast<double>(kNan); }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.squared_error = static_cast<double>(kInf); }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.targets = -3.5; }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.squared_targets = 3.5; }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.log_loss = -1.0; }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.correct = 4; }));
  EXPECT_TRUE(faulty([](PlayedSums& p) { p.forecasts = 0; }));
}

// A report is true to some data, whatever the models, the loss and the number of examples.
RC_GTEST_PROP(Validation, TakesWhateverDataGive, ()) {
  const std::string name = *rc::gen::element<std::string>(
      "square", "absolute", "huber:0.3", "logistic", "hinge", "pinball:0.2", "linear");
  const auto examples = *rc::gen::inRange<std::size_t>(1, 40);
  const double scale = std::ldexp(1.0, *rc::gen::inRange(-10, 14));
  const Honest honest(parse_loss(name).value(), examples, static_cast<float>(scale));
  const auto found = honest.rules().fault(batch_of({honest.part}), 0, honest.sampled);
  if (found) RC_LOG() << *found;
  RC_ASSERT(!found);
}

TEST(Validation, FindsAGradientThatDoesNotFitItsModel) {
  for (const char* name : {"square", "absolute", "huber:0.3", "logistic", "hinge", "pinball:0.2"}) {
    const Honest honest(parse_loss(name).value(), 3, 10.0F);
    const auto& w = *honest.sampled.models[0].weights;
    const double norm = honest.sampled.models[0].norm;
    const Loss& loss = honest.plan->loss;
    // As long as its bound allows, along -w: no convex loss rises towards 0 from this loss.
    TestPart part = honest.part;
    part.held[0].loss = static_cast<float>(loss.largest(norm, 1.0));
    const double length = loss.steepest(norm, 1.0);
    for (std::size_t k = 0; k < w.size(); ++k) {
      part.held[0].gradient[k] = static_cast<float>(-length * static_cast<double>(w[k]) / norm);
    }
    const auto found = honest.rules().fault(batch_of({part}), 0, honest.sampled).value_or("");
    EXPECT_NE(found.find("along the model"), std::string::npos) << name << ": " << found;
  }
}

TEST(Validation, FindsASquareLossThatItsGradientDoesNotHave) {
  const Honest honest(Loss(SquareLoss{}), 3, 100.0F);
  TestPart part = honest.part;
  part.held[0].loss *= 4.0F;  // the gradient is short enough for it
  const auto found = honest.rules().fault(batch_of({part}), 0, honest.sampled).value_or("");
  EXPECT_NE(found.find("along the model"), std::string::npos) << found;
}

// Random features have the length 1, and an intercept adds 1, so that a loss has its gradient.
TEST(Validation, FindsAGradientThatIsTooShortForOneExample) {
  for (const std::size_t examples : {1U, 3U}) {
    for (const std::size_t model : {0U, 1U}) {  // a kernel; a linear space with an intercept
      for (const bool is_late : {false, true}) {
        Honest honest(Loss(SquareLoss{}), examples);
        if (is_late) {
          for (SampledModel& one : honest.sampled.models) one.weights = nullptr;
        }
        TestPart part = honest.part;
        for (float& g : part.held[model].gradient) g = 1e-15F;
        const auto found = honest.rules().fault(batch_of({part}), 0, honest.sampled).value_or("");
        // A mean over several may be short.
        if (examples == 1) {
          EXPECT_NE(found.find("squared gradient norm"), std::string::npos) << found;
        } else if (is_late) {
          EXPECT_EQ(found, "");
        }
      }
    }
  }
}

TEST(Validation, FindsALatePartsGradientThatIsTooLongForItsLoss) {
  Honest honest;
  for (SampledModel& one : honest.sampled.models) one.weights = nullptr;
  TestPart part = honest.part;
  EXPECT_EQ(honest.rules().fault(batch_of({part}), 0, honest.sampled), std::nullopt);
  for (float& g : part.held[0].gradient) g *= 3.0F;
  const auto found = honest.rules().fault(batch_of({part}), 0, honest.sampled).value_or("");
  EXPECT_NE(found.find("for its loss"), std::string::npos) << found;
}

// Whatever a client sends, what passes cannot move a model by more than an honest report could.
RC_GTEST_PROP(Validation, BoundsWhatPasses, ()) {
  static const Honest honest;
  TestPart part = honest.part;
  const auto scale =
      *rc::gen::map(rc::gen::inRange(-40, 40), [](int e) { return std::ldexp(1.0F, e); });
  const auto loss_scale =
      *rc::gen::map(rc::gen::inRange(-40, 40), [](int e) { return std::ldexp(1.0F, e); });
  for (float& g : part.held[0].gradient) g *= scale;
  part.held[0].loss *= loss_scale;
  if (honest.rules().fault(batch_of({part}), 0, honest.sampled)) return;
  double square = 0.0;
  for (const float g : part.held[0].gradient)
    square += static_cast<double>(g) * static_cast<double>(g);
  const double largest = honest.sampled.models[0].norm + 1.0;  // b = Y = 1
  RC_ASSERT(std::sqrt(square) <= 2.0 * largest * 1.01);
  RC_ASSERT(static_cast<double>(part.held[0].loss) <= largest * largest * 1.01);
}

}  // namespace
}  // namespace caucus
