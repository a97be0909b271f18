#include "caucus/algorithms/statistics/robust_factors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {
namespace {

constexpr std::size_t kInputs = 4;

enum class Lied { honest, flipped, far };

/// The triangle of (y, x, 1) over rows of y = 0.3 + 0.2 x_0 + noise, or of rows that are made up.
WeighedReport report(std::uint32_t client, std::size_t examples, Lied kind,
                     std::uint64_t seed = 1) {
  Stream stream({.seed = seed, .client = client});
  RowSums sums(kInputs + 2);
  for (std::size_t n = 0; n < examples; ++n) {
    std::vector<float> z;
    for (std::size_t k = 0; k < kInputs; ++k) {
      z.push_back(kind == Lied::far ? 1.0F : static_cast<float>(2.0 * stream.uniform() - 1.0));
    }
    double y = 0.3 + 0.2 * static_cast<double>(z[0]) + 0.03 * stream.normal();
    if (kind == Lied::flipped) y = 1.0 - y;
    if (kind == Lied::far) y = -1.0;
    z.push_back(1.0F);
    sums.add(1.0F, static_cast<float>(y), z);
  }
  WeighedReport result{client, static_cast<double>(examples), {}, {}};
  result.judged.resize(triangle_size(kInputs + 2));
  sums.write_triangle(kInputs + 2, result.judged);
  result.sums.push_back({0, result.judged});
  return result;
}

std::vector<WeighedReport> batch(std::size_t honest, std::size_t liars, Lied lie,
                                 std::size_t examples, std::uint64_t seed = 1) {
  std::vector<WeighedReport> reports;
  for (std::uint32_t j = 0; j < honest + liars; ++j) {
    reports.push_back(report(j, examples, j < liars ? lie : Lied::honest, seed));
  }
  return reports;
}

TEST(RobustFactors, LeavesAlikeClientsAlone) {
  RobustFactors clip(Robust::clip, kInputs);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    auto reports = batch(10, 0, Lied::honest, 40, seed);
    clip.weigh(reports, 1.0);
    for (const WeighedReport& one : reports) EXPECT_EQ(one.sums[0].factor, 1.0);
  }
}

TEST(RobustFactors, FindsLiarsInTheFirstBatchEvenIfTheyAgree) {
  for (const Lied lie : {Lied::flipped, Lied::far}) {
    for (const std::size_t liars : {1U, 3U, 4U}) {
      RobustFactors clip(Robust::clip, kInputs);
      auto reports = batch(10 - liars, liars, lie, 40);
      clip.weigh(reports, 1.0);
      for (std::size_t j = 0; j < 10; ++j) {
        if (j < liars) {
          EXPECT_LT(reports[j].sums[0].factor, 0.15) << liars;
        } else {
          EXPECT_EQ(reports[j].sums[0].factor, 1.0) << liars;
        }
      }
    }
  }
}

TEST(RobustFactors, ClipsAReportToItsMultipleOfTheMedian) {
  RobustFactors clip(Robust::clip, kInputs);
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    auto honest = batch(9, 0, Lied::honest, 100, seed);
    clip.weigh(honest, 1.0);
  }
  auto reports = batch(9, 1, Lied::flipped, 100, 77);
  clip.weigh(reports, 1.0);
  // The judge is nearly 0.3 + 0.2 x_0, under which honest rows lose the variance of their noise,
  // and flipped ones the mean of (1 - 2 y)^2.
  const double honest = 0.03 * 0.03;
  const double flipped = 0.4 * 0.4 + 4.0 * 0.2 * 0.2 / 3.0 + 0.03 * 0.03;
  const double ratio = (5.0 + 4.0 / 10.0) * honest / flipped;
  EXPECT_NEAR(reports[0].sums[0].factor, std::pow(ratio, 1.5), 0.2 * std::pow(ratio, 1.5));
}

// Two clients have no majority, so that the lies of the first batch count.
TEST(RobustFactors, FindsLiarsWhoseLiesAreInTheSumsOfEarlierBatches) {
  RobustFactors clip(Robust::clip, kInputs);
  std::vector<WeighedReport> first = {report(0, 30, Lied::flipped), report(9, 50, Lied::honest)};
  clip.weigh(first, 1.0);
  EXPECT_EQ(first[0].sums[0].factor, 1.0);
  auto reports = batch(7, 3, Lied::flipped, 8, 2);  // none is long enough to make a judge alone
  clip.weigh(reports, 1.0);
  for (std::size_t j = 0; j < 10; ++j) {
    if (j < 3) {
      EXPECT_LT(reports[j].sums[0].factor, 0.05) << j;
    } else {
      EXPECT_GT(reports[j].sums[0].factor, 0.9) << j;
    }
  }
}

