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
  EXPECT_EQ(rule.coordinates(100, 0, 2), 0U);
  EXPECT_EQ(rule.coordinates(100, 1, 2), 100U);
  EXPECT_EQ(rule.coordinates(0, 5, 2), 0U);
  EXPECT_FALSE(rule.sends(0));
  EXPECT_TRUE(rule.sends(1));
}

/// Counts the different numbers in the sums of v v' of several spaces, v = (y, z), one by one:
/// products of y and the first `shared` coordinates are those of the first space.
std::size_t count_sums(std::size_t coordinates, std::size_t spaces, std::size_t shared) {
  std::size_t count = 0;
  for (std::size_t space = 0; space < spaces; ++space) {
    for (std::size_t row = 0; row <= coordinates; ++row) {
      for (std::size_t column = 0; column <= row; ++column) {
        const bool repeated = space > 0 && shared > 0 && row <= shared;
        count += repeated ? 0 : 1;
      }
    }
  }
  return count;
}

TEST(UploadRule, CountsTheNumbersOfAReport) {
  for (const std::size_t shared : {0U, 4U}) {
    const UploadRule rule{.hides_examples = true, .numbers = 4, .shared = shared};
    for (const std::size_t coordinates : {0U, 1U, 3U, 4U, 5U, 20U}) {
      for (const std::size_t spaces : {1U, 2U, 5U}) {
        EXPECT_EQ(rule.different_sums(coordinates, spaces),
                  count_sums(coordinates, spaces, shared));
      }
    }
  }
}

TEST(UploadRule, SendsAsMuchAsHidesTheExamplesAndNotMore) {
  for (const std::size_t shared : {0U, 19U}) {
    for (const std::size_t spaces : {1U, 2U, 8U}) {
      const UploadRule rule{
          .rounds = 0, .least = 38, .hides_examples = true, .numbers = 19, .shared = shared};
      const auto hides = [&](std::size_t coordinates, std::size_t examples) {
        return 2 * coordinates <= examples &&
               2 * count_sums(coordinates, spaces, shared) <= 19 * examples;
      };
      for (std::size_t examples = 0; examples < 3000; examples += examples < 100 ? 1 : 97) {
        const std::size_t sent = rule.coordinates(60, examples, spaces);
        EXPECT_TRUE(sent == 0 || hides(sent, examples));
        EXPECT_TRUE(sent == 60 || !hides(sent + 1, examples)) << examples << " " << sent;
        EXPECT_EQ(rule.sends(examples), examples >= 38);
      }
      EXPECT_EQ(rule.coordinates(0, 300, spaces), 0U);
    }
  }
}

TEST(UploadRule, MakesTheLeastBatchLongEnoughForLinearSpaces) {
  const Space linear{.intercept = true};
  const Space kernel{.kind = SpaceKind::gaussian, .intercept = true};
  const Space plain{.kind = SpaceKind::gaussian};
  const auto rule_of = [](std::vector<Space> spaces, const Loss& loss, std::size_t held) {
    UploadRule rule{.rounds = 0};
    hide_examples(rule, spaces, loss, 18, held);
    return rule;
  };
  EXPECT_EQ(
      rule_of({linear, kernel}, Loss(SquareLoss{}), 3),
      (UploadRule{.rounds = 0, .least = 38, .hides_examples = true, .numbers = 19, .shared = 19}));
  // Each kernel has weights of its own, so that there are more numbers to hide: 3 * 210 of 1273.
  const UploadRule logistic = rule_of({linear, kernel}, Loss(LogisticLoss{}), 3);
  EXPECT_EQ(logistic.shared, 0U);
  EXPECT_EQ(logistic.least, 67U);
  EXPECT_EQ(logistic.coordinates(219, 67, 3), 19U);
  EXPECT_EQ(logistic.coordinates(219, 66, 3), 18U);
  EXPECT_EQ(rule_of({linear, plain}, Loss(SquareLoss{}), 3).shared, 0U);
}

TEST(UploadRule, BatchesAreShortAfterAChangeAndCatchUp) {
  const UploadRule rule{.rounds = 0, .growth = 0.2, .least = 10};
  EXPECT_EQ(rule.length_after(1000, 0), 200U);
  EXPECT_EQ(rule.length_after(1000, 1000), 10U);
  EXPECT_EQ(rule.length_after(1010, 1000), 10U);
  EXPECT_EQ(rule.length_after(1050, 1000), 20U);
  EXPECT_EQ(rule.length_after(3000, 1000), 600U);
  EXPECT_EQ((UploadRule{.rounds = 7}).length_after(1000, 1000), 7U);
}

TEST(UploadRule, CountsTheTargetsOfEveryClass) {
  UploadRule rule;
  rule.shared = 4;
  rule.targets = 3;
  // Each kernel sends 10 coordinates: their products, those with three classes, and three counts.
  // Those of the first four coordinates are the same.
  EXPECT_EQ(rule.different_sums(10, 1), 55U + 30U + 3U);
  EXPECT_EQ(rule.different_sums(10, 2), (10U + 12U + 3U) + 2U * (88U - 25U));
  rule.targets = 1;
  EXPECT_EQ(rule.different_sums(10, 1), triangle_size(11));
}

}  // namespace
}  // namespace caucus
