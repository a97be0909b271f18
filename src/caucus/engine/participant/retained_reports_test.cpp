#include "caucus/engine/participant/retained_reports.hpp"
#include "caucus/engine/participant/test_reports.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

SharedReport report(std::uint64_t batch, std::size_t floats = 2) {
  const auto record = std::make_shared<ReportRecord>();
  record->batch = batch;
  record->reports = batch_of({{batch, 1, {{0, 0.5F, std::vector<float>(floats, 1.0F)}}}});
  return record;
}

TEST(RetainedReports, AreThereUntilTheyAreStored) {
  RetainedReports retained;
  for (std::uint64_t batch = 1; batch <= 5; ++batch) retained.keep(10 + batch, report(batch));
  ASSERT_NE(retained.find(2), nullptr);
  EXPECT_EQ(retained.find(2)->fingerprint, 12U);
  EXPECT_EQ(retained.find(2)->report->batch, 2U);
  retained.drop_up_to(3);
  EXPECT_EQ(retained.find(3), nullptr);
  EXPECT_NE(retained.find(4), nullptr);
  retained.drop_up_to(9);
  EXPECT_EQ(retained.size(), 0U);
  EXPECT_EQ(retained.bytes(), 0U);
}

TEST(RetainedReports, OfALostHistoryGo) {
  RetainedReports retained;
  for (std::uint64_t batch = 1; batch <= 5; ++batch) retained.keep(10 + batch, report(batch));
  retained.drop_after(3);
  EXPECT_NE(retained.find(3), nullptr);
  EXPECT_EQ(retained.find(4), nullptr);
  EXPECT_EQ(retained.size(), 3U);
  retained.drop_after(0);
  EXPECT_EQ(retained.bytes(), 0U);
}

TEST(RetainedReports, ANewerTakesThePlaceOfAnOlder) {
  RetainedReports retained;
  retained.keep(1, report(4));
  const std::size_t bytes = retained.bytes();
  retained.keep(2, report(4));
  EXPECT_EQ(retained.size(), 1U);
  EXPECT_EQ(retained.bytes(), bytes);
  EXPECT_EQ(retained.find(4)->fingerprint, 2U);
}

TEST(RetainedReports, AreBoundedInNumber) {
  RetainedReports retained;
  for (std::uint64_t batch = 1; batch <= RetainedReports::kMost + 3; ++batch) {
    retained.keep(0, report(batch));
  }
  EXPECT_EQ(retained.size(), RetainedReports::kMost);
  EXPECT_EQ(retained.find(3), nullptr);
  EXPECT_NE(retained.find(4), nullptr);
}

TEST(RetainedReports, AreBoundedInMemoryButForTheNewest) {
  constexpr std::size_t kHuge = RetainedReports::kMostBytes / sizeof(float) / 3;
  RetainedReports retained;
  for (std::uint64_t batch = 1; batch <= 4; ++batch) retained.keep(0, report(batch, kHuge));
  EXPECT_EQ(retained.size(), 2U);
  EXPECT_LE(retained.bytes(), RetainedReports::kMostBytes);
  retained.keep(0, report(5, 4 * kHuge));
  EXPECT_EQ(retained.size(), 1U);
  EXPECT_NE(retained.find(5), nullptr);
}

}  // namespace
}  // namespace caucus
