#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "caucus/federation/federation.hpp"
#include "caucus/federation/store/test_stored_run.hpp"

namespace caucus {
namespace {

TEST(LearnedBytes, GiveBackWhatHadBeenLearned) {
  for (const auto& [kind, name] : kStoredSchedules) {
    MadeUpRun run(kind);
    for (int n = 0; n < 3; ++n) ASSERT_TRUE(run.play_batch());
    const LearnedState then = run.federation.learned();
    const std::string bytes = run.federation.learned_bytes();
    for (int n = 0; n < 4; ++n) ASSERT_TRUE(run.play_batch());
    EXPECT_NE(run.federation.learned_bytes(), bytes) << name;
    const auto read = run.federation.read_learned(bytes);
    ASSERT_TRUE(read.ok()) << read.error().line();
    EXPECT_EQ(read->model.probabilities, then.model.probabilities);
    EXPECT_EQ(read->model.weights, then.model.weights);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(read->telemetry.recent_score(j), then.telemetry.recent_score(j));
    }
    EXPECT_FALSE(run.federation.read_learned(bytes.substr(1)).ok());
    EXPECT_FALSE(run.federation.read_learned(run.federation.snapshot()).ok());
  }
}

TEST(LearnedBytes, AreKeptOfFourBatchesUntilTheirNumberDoubles) {
  std::vector<std::uint64_t> kept;
  for (std::uint64_t batch = 0; batch <= 64; ++batch) {
    if (Federation::keeps_learned(batch)) kept.push_back(batch);
  }
  EXPECT_THAT(kept, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40,
                                         48, 56, 64));
}

}  // namespace
}  // namespace caucus
