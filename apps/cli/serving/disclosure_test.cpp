#include "serving/disclosure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/federation/test_settings.hpp"

namespace caucus::cli {
namespace {

using testing::HasSubstr;

TEST(Disclosure, SaysOverHowManyRowsTheDefaultSums) {
  const Disclosure hidden = disclosure_of(growing_settings(3, true));  // four features
  EXPECT_FALSE(hidden.rows);
  EXPECT_THAT(hidden.text, HasSubstr("sums over at least 10 rows"));
  auto of_any_shape = growing_settings(3, true);
  of_any_shape.plan.features = 0;
  EXPECT_THAT(disclosure_of(of_any_shape).text, HasSubstr("sums over many rows"));
}

TEST(Disclosure, WarnsOfReportsThatTellRows) {
  const Disclosure short_batches = disclosure_of(growing_settings(3, false));
  EXPECT_TRUE(short_batches.rows);
  EXPECT_THAT(short_batches.text, HasSubstr("min_batch = 1"));
  for (const ScheduleKind kind :
       {ScheduleKind::theory, ScheduleKind::constant, ScheduleKind::adaptive_first_order}) {
    const Disclosure single = disclosure_of(test_settings(3, kind));
    EXPECT_TRUE(single.rows);
    EXPECT_THAT(single.text, HasSubstr("every row"));
    const Disclosure means = disclosure_of(test_settings(3, kind, 20));
    EXPECT_TRUE(means.rows);
    EXPECT_THAT(means.text, HasSubstr("over 20 rows"));
  }
}

}  // namespace
}  // namespace caucus::cli
