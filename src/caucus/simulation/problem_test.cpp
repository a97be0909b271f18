#include "caucus/simulation/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "caucus/simulation/curve.hpp"
#include "caucus/simulation/labels.hpp"

namespace caucus {
namespace {

Dataset data_of(std::vector<float> values, std::size_t features) {
  auto data = dataset_from_values("test", features, values);
  EXPECT_TRUE(data.ok());
  return std::move(data).value();
}

TEST(Constants, AreTakenFromTheColumnsOfTheData) {
  const Dataset data = data_of({3, -1, 2, /**/ -4, 0.5F, -7}, 2);
  ExperimentOptions options;
  options.spaces = {Space{.radius = 0.5}, Space{.radius = 0.5, .intercept = true},
                    Space{.kind = SpaceKind::gaussian, .radius = 2.0}};
  const auto constants = make_constants(data, options);
  const double b = std::sqrt(16.0 + 1.0);
  const double Y = 7.0;
  EXPECT_NEAR(constants[0].loss_bound, std::pow(0.5 * b + Y, 2), 1e-9);
  EXPECT_NEAR(constants[0].gradient_bound, 2.0 * (0.5 * b + Y) * b, 1e-9);
  EXPECT_NEAR(constants[1].loss_bound, std::pow(0.5 * std::sqrt(18.0) + Y, 2), 1e-9);
  EXPECT_NEAR(constants[2].loss_bound, std::pow(2.0 + Y, 2), 1e-9);
  EXPECT_NEAR(constants[2].gradient_bound, 2.0 * (2.0 + Y), 1e-9);
}

TEST(Constants, CanBeGiven) {
  const Dataset data = data_of({3, -1, 2, /**/ -4, 0.5F, -7}, 2);
  ExperimentOptions options;
  options.spaces = {Space{.radius = 0.5}};
  options.schedule.feature_bound = 1.0;
  options.schedule.label_bound = 1.0;
  options.schedule.gradient_scale = 1.0;
  EXPECT_NEAR(make_constants(data, options)[0].loss_bound, 2.25, 1e-12);
  EXPECT_NEAR(make_constants(data, options)[0].gradient_bound, 1.5, 1e-12);
  options.schedule.loss_bound = 3.0;
  EXPECT_EQ(make_constants(data, options)[0].loss_bound, 3.0);
}

TEST(RunLength, CountsBatchesOfUnequalClients) {
  const Partition partition({{0, 1, 2, 3, 4}, {5, 6}, {7}});
  const RunLength length = run_length(partition, 2);
  EXPECT_EQ(length.clients, 3U);
  EXPECT_EQ(length.rounds, 5U);
  EXPECT_EQ(length.batches, 3U);
  EXPECT_EQ(length.reports, 3U + 1U + 1U);
}

TEST(Curve, RoundsGrowFromOneToTheLast) {
  EXPECT_EQ(log_spaced_rounds(1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(log_spaced_rounds(3), (std::vector<std::size_t>{1, 2, 3}));
  const auto rounds = log_spaced_rounds(100000);
  EXPECT_EQ(rounds.back(), 100000U);
  EXPECT_LT(rounds.size(), 55U);
  for (std::size_t k = 1; k < rounds.size(); ++k) EXPECT_LT(rounds[k - 1], rounds[k]);
}

TEST(Labels, BothConventionsBecomeMinusOneAndOne) {
  Dataset zeros = data_of({0.1F, 0, 0.2F, 1, 0.3F, 0}, 1);
  EXPECT_EQ(*apply_label_convention(zeros), LabelConvention::zero_one);
  EXPECT_EQ(zeros.y(0), -1.0F);
  EXPECT_EQ(zeros.y(1), 1.0F);
  Dataset signs = data_of({0.1F, -1, 0.2F, 1}, 1);
  EXPECT_EQ(*apply_label_convention(signs), LabelConvention::minus_plus);
  EXPECT_EQ(signs.y(0), -1.0F);
}

TEST(Labels, AnythingElseIsAnErrorThatNamesTheRow) {
  Dataset wrong = data_of({0.1F, 0, 0.2F, 2}, 1);
  const auto result = apply_label_convention(wrong);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().line().find("row 2"), std::string::npos);
  Dataset mixed = data_of({0.1F, 0, 0.2F, -1}, 1);
  EXPECT_FALSE(apply_label_convention(mixed).ok());
}

}  // namespace
}  // namespace caucus
