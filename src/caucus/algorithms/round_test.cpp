#include "caucus/algorithms/round.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

TEST(BatchMean, ABatchOfOneIsTheFloatProduct) {
  const std::vector<float> weights(3);
  const std::vector<float> features = {0.1F, -0.7F, 1e-20F};
  BatchMean mean;
  mean.begin({4, {{2, weights}}});
  mean.add(0, 0.3, 1.7F, features);
  mean.end_example();
  const Report& report = mean.report();
  EXPECT_EQ(report.client, 4U);
  EXPECT_EQ(report.examples, 1U);
  EXPECT_EQ(report.spaces, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(report.losses[0], 0.3F);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(report.gradients[k], 1.7F * features[k]);
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
  const Report& report = mean.report();
  EXPECT_EQ(report.examples, 3U);
  EXPECT_EQ(report.losses, (std::vector<float>{2.0F, 20.0F}));
  const auto z = static_cast<double>(0.1F);
  EXPECT_EQ(report.gradients[0], static_cast<float>((1.0 * z + 2.0 * z + 3.0 * z) / 3.0));
  EXPECT_FLOAT_EQ(report.gradients[2], -0.6F);
}

TEST(BatchMean, ForgetsTheLastBatch) {
  const std::vector<float> weights(1);
  BatchMean mean;
  for (int batch = 0; batch < 2; ++batch) {
    mean.begin({0, {{0, weights}}});
    mean.add(0, 1.0, 1.0F, std::vector<float>{0.5F});
    mean.end_example();
    EXPECT_EQ(mean.report().gradients, (std::vector<float>{0.5F}));
  }
}

TEST(BatchMean, AHugeLossIsReportedAsTheLargestFloat) {
  BatchMean mean;
  mean.begin({0, {{0, {}}}});
  mean.add(0, 1e300, 0.0F, {});
  mean.end_example();
  EXPECT_EQ(mean.report().losses[0], std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace caucus
