#include "caucus/selector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus {
namespace {

constexpr std::size_t kRows = 300;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A quadratic function of three numbers: kernels beat the linear space.
Dataset make_data(bool classes = false) {
  Stream random({7, Purpose::test, 0, 0, 0});
  std::vector<float> values;
  for (std::size_t row = 0; row < kRows; ++row) {
    float y = -0.3F;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto x = static_cast<float>(2.0 * random.uniform() - 1.0);
      values.push_back(x);
      y += k == 0 ? x * x : 0.5F * x;
    }
    values.push_back(classes ? std::copysign(1.0F, y) : y);
  }
  return dataset_from_values("test", 3, values).value();
}

Selector make_selector(const LearningOptions& learning = {}) {
  auto made = Selector::make({.features = 3, .learning = learning});
  EXPECT_TRUE(made.ok()) << made.error().line();
  return std::move(made).value();
}

/// The forecasts for the rows from `first` to before `end`, which are learned from.
std::vector<double> play(Selector& selector, const Dataset& data, std::size_t first,
                         std::size_t end) {
  std::vector<double> forecasts;
  for (std::size_t row = first; row < end; ++row) {
    const auto forecast = selector.predict(data.x(row));
    EXPECT_TRUE(forecast.ok()) << forecast.error().line();
    forecasts.push_back(*forecast);
    EXPECT_TRUE(selector.observe(static_cast<double>(data.y(row))).ok());
  }
  return forecasts;
}

/// Plays a run with one client and a Selector with the same options. The last batch of the run ends
/// with its rows; the probabilities are the same only if this one does, too, or moves none.
void expect_the_bits_of_a_run(const char* name, const LearningOptions& learning, bool classes) {
  SCOPED_TRACE(name);
  const Dataset data = make_data(classes);
  ExperimentOptions options;
  static_cast<LearningOptions&>(options) = learning;
  if (options.spaces.empty()) {
    const bool bounded = std::holds_alternative<LinearLoss>(options.loss.kind());
    options.spaces =
        default_spaces(bounded ? 1.0 : kInfinite, learning.schedule.kind == ScheduleKind::adaptive);
  }
  options.min_batch = std::max<std::size_t>(1, learning.min_batch);
  options.clients = 1;
  options.threads = 1;
  options.keep_forecasts = true;
  Progress progress;
  const auto run = run_experiment(data, options, progress);
  ASSERT_TRUE(run.ok()) << run.error().line();
  const AlgorithmResult& result = run->results.front();
  ASSERT_EQ(result.forecasts.size(), kRows);

  Selector selector = make_selector(learning);
  for (const GivenForecast& given : result.forecasts) {
    const auto forecast = selector.predict(data.x(given.row));
    ASSERT_TRUE(forecast.ok());
    ASSERT_EQ(*forecast, given.output) << "round " << given.round;
    ASSERT_TRUE(selector.observe(static_cast<double>(given.y)).ok());
  }
  EXPECT_EQ(selector.probabilities(), result.probabilities);
  EXPECT_EQ(selector.rounds(), kRows);
}

