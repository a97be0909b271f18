#include "caucus/algorithms/statistics/young_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace caucus {
namespace {

constexpr std::size_t kMaps = 2;
const std::vector<std::size_t> kDimensions = {3, 3};

MemoryLosses change(std::uint32_t client) { return {client, 10.0, 0.0, 0.0, false, true}; }
/// A report on ten examples that the young memory predicts so much better, as a ratio.
MemoryLosses judged(std::uint32_t client, double better) {
  return {client, 10.0, better, 1.0, true, false};
}

BatchMapSums batch_of(double examples) {
  BatchMapSums batch{std::vector<MapSums>(kMaps), {}};
  const std::vector<float> triangle = {1.0F, 0.5F, 2.0F};
  if (examples > 0.0) batch.add(1, triangle, 1.0, examples);
  return batch;
}

/// A memory of ten clients, one of which has noticed a change, beside many older examples.
struct Memories {
  Memories() {
    for (std::uint32_t client = 0; client < 10; ++client) fold(judged(client, 1.0));
    fold(change(0));
  }
  void fold(const MemoryLosses& report, double examples = 0.0) {
    young.add(batch_of(examples), 1.0, {&report, 1});
    young.follow({&report, 1}, all);
  }
  YoungSums young;
  std::vector<MapSums> all = [] {
    std::vector<MapSums> sums(kMaps);
    add_batch(batch_of(1000.0), 1.0, sums);
    return sums;
  }();
};

TEST(YoungSums, BeginWithAChangeAndTakeOnlyTheReportsOfItsClientAfterIt) {
  Memories memories;
  EXPECT_TRUE(memories.young.exists());
  EXPECT_TRUE(memories.young.takes(0));
  EXPECT_FALSE(memories.young.takes(1));
  EXPECT_FALSE(memories.young.takes(77));
  EXPECT_EQ(memories.young.of_map(1).examples, 0.0);
  memories.fold(judged(0, 1.0), 10.0);
  memories.fold(change(1));
  EXPECT_TRUE(memories.young.takes(1));
  EXPECT_EQ(memories.young.of_map(1).examples, 10.0);
  EXPECT_EQ(memories.young.of_map(1).sums(1, 1), 2.0);
}

TEST(YoungSums, WinOnceMoreThanAThirdOfTheClientsVoteForThem) {
  Memories memories;
  // A vote is half of 10 ln(better) / 3: a whole one from exp(0.6) on.
  const double sure = std::exp(0.6);
  for (std::uint32_t client = 0; client < 3; ++client) memories.fold(judged(client, sure));
  EXPECT_FALSE(memories.young.wins());
  memories.fold(judged(3, std::exp(0.18)));  // 3.3 of 10
  EXPECT_FALSE(memories.young.wins());
  memories.fold(judged(3, std::exp(0.12)));  // its earlier vote counts half: 3.35 of 10
  EXPECT_TRUE(memories.young.wins());
  EXPECT_EQ(memories.young.take().size(), kMaps);
  EXPECT_FALSE(memories.young.exists());
  EXPECT_FALSE(memories.young.takes(0));
}

TEST(YoungSums, OneClientMakesTheOthersForgetNothing) {
  Memories memories;
  for (int n = 0; n < 100; ++n) {
    memories.fold(change(0), 1.0);
    memories.fold(judged(0, 1e300), 1.0);  // whatever it says
    EXPECT_FALSE(memories.young.wins());
  }
  // Nor do three, before the others have said anything.
  for (const std::uint32_t client : {1U, 2U}) memories.fold(judged(client, 1e300));
  EXPECT_FALSE(memories.young.wins());
}

TEST(YoungSums, BeginAnewWithAChangeOnlyWhileTheyPredictWorse) {
  Memories memories;
  memories.fold(judged(0, 2.0), 30.0);
  memories.fold(change(1));
  EXPECT_EQ(memories.young.of_map(1).examples, 30.0);
  for (std::uint32_t client = 2; client < 5; ++client) memories.fold(judged(client, 0.5));
  memories.fold(change(1));
  EXPECT_EQ(memories.young.of_map(1).examples, 0.0);
  EXPECT_TRUE(memories.young.takes(0));
}

TEST(YoungSums, AreGivenUpOnceTheyAreMostOfAll) {
  Memories memories;
  memories.fold(judged(0, 1.0), 499.0);
  EXPECT_TRUE(memories.young.exists());
  memories.fold(judged(0, 1.0), 2.0);
  EXPECT_FALSE(memories.young.exists());
}

TEST(YoungSums, GoOnExactlyAfterARestore) {
  Memories memories;
  memories.fold(judged(0, 1.3), 30.0);
  memories.fold(judged(4, 0.9), 5.0);
  StateWriter to;
  memories.young.save(to);
  YoungSums other;
  StateReader from(to.bytes());
  ASSERT_TRUE(other.restore(from, kDimensions).ok());
  StateWriter again;
  other.save(again);
  EXPECT_EQ(to.bytes(), again.bytes());
  EXPECT_TRUE(other.takes(0));
  EXPECT_EQ(other.of_map(1).examples, 35.0);

  StateWriter wrong;
  wrong.u64(1);
  wrong.u32(0);
  wrong.flag(true);
  wrong.real(1.5);
  StateReader refused(wrong.bytes());
  EXPECT_FALSE(YoungSums().restore(refused, kDimensions).ok());
}

}  // namespace
}  // namespace caucus
