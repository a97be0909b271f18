#include "caucus/engine/curve_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace caucus {
namespace {

/// About ten rounds per decade, from 1 to `rounds`.
std::vector<std::size_t> log_spaced_rounds(std::size_t rounds) {
  std::vector<std::size_t> spaced;
  for (int k = 0;; ++k) {
    const auto round = static_cast<std::size_t>(std::llround(std::pow(10.0, k / 10.0)));
    if (round >= rounds) break;
    if (spaced.empty() || round > spaced.back()) spaced.push_back(round);
  }
  spaced.push_back(rounds);
  return spaced;
}

RecordedCurve recorded(std::size_t rounds, std::size_t per_batch) {
  CurveRecorder recorder;
  for (std::size_t last = 0; last < rounds;) {
    last = std::min(last + per_batch, rounds);
    const auto round = static_cast<double>(last);
    const auto p = [&] { return std::vector<double>{round, -round}; };
    recorder.after_batch(last, 0.5 * round, p);
    if (last == rounds) recorder.finish(last, 0.5 * round, p);
  }
  return recorder.curve;
}

TEST(CurveRecorder, RecordsLogSpacedRoundsAndTheLast) {
  for (const std::size_t rounds : {1U, 2U, 3U, 7U, 9U, 10U, 11U, 100U, 1234U, 100000U}) {
    EXPECT_EQ(recorded(rounds, 1).rounds, log_spaced_rounds(rounds)) << rounds;
  }
  EXPECT_LT(recorded(100000, 1).rounds.size(), 55U);
}

TEST(CurveRecorder, MovesRoundsToTheEndOfTheirBatchAndRecordsEachOnce) {
  for (const std::size_t per_batch : {2U, 3U, 10U, 1000U}) {
    for (const std::size_t rounds : {1U, 5U, 30U, 1234U}) {
      std::vector<std::size_t> expected;
      for (const std::size_t round : log_spaced_rounds(rounds)) {
        const std::size_t batches = (round + per_batch - 1) / per_batch;
        expected.push_back(std::min(batches * per_batch, rounds));
      }
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      EXPECT_EQ(recorded(rounds, per_batch).rounds, expected) << rounds << " by " << per_batch;
    }
  }
}

TEST(CurveRecorder, NotesWhatBelongsToTheRound) {
  const RecordedCurve curve = recorded(50, 3);
  ASSERT_EQ(curve.loss.size(), curve.rounds.size());
  ASSERT_EQ(curve.probabilities.size(), curve.rounds.size());
  for (std::size_t k = 0; k < curve.rounds.size(); ++k) {
    const auto round = static_cast<double>(curve.rounds[k]);
    EXPECT_EQ(curve.loss[k], 0.5 * round);
    EXPECT_EQ(curve.probabilities[k], (std::vector<double>{round, -round}));
  }
}

TEST(CurveRecorder, GoesOnFromItsFields) {
  const auto p = [] { return std::vector<double>{1.0}; };
  CurveRecorder whole;
  CurveRecorder part;
  for (std::size_t round = 1; round <= 40; ++round) {
    whole.after_batch(round, 1.0, p);
    part.after_batch(round, 1.0, p);
    CurveRecorder restored;
    restored.curve = part.curve;
    part.fields([&](const auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::size_t>) {
        restored.next = field;
      }
    });
    part = restored;
  }
  EXPECT_EQ(part.curve, whole.curve);
  std::size_t fields = 0;
  whole.fields([&](auto&) { ++fields; });
  EXPECT_EQ(fields, 4U);
}

}  // namespace
}  // namespace caucus