TEST(Selector, HasTheBitsOfARunWithOneClient) {
  const auto check = [](const char* name, auto change, bool classes = false) {
    LearningOptions learning;
    learning.seed = 11;
    change(learning);
    expect_the_bits_of_a_run(name, learning, classes);
  };
  const auto first_order = [](LearningOptions& o) {
    o.schedule.kind = ScheduleKind::adaptive_first_order;
  };
  check("default", [](auto&) {});
  check("no personal layer", [](auto& o) { o.personal = false; });
  check("three of nine spaces", [](auto& o) { o.sample_size = 3; });
  check("one space", [](auto& o) { o.spaces = {Space{.radius = 1.0}}; });
  check("batches of one length", [](auto& o) { o.rounds_per_upload = 7; });
  check("longer batches", [](auto& o) { o.min_batch = 100; });
  check("forgetting", [](auto& o) {
    o.schedule.fixed_share = 0.01;
    o.min_batch = 30;
  });
  check("unset J, few widths", [](auto& o) {
    for (const double width : {1.0, 2.0, 4.0}) {
      o.spaces.push_back({.kind = SpaceKind::gaussian, .intercept = true, .width = width});
    }
  });
  check("experts", [](auto& o) {
    o.spaces = {Space{.kind = SpaceKind::expert, .function = [](auto x) { return x[1]; }},
                Space{.kind = SpaceKind::expert, .function = [](auto x) { return x[0] * x[0]; }},
                Space{.intercept = true}};
  });
  check("absolute loss", [](auto& o) { o.loss = Loss(AbsoluteLoss{}); });
  check("huber loss", [](auto& o) { o.loss = Loss(HuberLoss{0.3}); });
  check("linear loss", [](auto& o) { o.loss = Loss(LinearLoss{}); });
  check(
      "logistic loss", [](auto& o) { o.loss = Loss(LogisticLoss{}); }, true);
  check(
      "hinge loss", [](auto& o) { o.loss = Loss(HingeLoss{}); }, true);
  check("first order", first_order);
  check(
      "first order, forgetting",
      [&](auto& o) {
        first_order(o);
        o.schedule.fixed_share = 0.01;
        o.loss = Loss(LogisticLoss{});
      },
      true);
  check("first order, longer batches", [&](auto& o) {
    first_order(o);
    o.rounds_per_upload = 5;
  });
}

TEST(Selector, HoldsTwoModelsIfNothingElseIsSaid) {
  LearningOptions unset;
  for (const double width : {1.0, 2.0, 4.0}) {
    unset.spaces.push_back({.kind = SpaceKind::gaussian, .intercept = true, .width = width});
  }
  LearningOptions two = unset;
  two.sample_size = 2;
  const Dataset data = make_data();
  Selector left = make_selector(unset);
  Selector right = make_selector(two);
  EXPECT_EQ(play(left, data, 0, kRows), play(right, data, 0, kRows));
}

TEST(Selector, HoldsTwoOfNineSpacesUnlessItIsToldOtherwise) {
  const Selector selector = make_selector();
  ASSERT_EQ(selector.spaces().size(), 9U);
  EXPECT_EQ(selector.spaces()[0], "linear U=inf");
  EXPECT_EQ(selector.spaces()[3], "gaussian width=2");
  EXPECT_EQ(selector.probabilities(), std::vector<double>(9, 1.0 / 9.0));
  LearningOptions learning;
  learning.spaces = default_spaces(1.0, false);
  EXPECT_EQ(learning.resolved_sample_size(), 2U);
}

TEST(Selector, LearnsAndFindsOutThatTheLinearSpaceIsNotTheBest) {
  const Dataset data = make_data();
  Selector selector = make_selector();
  double early = 0.0, late = 0.0;  // squared errors of the first and of the last third
  const auto forecasts = play(selector, data, 0, kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double error = forecasts[row] - static_cast<double>(data.y(row));
    if (row < kRows / 3) early += error * error;
    if (row >= kRows - kRows / 3) late += error * error;
  }
  EXPECT_LT(late, early / 3.0);
  const auto p = selector.probabilities();
  EXPECT_LT(p[0], 1.0 / 9.0);
}

TEST(Selector, ContinuesWithTheSameBitsAfterItWasRestored) {
  const Dataset data = make_data();
  std::vector<LearningOptions> all(4);
  all[1].personal = false;
  all[2].schedule.kind = ScheduleKind::adaptive_first_order;
  all[3].schedule.kind = ScheduleKind::adaptive_first_order;
  all[3].rounds_per_upload = 7;
  for (const LearningOptions& learning : all) {
    for (const std::size_t rows : {0U, 1U, 98U, 100U}) {
      Selector whole = make_selector(learning);
      play(whole, data, 0, rows);
      ASSERT_TRUE(whole.predict(data.x(rows)).ok());  // not observed: not saved
      const std::string bytes = whole.save();
      Selector restored = make_selector(learning);
      const Status status = restored.restore(bytes);
      ASSERT_TRUE(status.ok()) << status.error().line();
      EXPECT_EQ(restored.rounds(), rows);
      EXPECT_EQ(restored.save(), bytes);
      EXPECT_EQ(play(restored, data, rows, kRows), play(whole, data, rows, kRows));
      EXPECT_EQ(restored.save(), whole.save());
    }
  }
}

