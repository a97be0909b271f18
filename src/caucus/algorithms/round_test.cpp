#include "caucus/algorithms/round.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

/// The gradient of a held model, written out.
std::vector<float> gradient(const ReportBatch& report, std::size_t model) {
  const auto direction = report.direction(model);
  std::vector<float> values(direction.begin(), direction.end());
  for (float& value : values) value *= report.factors[model];
  return values;
}

ReportBatch report_of(const BatchMean& mean) {
  ReportBatch report;
  mean.report(report);
  return report;
}

TEST(BatchMean, ABatchOfOneIsTheFloatProduct) {
  const std::vector<float> weights(3);
  const std::vector<float> features = {0.1F, -0.7F, 1e-20F};
  BatchMean mean;
  mean.begin({4, {{2, weights}}});
  mean.add(0, 0.3, 1.7F, features);
  mean.end_example();
  const ReportBatch report = report_of(mean);
  EXPECT_EQ(report.clients, std::vector<std::uint32_t>{4U});
  EXPECT_EQ(report.examples, std::vector<std::uint32_t>{1U});
  EXPECT_EQ(report.ends, std::vector<std::uint32_t>{1U});
  EXPECT_EQ(report.spaces, std::vector<std::uint32_t>{2U});
  EXPECT_EQ(report.losses[0], 0.3F);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(gradient(report, 0)[k], 1.7F * features[k]);
}

TEST(BatchMean, IsTheMeanOverTheBatchRoundedOnce) {
  const std::vector<float> two(2);
  const std::vector<float> one(1);
  BatchMean mean;
  mean.begin({0, {{0, two}, {1, one}}});
  for (int n = 1; n <= 3; ++n) {
    const auto f = static_cast<float>(n);
    mean.add(0, n, f, std::vector<float>{0.1F, 0.2F});
    mean.add(1, 10.0 * n, -f, std::vector<float>{0.3F});
    mean.end_example();
  }
  const ReportBatch report = report_of(mean);
  EXPECT_EQ(report.examples[0], 3U);
  EXPECT_EQ(report.losses[0], 2.0F);
  EXPECT_EQ(report.losses[1], 20.0F);
  const auto z = static_cast<double>(0.1F);
  EXPECT_EQ(gradient(report, 0)[0], static_cast<float>((1.0 * z + 2.0 * z + 3.0 * z) / 3.0));
  EXPECT_FLOAT_EQ(gradient(report, 1)[0], -0.6F);
}

TEST(BatchMean, ForgetsTheLastBatch) {
  const std::vector<float> weights(1);
  BatchMean mean;
  for (int batch = 0; batch < 2; ++batch) {
    mean.begin({0, {{0, weights}}});
    mean.add(0, 1.0, 1.0F, std::vector<float>{0.5F});
    mean.end_example();
    EXPECT_EQ(gradient(report_of(mean), 0), (std::vector<float>{0.5F}));
  }
}

TEST(BatchMean, AHugeLossIsReportedAsTheLargestFloat) {
  BatchMean mean;
  mean.begin({0, {{0, {}}}});
  mean.add(0, 1e300, 0.0F, {});
  mean.end_example();
  EXPECT_EQ(report_of(mean).losses[0], std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace caucus