TEST(RobustFactors, TrimLeavesOutAQuarter) {
  RobustFactors trim(Robust::trim, kInputs);
  auto reports = batch(7, 3, Lied::flipped, 40);
  trim.weigh(reports, 1.0);
  for (std::size_t j = 0; j < 10; ++j) EXPECT_EQ(reports[j].sums[0].factor, j < 3 ? 0.0 : 1.0);
}

TEST(RobustFactors, ClipsSumsThatTheModelThatWasSentDoesNotFit) {
  RobustFactors clip(Robust::clip, kInputs);
  auto reports = batch(10, 0, Lied::honest, 100);
  for (std::size_t j = 0; j < 10; ++j) {
    reports[j].sums.push_back({1, reports[j].judged, j == 4 ? 1.0 : 0.001});
  }
  clip.weigh(reports, 1.0);
  for (std::size_t j = 0; j < 10; ++j) {
    EXPECT_EQ(reports[j].sums[0].factor, 1.0);
    if (j == 4) continue;
    EXPECT_EQ(reports[j].sums[1].factor, 1.0);
  }
  EXPECT_NEAR(reports[4].sums[1].factor, std::pow(5.4 * 0.001, 1.5), 1e-4);
}

TEST(RobustFactors, DoesNothingWithoutAMajority) {
  RobustFactors clip(Robust::clip, kInputs);
  auto reports = batch(1, 1, Lied::flipped, 40);
  for (WeighedReport& one : reports) {
    one.sums.push_back({1, one.judged, one.client == 0 ? 1.0 : 0.001});
    one.sums.push_back({2, one.judged, 0.001});
  }
  clip.weigh(reports, 1.0);
  for (const WeighedReport& one : reports) {
    for (const ReportedSums& sums : one.sums) EXPECT_EQ(sums.factor, 1.0);
  }
}

TEST(RobustFactors, JudgesReportsThatComeOneByOne) {
  RobustFactors clip(Robust::clip, kInputs);
  for (std::uint32_t j = 0; j < 10; ++j) {
    std::vector<WeighedReport> one = {report(j, 40, j == 6 ? Lied::flipped : Lied::honest)};
    clip.weigh(one, 1.0);
    if (j == 6) {
      EXPECT_LT(one[0].sums[0].factor, 0.1);
    } else {
      EXPECT_EQ(one[0].sums[0].factor, 1.0);
    }
  }
}

// The liar cannot be its own judge: a judge's median is over the last reports of all.
TEST(RobustFactors, JudgesALiarByTheLastReportsOfOthers) {
  for (const Robust kind : {Robust::clip, Robust::trim}) {
    RobustFactors robust(kind, kInputs);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      for (std::uint32_t j = 0; j < 4; ++j) {
        std::vector<WeighedReport> one = {
            report(j, 40, j == 0 ? Lied::flipped : Lied::honest, seed)};
        robust.weigh(one, 1.0);
        ASSERT_EQ(one.size(), 1U);
        if (seed == 1) continue;  // the first two reports have no others
        if (j == 0) {
          EXPECT_LT(one[0].sums[0].factor, 0.1) << seed;
        } else if (kind == Robust::clip) {
          EXPECT_EQ(one[0].sums[0].factor, 1.0) << seed << " " << j;
        }
      }
    }
  }
}

TEST(RobustFactors, GoOnAsTheyWereAfterTheyWereStored) {
  RobustFactors clip(Robust::clip, kInputs);
  auto first = batch(9, 1, Lied::flipped, 40);
  clip.weigh(first, 1.0);
  StateWriter writer;
  clip.save(writer);
  RobustFactors restored(Robust::clip, kInputs);
  StateReader reader(writer.bytes(), "test");
  ASSERT_TRUE(restored.restore(reader).ok());
  auto one = batch(9, 1, Lied::flipped, 50, 2);
  auto other = batch(9, 1, Lied::flipped, 50, 2);
  clip.weigh(one, 0.9);
  restored.weigh(other, 0.9);
  for (std::size_t j = 0; j < 10; ++j) {
    EXPECT_EQ(one[j].sums[0].factor, other[j].sums[0].factor);
  }
  // One report alone, which only those that were stored can judge.
  one = {report(11, 50, Lied::flipped, 3)};
  other = {report(11, 50, Lied::flipped, 3)};
  clip.weigh(one, 0.9);
  restored.weigh(other, 0.9);
  EXPECT_LT(one[0].sums[0].factor, 0.1);
  EXPECT_EQ(one[0].sums[0].factor, other[0].sums[0].factor);
}

}  // namespace
}  // namespace caucus