TEST(Selector, LearnsNothingFromPredictionsThatAreReplaced) {
  const Dataset data = make_data();
  Selector selector = make_selector();
  Selector other = make_selector();
  for (std::size_t row = 0; row < 20; ++row) {
    for (std::size_t k = 0; k < 5; ++k) ASSERT_TRUE(other.predict(data.x(100 + k)).ok());
    EXPECT_EQ(play(selector, data, row, row + 1), play(other, data, row, row + 1));
  }
  EXPECT_EQ(selector.probabilities(), other.probabilities());
}

TEST(Selector, RefusesBytesThatAreNotItsOwnAndStaysAsItWas) {
  const Dataset data = make_data();
  Selector selector = make_selector();
  play(selector, data, 0, 20);
  const std::string bytes = selector.save();
  EXPECT_FALSE(selector.restore("").ok());
  std::string changed = bytes;
  changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
  EXPECT_FALSE(selector.restore(changed).ok());
  LearningOptions other;
  other.spaces = {Space{.radius = 1.0}};
  EXPECT_FALSE(selector.restore(make_selector(other).save()).ok()) << "of other spaces";
  EXPECT_EQ(selector.save(), bytes);
}

TEST(Selector, RefusesWhatItCannotLearnFrom) {
  Selector selector = make_selector();
  const std::vector<float> x = {0.1F, 0.2F, 0.3F};
  EXPECT_EQ(selector.observe(1.0).error().kind, ErrorKind::usage) << "before a forecast";
  EXPECT_FALSE(selector.predict(std::vector<float>{0.1F}).ok());
  EXPECT_FALSE(selector.predict(std::vector<float>{0.1F, 0.2F, NAN}).ok());
  ASSERT_TRUE(selector.predict(x).ok());
  EXPECT_FALSE(selector.observe(std::nan("")).ok());
  EXPECT_TRUE(selector.observe(0.5).ok()) << "the forecast still waits";
  EXPECT_FALSE(selector.observe(0.5).ok()) << "once";
  LearningOptions classes;
  classes.loss = Loss(LogisticLoss{});
  Selector classifier = make_selector(classes);
  ASSERT_TRUE(classifier.predict(x).ok());
  EXPECT_FALSE(classifier.observe(0.5).ok());
  EXPECT_TRUE(classifier.observe(-1.0).ok());
}

TEST(Selector, ValidatesItsOptions) {
  const auto refused = [](auto change) {
    SelectorOptions options{.features = 3};
    change(options);
    const auto made = Selector::make(options);
    return !made.ok() && made.error().kind == ErrorKind::usage;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& o) { o.features = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.learning.sample_size = 1; }));
  EXPECT_TRUE(refused([](auto& o) { o.learning.sample_size = 10; }));
  EXPECT_TRUE(refused([](auto& o) { o.learning.schedule.kind = ScheduleKind::theory; }));
  EXPECT_TRUE(refused([](auto& o) { o.learning.schedule.fixed_share = 1.0; }));
  for (const double growth : {std::nan(""), -1.0, 0.0, 1.5, kInfinite}) {
    EXPECT_TRUE(refused([&](auto& o) { o.learning.growth = growth; })) << growth;
  }
  EXPECT_TRUE(refused([](auto& o) { o.learning.rounds_per_upload = std::size_t{1} << 32U; }));
  EXPECT_TRUE(refused([](auto& o) { o.learning.min_batch = 100'001; }));
  EXPECT_TRUE(refused([](auto& o) {
    o.learning.loss = Loss(LinearLoss{});
    o.learning.spaces = default_spaces(kInfinite, true);
  }));
  EXPECT_FALSE(refused([](auto& o) { o.learning.loss = Loss(LinearLoss{}); })) << "finite radii";
}

}  // namespace
}  // namespace caucus
