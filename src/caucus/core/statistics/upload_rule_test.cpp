#include "caucus/core/statistics/upload_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace caucus {
namespace {

std::vector<std::size_t> batch_lengths(const UploadRule& rule, std::size_t rounds) {
  std::vector<std::size_t> lengths;
  for (std::size_t before = 0; before < rounds; before += lengths.back()) {
    lengths.push_back(rule.length_after(before));
  }
  return lengths;
}

TEST(UploadRule, GivesEveryBatchTheFixedLength) {
  const UploadRule rule{.rounds = 7, .growth = 0.5, .least = 20};
  for (const std::size_t before : {0U, 7U, 7000U}) EXPECT_EQ(rule.length_after(before), 7U);
}

TEST(UploadRule, LetsBatchesGrowFromTheLeastLength) {
  const UploadRule rule{.rounds = 0, .growth = 0.5, .least = 10};
  EXPECT_EQ(batch_lengths(rule, 150), (std::vector<std::size_t>{10, 10, 10, 15, 22, 33, 50}));
}

TEST(UploadRule, NeedsAboutLogarithmicallyManyBatches) {
  for (const double growth : {0.1, 0.3, 1.0}) {
    for (const std::size_t rounds : {1000U, 10000U, 100000U}) {
      const UploadRule rule{.rounds = 0, .growth = growth, .least = 1};
      const auto batches = static_cast<double>(batch_lengths(rule, rounds).size());
      const double of_growth = std::log(static_cast<double>(rounds)) / std::log(1.0 + growth);
      // Until growth * rounds exceeds 2 a batch has one round. Lengths are rounded down.
      EXPECT_LE(batches, 1.1 * of_growth + 2.0 / growth);
      EXPECT_GE(batches, 0.5 * of_growth);
    }
  }
}

TEST(UploadRule, LetsNoBatchGrowBeyondTheLongest) {
  const UploadRule rule{.rounds = 0, .growth = 1.0, .least = 1};
  EXPECT_EQ(rule.length_after(50'000), 50'000U);
  EXPECT_EQ(rule.length_after(10'000'000), UploadRule::kLongest);
}

TEST(UploadRule, AddsARestThatCannotBeSentToTheBatchBefore) {
  const UploadRule rule{.rounds = 0, .growth = 0.5, .least = 10, .hides_examples = true};
  EXPECT_EQ(rule.end_of(0, 10, 100), 10U);
  EXPECT_EQ(rule.end_of(0, 10, 20), 10U);
  EXPECT_EQ(rule.end_of(0, 10, 19), 19U);   // nine are too few
  EXPECT_EQ(rule.end_of(10, 20, 19), 10U);  // they were played before
  EXPECT_EQ(rule.end_of(0, 10, 7), 7U);     // all there are
  EXPECT_EQ(rule.end_of(10, 20, 7), 10U);
  const UploadRule plain{.rounds = 4};
  EXPECT_EQ(plain.end_of(4, 8, 5), 5U);
  EXPECT_EQ(plain.end_of(4, 8, 4), 4U);
}

TEST(UploadRule, CountsTheRoundsBeforeABatch) {
  for (const UploadRule& rule :
       {UploadRule{.rounds = 7}, UploadRule{.rounds = 0, .growth = 0.5, .least = 10}}) {
    std::size_t before = 0;
    for (std::uint64_t batch = 1; batch < 20; ++batch) {
      EXPECT_EQ(rule.rounds_before(batch), before);
      before += rule.length_after(before);
    }
  }
}

TEST(UploadRule, GivesNoBatchTheLengthZero) {
  const UploadRule rule{.rounds = 0, .growth = 0.3, .least = 0};
  EXPECT_EQ(rule.length_after(0), 1U);
  EXPECT_EQ(rule.length_after(3), 1U);
  EXPECT_EQ(rule.length_after(10), 3U);
}

TEST(UploadRule, SendsAllCoordinatesUnlessItHidesExamples) {
  const UploadRule rule{.least = 40};
  EXPECT_EQ(rule.coordinates(100, 0), 0U);
  EXPECT_EQ(rule.coordinates(100, 1), 100U);
  EXPECT_EQ(rule.coordinates(0, 5), 0U);
  EXPECT_FALSE(rule.sends(0));
  EXPECT_TRUE(rule.sends(1));
}

TEST(UploadRule, HidesEveryCoordinateBehindTwoExamples) {
  const UploadRule rule{.rounds = 0, .least = 12, .hides_examples = true};
  for (std::size_t examples = 0; examples < 300; ++examples) {
    const std::size_t sent = rule.coordinates(100, examples);
    EXPECT_LE(2 * sent, examples);
    EXPECT_EQ(sent, examples >= 200 ? 100 : examples / 2);
    EXPECT_EQ(rule.sends(examples), examples >= 12);
  }
  EXPECT_EQ(rule.coordinates(0, 300), 0U);
}

}  // namespace
}  // namespace caucus
