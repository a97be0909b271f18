#include "caucus/engine/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "caucus/data/dataset.hpp"

namespace caucus {
namespace {

Dataset data_of(std::vector<float> values, std::size_t features) {
  auto data = dataset_from_values("test", features, values);
  EXPECT_TRUE(data.ok());
  return std::move(data).value();
}

TEST(Constants, AreTakenFromTheColumnsOfTheData) {
  const Dataset data = data_of({3, -1, 2, /**/ -4, 0.5F, -7}, 2);
  RunOptions options;
  options.spaces = {Space{.radius = 0.5}, Space{.radius = 0.5, .intercept = true},
                    Space{.kind = SpaceKind::gaussian, .radius = 2.0},
                    Space{.kind = SpaceKind::gaussian, .radius = 2.0, .intercept = true}};
  const auto constants = make_constants(data.scaling(), options);
  const double b = std::sqrt(16.0 + 1.0);
  const double Y = 7.0;
  EXPECT_NEAR(constants[0].loss_bound, std::pow(0.5 * b + Y, 2), 1e-9);
  EXPECT_NEAR(constants[0].gradient_bound, 2.0 * (0.5 * b + Y) * b, 1e-9);
  EXPECT_NEAR(constants[1].loss_bound, std::pow(0.5 * std::sqrt(18.0) + Y, 2), 1e-9);
  EXPECT_NEAR(constants[2].loss_bound, std::pow(2.0 + Y, 2), 1e-9);
  EXPECT_NEAR(constants[2].gradient_bound, 2.0 * (2.0 + Y), 1e-9);
  const double with_leading = std::sqrt(1.0 + 17.0 / 2.0 + 1.0);
  EXPECT_NEAR(constants[3].loss_bound, std::pow(2.0 * with_leading + Y, 2), 1e-9);
}

TEST(Constants, CanBeGiven) {
  const Dataset data = data_of({3, -1, 2, /**/ -4, 0.5F, -7}, 2);
  RunOptions options;
  options.spaces = {Space{.radius = 0.5}};
  options.constants.feature_bound = 1.0;
  options.constants.label_bound = 1.0;
  options.constants.gradient_scale = 1.0;
  EXPECT_NEAR(make_constants(data.scaling(), options)[0].loss_bound, 2.25, 1e-12);
  EXPECT_NEAR(make_constants(data.scaling(), options)[0].gradient_bound, 1.5, 1e-12);
  options.constants.loss_bound = 3.0;
  EXPECT_EQ(make_constants(data.scaling(), options)[0].loss_bound, 3.0);
}

TEST(RunLength, CountsBatchesOfUnequalClients) {
  const Partition partition({{0, 1, 2, 3, 4}, {5, 6}, {7}});
  const RunLength length = run_length(partition, UploadRule{2});
  EXPECT_EQ(length.clients, 3U);
  EXPECT_EQ(length.rounds, 5U);
  EXPECT_EQ(length.batches, 3U);
  EXPECT_EQ(length.reports, 3U + 1U + 1U);
}

TEST(RunLength, CountsBatchesThatGrow) {
  const UploadRule rule{.rounds = 0, .growth = 0.5, .least = 10};  // 10, 20, 30, 45, 67, 100
  const std::vector<std::size_t> rounds = {100, 46, 45, 0, 1};
  const RunLength length = run_length(rounds, rule);
  EXPECT_EQ(length.clients, 5U);
  EXPECT_EQ(length.rounds, 100U);
  EXPECT_EQ(length.batches, 6U);
  EXPECT_EQ(length.reports, 6U + 5U + 4U + 0U + 1U);
}

TEST(UploadRule, IsThatOfTheOptions) {
  RunOptions options;
  options.spaces = {Space{.intercept = true},
                    Space{.kind = SpaceKind::gaussian, .intercept = true, .features = 20},
                    Space{.kind = SpaceKind::cauchy, .intercept = true, .features = 50}};
  options.rounds_per_upload = 5;
  EXPECT_EQ(upload_rule(options, 7, false), (UploadRule{.rounds = 5}));
  options.rounds_per_upload = 0;
  EXPECT_EQ(upload_rule(options, 7, false), (UploadRule{.rounds = 1}));

  options.growth = 0.2;
  // x and 1 are sent first: 8 coordinates, with two examples for each.
  EXPECT_EQ(upload_rule(options, 7, true), (UploadRule{.rounds = 0,
                                                       .growth = 0.2,
                                                       .least = 16,
                                                       .follows_changes = true,
                                                       .hides_examples = true,
                                                       .numbers = 8,
                                                       .shared = 8}));
  options.min_batch = 3;
  UploadRule known{.rounds = 0, .growth = 0.2, .least = 3, .follows_changes = true};
  EXPECT_EQ(upload_rule(options, 7, true), known);
  EXPECT_EQ(known.least_after_change(), 3U);

  options.mode = Mode::synchronous;  // batches that all clients have in common
  known.follows_changes = false;
  EXPECT_EQ(upload_rule(options, 7, true), known);
  EXPECT_EQ(known.least_after_change(), 0U);
  options.mode = Mode::asynchronous;
  options.personal = false;  // nobody would notice a change
  EXPECT_EQ(upload_rule(options, 7, true), known);

  options.min_batch = 0;
  options.spaces = {Space{.kind = SpaceKind::expert}};
  EXPECT_EQ(upload_rule(options, 7, true).least, 10U);
}

TEST(StatisticsSettings, RefuseWhatTheScheduleCannotLearnFrom) {
  RunOptions options;
  options.spaces = {Space{.intercept = true}};
  const auto made = [&] {
    const auto maps = FeatureMaps::make(options.spaces, {7, 0}, 1, 0).value();
    const auto plan = std::make_shared<const Plan>(Plan{maps, options.loss});
    return make_settings("fomd-oms", plan, {}, RunLength{.clients = 1}, options, 0);
  };
  options.rounds_per_upload = 15;  // 16 hide each other
  EXPECT_FALSE(made().ok());
  options.rounds_per_upload = 16;
  EXPECT_TRUE(made().ok());
}

}  // namespace
}  // namespace caucus
