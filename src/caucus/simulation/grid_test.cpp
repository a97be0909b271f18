#include "caucus/simulation/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "caucus/data/generators.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus {
namespace {

Dataset kernel_data(std::size_t rows) {
  GeneratorOptions options;
  options.rows = rows;
  return generate_dataset(make_generator("kernel", options).value()).value();
}

/// Every kind of features: the example, with an intercept, shared and own bases.
std::vector<Space> mixed_spaces(double radius) {
  return {Space{.radius = radius}, Space{.radius = radius, .intercept = true},
          Space{.kind = SpaceKind::gaussian, .radius = radius, .width = 1.0, .features = 10},
          Space{.kind = SpaceKind::gaussian, .radius = radius, .width = 4.0, .features = 10},
          Space{.kind = SpaceKind::cauchy,
                .radius = radius,
                .width = 2.0,
                .features = 7,
                .independent_base = true}};
}

GridSetting setting(const char* algorithm, ScheduleKind kind, double radius = 1.0) {
  GridSetting made{algorithm, {}, {}};
  made.options.spaces = mixed_spaces(radius);
  made.options.algorithms = {algorithm};
  made.options.schedule.kind = kind;
  made.options.clients = 3;
  return made;
}

TEST(Grid, ReadyFeaturesGiveTheSameNumbersAsAnOrdinaryRun) {
  const Dataset data = kernel_data(300);
  std::vector<GridSetting> settings = {
      setting("fomd-oms", ScheduleKind::adaptive),      setting("fomd-oms", ScheduleKind::theory),
      setting("fomd-oms", ScheduleKind::constant, 2.0), setting("nco-oms", ScheduleKind::theory),
      setting("em-kofl", ScheduleKind::theory),         setting("pof-mkl", ScheduleKind::theory)};
  settings[1].options.rounds_per_upload = 4;
  settings[2].options.dropout = 0.3;
  Progress progress;
  const auto scores = play_grid(data, settings, {0, 2}, 2, progress);
  ASSERT_TRUE(scores.ok()) << scores.error().line();
  EXPECT_EQ(progress.done.load(), grid_examples(data, settings, {0, 2}));
  for (std::size_t s = 0; s < settings.size(); ++s) {
    ExperimentOptions options = settings[s].options;
    options.repeats = 2;
    Progress other;
    const auto run = run_experiment(data, options, other);
    ASSERT_TRUE(run.ok());
    const AlgorithmResult& expected = run->results.front();
    EXPECT_EQ((*scores)[s].mse, expected.mse) << settings[s].label;
    EXPECT_EQ((*scores)[s].loss, expected.loss);
    EXPECT_EQ((*scores)[s].upload_bits_per_client_round, expected.upload_bits_per_client_round);
    EXPECT_EQ((*scores)[s].download_bits_per_client_round, expected.download_bits_per_client_round);
  }
}

TEST(Grid, TheBestSettingIsThatOfTheLeastMeanError) {
  const Dataset data = kernel_data(400);
  std::vector<GridSetting> settings;
  for (const double eta : {0.5, 4.0}) {
    for (const double lambda : {0.01, 0.3, 3.0}) {
      settings.push_back(setting("fomd-oms", ScheduleKind::constant));
      settings.back().options.constants.eta = eta;
      settings.back().options.constants.lambda = lambda;
    }
  }
  Progress progress;
  const auto scores = play_grid(data, settings, {5, 2}, 1, progress);
  ASSERT_TRUE(scores.ok());
  std::size_t expected = 0;
  double least = 1e9;
  for (std::size_t s = 0; s < settings.size(); ++s) {  // repetitions 5 and 6 of ordinary runs
    ExperimentOptions options = settings[s].options;
    options.repeats = 7;
    Progress other;
    const auto run = run_experiment(data, options, other);
    const auto& mse = run->results.front().mse;
    if (mse[5] + mse[6] < least) {
      least = mse[5] + mse[6];
      expected = s;
    }
  }
  EXPECT_EQ(best_settings(*scores, 1), std::vector<std::size_t>{expected});
}

TEST(GridParallel, AnyNumberOfThreadsGivesTheSameScores) {
  const Dataset data = kernel_data(200);
  const std::vector<GridSetting> settings = {setting("fomd-oms", ScheduleKind::adaptive),
                                             setting("em-kofl", ScheduleKind::theory)};
  Progress progress;
  const auto one = play_grid(data, settings, {0, 3}, 1, progress);
  const auto four = play_grid(data, settings, {0, 3}, 4, progress);
  for (std::size_t s = 0; s < settings.size(); ++s) EXPECT_EQ((*one)[s].mse, (*four)[s].mse);
}

TEST(Grid, SettingsThatDivergeAreCountedAndNeverChosen) {
  const Dataset data = kernel_data(600);
  std::vector<GridSetting> settings = {setting("em-kofl", ScheduleKind::theory),
                                       setting("em-kofl", ScheduleKind::theory)};
  settings[0].options.rates.model_rate = 1e6;
  Progress progress;
  const auto scores = play_grid(data, settings, {0, 3}, 1, progress);
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ((*scores)[0].diverged, 3U);
  EXPECT_TRUE(std::isnan((*scores)[0].mse.front()));
  EXPECT_EQ((*scores)[1].diverged, 0U);
  EXPECT_EQ(best_settings(*scores, 5).front(), 1U);
  EXPECT_TRUE(best_settings(std::span(*scores).first(1), 5).empty());
}

TEST(Grid, CautionPrefersTheSteadySetting) {
  std::vector<GridScore> scores(2);
  scores[0].mse = {1.0, 1.0, 1.6};
  scores[1].mse = {1.25, 1.25, 1.25};
  EXPECT_EQ(best_settings(scores, 2), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(best_settings(scores, 2, 1.0), (std::vector<std::size_t>{1, 0}));
}

TEST(Grid, ThePublishedVariantOfPofMklIsWorseThanTheCorrectOne) {
  const Dataset data = kernel_data(2000);
  std::vector<GridSetting> settings(2, setting("pof-mkl", ScheduleKind::theory));
  for (GridSetting& each : settings) {
    each.options.spaces = {Space{.kind = SpaceKind::gaussian, .width = 2.0, .features = 20},
                           Space{.kind = SpaceKind::gaussian, .width = 64.0, .features = 20}};
  }
  settings[1].variant = PofMklVariant::as_published;
  Progress progress;
  const auto scores = play_grid(data, settings, {0, 1}, 1, progress);
  ASSERT_TRUE(scores.ok());
  EXPECT_GT((*scores)[1].mse.front(), 1.1 * (*scores)[0].mse.front());
}

TEST(Grid, SettingsForOtherDataAreRefused) {
  const Dataset data = kernel_data(100);
  Progress progress;
  std::vector<GridSetting> settings(2, setting("fomd-oms", ScheduleKind::constant));
  settings[1].options.seed = 2;
  EXPECT_FALSE(play_grid(data, settings, {}, 1, progress).ok());
  settings[1] = setting("fomd-oms", ScheduleKind::constant);
  settings[1].options.spaces[2].width = 3.0;
  EXPECT_FALSE(play_grid(data, settings, {}, 1, progress).ok());
}

}  // namespace
}  // namespace caucus
