#include "caucus/algorithms/report_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace caucus {
namespace {

using testing::ElementsAre;

/// Three reports of two models each; client 7 reports in two parts.
ReportBatch three_reports() {
  ReportBatch batch;
  for (const std::uint32_t n : {0U, 1U, 2U}) {
    batch.add_report(n < 2 ? 7 : 9, n + 1);
    for (const std::uint32_t space : {n, n + 3}) {
      const auto gradient = batch.add_model(space, static_cast<float>(space), 2);
      std::fill(gradient.begin(), gradient.end(), 10.0F + static_cast<float>(space));
    }
  }
  return batch;
}

TEST(ReportBatch, CountsClientsOnceAndSharesTheirExamples) {
  const ReportBatch batch = three_reports();
  EXPECT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.reporters(), 2U);
  EXPECT_EQ(batch.floats(), 12U);
  EXPECT_FALSE(batch.is_prompt());
  EXPECT_DOUBLE_EQ(batch.share_of(0), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(batch.share_of(1), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(batch.share_of(2), 1.0);
}

TEST(ReportBatch, DropsReportsOfLostClients) {
  ReportBatch batch = three_reports();
  batch.drop([](std::uint32_t client) { return client == 7; });
  EXPECT_THAT(batch.clients, ElementsAre(9));
  EXPECT_THAT(batch.examples, ElementsAre(3));
  EXPECT_THAT(batch.spaces, ElementsAre(2, 5));
  EXPECT_THAT(batch.ends, ElementsAre(2));
  EXPECT_THAT(batch.direction(1), ElementsAre(15.0F, 15.0F));
  EXPECT_TRUE(batch.is_prompt());
}

TEST(ReportBatch, KeepsWhatIsLateWithItsReport) {
  ReportBatch batch = three_reports();
  batch.mark_late(4, 0.25);
  batch.drop([](std::uint32_t client) { return client == 7; });
  EXPECT_FALSE(batch.is_prompt());
  EXPECT_TRUE(batch.is_late(0));
  EXPECT_FALSE(batch.is_late(1));
  EXPECT_EQ(batch.sampled_with[0], 0.25);
}

TEST(ReportBatch, ACopyHasMemoryOfItsOwn) {
  auto first = std::make_unique<ReportBatch>(three_reports());
  const ReportBatch copy = *first;
  EXPECT_NE(copy.directions[0], first->directions[0]);
  first.reset();
  EXPECT_THAT(copy.direction(0), ElementsAre(10.0F, 10.0F));
  EXPECT_THAT(copy.ends, ElementsAre(2, 4, 6));
}

TEST(ReportBatch, RemovesTheLastReport) {
  ReportBatch batch = three_reports();
  batch.remove_last();
  EXPECT_THAT(batch.clients, ElementsAre(7, 7));
  EXPECT_THAT(batch.spaces, ElementsAre(0, 3, 1, 4));
  EXPECT_EQ(batch.directions.size(), 4U);
}

}  // namespace
}  // namespace caucus
