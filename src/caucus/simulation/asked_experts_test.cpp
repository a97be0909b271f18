// Experts that an application is asked for, in a Selector and in simulated clients.
#include "caucus/engine/asked_experts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "caucus/core/base/random.hpp"
#include "caucus/selector.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

constexpr std::size_t kAskedRows = 600;
constexpr std::uint32_t kExperts = 5;

/// Expert k is right up to k tenths of the last column.
float true_forecast(std::uint32_t expert, std::span<const float> x) {
  return x[0] - 0.1F * static_cast<float>(expert) * x[1];
}

/// Rows of two columns, with the forecasts of all experts or without, and the target.
Dataset rows_for_experts(bool with_forecasts) {
  std::vector<float> values;
  for (std::uint32_t row = 0; row < kAskedRows; ++row) {
    Stream random({11, Purpose::test, 0, row, 0});
    const std::vector<float> x = {static_cast<float>(random.uniform()),
                                  static_cast<float>(random.uniform())};
    values.insert(values.end(), x.begin(), x.end());
    for (std::uint32_t k = 0; with_forecasts && k < kExperts; ++k) {
      values.push_back(true_forecast(k, x));
    }
    values.push_back(x[0]);
  }
  return dataset_from_values("rows", with_forecasts ? 2 + kExperts : 2, values).value();
}

LearningOptions experts_alone(bool personal = true) {
  LearningOptions learning;
  for (std::uint32_t k = 0; k < kExperts; ++k) {
    learning.spaces.push_back(Space{.kind = SpaceKind::expert, .expert = k});
  }
  learning.personal = personal;
  return learning;
}

/// Counts the questions and answers them.
struct Answers {
  std::size_t questions = 0, forecasts = 0;
  std::map<std::uint64_t, std::set<std::uint32_t>> of_example;

  ExpertCallback callback() {
    return [this](const ExpertQuestion& question, std::span<float> into) -> Status {
      ++questions;
      forecasts += into.size();
      for (std::size_t k = 0; k < into.size(); ++k) {
        into[k] = true_forecast(question.experts[k], question.x);
        EXPECT_TRUE(of_example[question.example].insert(question.experts[k]).second)
            << "asked twice";
      }
      return Done{};
    };
  }
};

TEST(AskedExperts, ASelectorAsksForThoseThatItHoldsOnly) {
  Answers answers;
  auto asking = Selector::make(
      {.features = 2, .experts = kExperts, .ask = answers.callback(), .learning = experts_alone()});
  auto given = Selector::make({.features = 2, .experts = kExperts, .learning = experts_alone()});
  ASSERT_TRUE(asking.ok() && given.ok());
  const Dataset all = rows_for_experts(true);
  for (std::size_t row = 0; row < kAskedRows; ++row) {
    answers.of_example.clear();
    const auto x = all.x(row);
    const auto forecast = asking->predict(x.first(2));
    ASSERT_TRUE(forecast.ok()) << forecast.error().line();
    EXPECT_EQ(*forecast, *given->predict(x)) << "row " << row;
    const auto y = static_cast<double>(all.y(row));
    ASSERT_TRUE(asking->observe(y).ok() && given->observe(y).ok());
  }
  EXPECT_EQ(answers.questions, kAskedRows);
  EXPECT_EQ(answers.forecasts, 2 * kAskedRows) << "J = 2";
  EXPECT_GT(asking->probabilities()[0], 0.9);
}

TEST(AskedExperts, AnswersThatAreNoForecastsAreErrors) {
  float answer = 0.0F;
  const auto ask = [&](const ExpertQuestion&, std::span<float> into) -> Status {
    if (answer == 7.0F) return data_error("model", "is broken");
    std::fill(into.begin(), into.end(), answer);
    return Done{};
  };
  auto learning = experts_alone();
  learning.loss = Loss(LogisticLoss{});
  auto selector = Selector::make(
      {.features = 2, .experts = kExperts, .ask = ask, .learning = std::move(learning)});
  ASSERT_TRUE(selector.ok());
  const std::vector<float> x = {0.5F, 0.5F};
  answer = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(selector->predict(x).error().line(), HasSubstr("its forecast is nan"));
  answer = 1.5F;
  EXPECT_THAT(selector->predict(x).error().line(), HasSubstr("probability of class 1"));
  answer = 7.0F;
  EXPECT_EQ(selector->predict(x).error().line(), "model: is broken");
  answer = -1.0F;
  EXPECT_TRUE(selector->predict(x).ok()) << "a class";
  EXPECT_FALSE(selector->predict(std::vector<float>(7)).ok()) << "the forecasts are asked for";
}

