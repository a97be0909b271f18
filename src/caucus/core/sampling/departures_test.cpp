#include "caucus/core/sampling/departures.hpp"

#include <gtest/gtest.h>

#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

TEST(Departures, NobodyHasLeftWhileAsManyReport) {
  Departures departures;
  for (int batch = 0; batch < 100; ++batch) EXPECT_EQ(departures.stayed(10), 1.0);
}

TEST(Departures, AreFoundAfterAWhileAndToldOnce) {
  Departures departures;
  for (int batch = 0; batch < 20; ++batch) EXPECT_EQ(departures.stayed(10), 1.0);
  for (int batch = 0; batch < 19; ++batch) EXPECT_EQ(departures.stayed(4), 1.0) << batch;
  EXPECT_EQ(departures.stayed(3), 0.4);  // the largest number of the last batches is used
  for (int batch = 0; batch < 100; ++batch) EXPECT_EQ(departures.stayed(4), 1.0) << batch;
}

TEST(Departures, OneBatchWithAllOfThemStartsTheWaitAnew) {
  Departures departures;
  for (int batch = 0; batch < 500; ++batch) {
    EXPECT_EQ(departures.stayed(batch % 20 == 0 ? 7 : 2), 1.0) << batch;
  }
}

TEST(Departures, WhoComesLateOrBackIsNotMissedWhenLeavingAgain) {
  Departures departures;
  for (int day = 0; day < 50; ++day) {
    for (int batch = 0; batch < 100; ++batch) EXPECT_EQ(departures.stayed(5), 1.0);
    for (int batch = 0; batch < 100; ++batch) EXPECT_EQ(departures.stayed(50), 1.0);
  }
}

TEST(Departures, ReportsLostAtRandomForgetLittleHoweverLong) {
  Stream stream({.seed = 6});
  Departures departures;
  double kept = 1.0;
  for (int batch = 0; batch < 100'000; ++batch) {
    std::size_t reporters = 0;
    for (int client = 0; client < 10; ++client) reporters += stream.uniform() < 0.7 ? 1U : 0U;
    kept *= departures.stayed(std::max<std::size_t>(reporters, 1));
  }
  EXPECT_LT(kept, 1.0);
  EXPECT_GE(kept, 0.7);
}

}  // namespace
}  // namespace caucus
