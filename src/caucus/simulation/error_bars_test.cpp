// How often the targets of rows that nobody has seen lie within the error bars.
#include <gtest/gtest.h>

#include <cmath>

#include "caucus/data/generators.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus {
namespace {

constexpr std::size_t kSeen = 6000, kUnseen = 3000;

Generator noisy_rows(const char* name, std::size_t rows) {
  GeneratorOptions options;
  options.rows = rows;
  options.noise = 0.5;
  return make_generator(name, options).value();
}

ExperimentOptions options_with(std::size_t min_batch) {
  ExperimentOptions options;
  options.spaces = {Space{.radius = 5.0, .intercept = true}};
  for (const double width : {1.0, 4.0}) {
    options.spaces.push_back({.kind = SpaceKind::gaussian,
                              .radius = 20.0,
                              .intercept = true,
                              .width = width,
                              .features = 30});
  }
  options.min_batch = min_batch;
  options.clients = 4;
  options.threads = 1;
  return options;
}

LearnedModel model_of(const Dataset& data, const ExperimentOptions& options) {
  Progress progress;
  return run_experiment(data, options, progress).value().results.front().learned;
}

/// Returns the share of unseen targets within bars that are to hold `wanted` of them.
double share_inside(const char* name, const ExperimentOptions& options, double wanted) {
  const Generator all = noisy_rows(name, kSeen + kUnseen);
  const Dataset data = generate_dataset(noisy_rows(name, kSeen)).value();
  const LearnedModel model = model_of(data, options);
  const auto maps = FeatureMaps::make(options.spaces, {all.features, 0}, options.seed, 0,
                                      options.resolved_sample_size());
  Predictor predictor(*maps, options.loss, model);
  std::vector<float> x(all.features);
  std::size_t inside = 0;
  for (std::size_t row = kSeen; row < kSeen + kUnseen; ++row) {
    float y = 0.0F;
    all.row(row, x, y);
    const double reach = central_quantile(wanted) * std::sqrt(model.error_bars->variance_at(x));
    if (std::abs(predictor(x) - static_cast<double>(y)) <= reach) ++inside;
  }
  return static_cast<double>(inside) / static_cast<double>(kUnseen);
}

TEST(ErrorBarsExperiment, HoldAboutTheShareOfUnseenTargetsThatTheyShould) {
  for (const char* name : {"linear", "kernel"}) {
    for (const std::size_t min_batch : {0U, 1U}) {
      SCOPED_TRACE(name + std::string(" ") + std::to_string(min_batch));
      EXPECT_NEAR(share_inside(name, options_with(min_batch), 0.9), 0.9, 0.03);
      EXPECT_NEAR(share_inside(name, options_with(min_batch), 0.5), 0.5, 0.05);
    }
  }
}

TEST(ErrorBarsExperiment, OnlyComeFromSumsForTheSquareLoss) {
  const Dataset data = generate_dataset(noisy_rows("linear", 1000)).value();
  auto options = options_with(1);
  EXPECT_TRUE(model_of(data, options).error_bars.has_value());
  options.loss = Loss{AbsoluteLoss{}};
  EXPECT_FALSE(model_of(data, options).error_bars.has_value());
  options.loss = Loss{SquareLoss{}};
  options.schedule.kind = ScheduleKind::adaptive_first_order;
  EXPECT_FALSE(model_of(data, options).error_bars.has_value());
}

}  // namespace
}  // namespace caucus