/// Returns the questions of a run with these options, and its loss, which is that of a run whose
/// experts are columns.
std::size_t questions_of(const ExperimentOptions& options) {
  Answers answers;
  Dataset data = rows_for_experts(false);
  AskedRows asked(data, AskedExperts(answers.callback(), options.spaces, options.loss, 2));
  Progress progress;
  const auto run = run_experiment(data, options, progress, &asked);
  EXPECT_TRUE(run.ok()) << run.error().line();

  ExperimentOptions given = options;
  for (Space& space : given.spaces) {
    if (space.kind != SpaceKind::expert) continue;
    const std::uint32_t expert = space.expert;
    space.function = [expert](std::span<const float> x) { return true_forecast(expert, x); };
  }
  const Dataset all = rows_for_experts(false);
  const auto expected = run_experiment(all, given, progress);
  EXPECT_EQ(run->results.front().loss, expected->results.front().loss);
  return answers.forecasts;
}

TEST(AskedExperts, SimulatedClientsAskForThoseThatTheyHoldOnly) {
  ExperimentOptions options;
  static_cast<LearningOptions&>(options) = experts_alone();
  options.clients = 3;
  options.threads = 2;
  EXPECT_EQ(questions_of(options), 2 * kAskedRows);
  options.sample_size = 3;
  EXPECT_EQ(questions_of(options), 3 * kAskedRows);
  options.schedule.kind = ScheduleKind::constant;
  options.constants.eta = 0.1;
  options.constants.lambda = 0.1;
  options.rounds_per_upload = 1;
  EXPECT_EQ(questions_of(options), 3 * kAskedRows) << "tiles of clients";
  options.rounds_per_upload = 4;
  EXPECT_EQ(questions_of(options), 3 * kAskedRows);
  options.regret = true;
  EXPECT_EQ(questions_of(options), kExperts * kAskedRows) << "the regret needs all losses";
}

/// Ten experts with errors of 0.05 to 0.32: the MSE of 10 clients, J = 2.
double mse_of_ten_experts(ScheduleKind kind, std::size_t min_batch, double growth) {
  constexpr std::uint32_t kTen = 10;
  std::vector<float> values;
  for (std::uint32_t row = 0; row < 20'000; ++row) {
    Stream random({12, Purpose::test, 0, row, 0});
    const double y = random.uniform();
    for (std::uint32_t k = 0; k < kTen; ++k) {
      values.push_back(static_cast<float>(y + (0.05 + 0.03 * k) * random.normal()));
    }
    values.push_back(static_cast<float>(y));
  }
  ExperimentOptions options;
  for (std::uint32_t k = 0; k < kTen; ++k) {
    options.spaces.push_back(Space{.kind = SpaceKind::expert,
                                   .function = [k](std::span<const float> x) { return x[k]; }});
  }
  options.schedule.kind = kind;
  options.min_batch = min_batch;
  options.growth = growth;
  options.personal = false;
  options.repeats = 5;
  Progress progress;
  const auto run =
      run_experiment(dataset_from_values("experts", kTen, values).value(), options, progress);
  EXPECT_TRUE(run.ok());
  double sum = 0.0;
  for (const double mse : run->results.front().mse) sum += mse / 5.0;
  return sum;
}

TEST(AskedExperts, LearnFromSumsOfLossesAsWellAsFromEachRound) {
  const double first_order = mse_of_ten_experts(ScheduleKind::adaptive_first_order, 0, 0.3);
  EXPECT_LT(mse_of_ten_experts(ScheduleKind::adaptive, 1, 0.1), 1.02 * first_order);
  EXPECT_LT(mse_of_ten_experts(ScheduleKind::adaptive, 0, 0.3), 1.2 * first_order);
}

TEST(AskedExperts, AnErrorEndsARun) {
  std::size_t questions = 0;
  const auto ask = [&](const ExpertQuestion&, std::span<float> into) -> Status {
    std::fill(into.begin(), into.end(), 0.5F);
    if (++questions < 10) return Done{};
    return data_error("model", "is broken");
  };
  ExperimentOptions options;
  static_cast<LearningOptions&>(options) = experts_alone();
  Dataset data = rows_for_experts(false);
  AskedRows asked(data, AskedExperts(ask, options.spaces, options.loss, 2));
  Progress progress;
  const auto run = run_experiment(data, options, progress, &asked);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().line(), "model: is broken");
  EXPECT_EQ(questions, 10u) << "it was asked again after its error";
}

}  // namespace
}  // namespace caucus
