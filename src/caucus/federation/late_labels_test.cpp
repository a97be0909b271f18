// Labels that come late: the server tells the algorithm with which probabilities their models were
// drawn, and remembers models no longer than it must.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/federation/test_late_labels.hpp"

namespace caucus {
namespace {

/// The weights that a federation remembers, and of which batch and space they are.
struct Remembered {
  explicit Remembered(const Federation& federation) {
    for (const TrackedMember& member : federation.members()) {
      for (const SampledSet& set : member.sampled) {
        for (const SampledModel& model : set.models) {
          if (!model.weights) continue;
          copies.insert(model.weights.get());
          places.emplace(set.batch, model.space);
          ++references;
        }
      }
    }
  }
  std::set<const std::vector<float>*> copies;
  std::set<std::pair<std::uint64_t, std::uint32_t>> places;
  std::size_t references = 0;
};

TEST(LateLabels, AreFoldedWithTheProbabilitiesOfTheirTime) {
  const TestSource source({40, 40, 40, 40});
  const FederationSettings settings = late_settings(ScheduleKind::adaptive_first_order);
  SlowLabels slow(settings, source);
  AlgorithmAlone told(settings, true);
  AlgorithmAlone careless(settings, false);
  for (std::uint32_t batch = 1; batch <= 20; ++batch) {
    const auto reports = slow.play_late();
    slow.federation.close(slow.now);
    told.play(batch, reports);
    careless.play(batch, reports);
    ASSERT_EQ(slow.federation.server()->learned().weights, told.weights()) << batch;
  }
  EXPECT_GT(told.late_parts, 30U);
  EXPECT_NE(told.weights(), careless.weights());
}

TEST(LateLabels, AreReadTheSameByAServerThatWasKilled) {
  const TestSource source({15, 12, 15, 15});
  for (const ScheduleKind schedule : {ScheduleKind::adaptive, ScheduleKind::adaptive_first_order,
                                      ScheduleKind::theory, ScheduleKind::constant}) {
    const auto settings = late_settings(schedule);
    SlowLabels whole(settings, source);
    const std::string at_begin = whole.federation.snapshot();
    whole.play_late(15);
    ASSERT_EQ(whole.federation.phase(), Federation::Phase::finished);
    for (std::size_t killed = 0; killed < 15; ++killed) {
      Federation replayed = Federation::make(settings, kRun).value();
      ASSERT_TRUE(replayed.restore(at_begin).ok());
      for (std::size_t b = 0; b < killed; ++b) {
        ASSERT_TRUE(replayed.replay(whole.closed[b].number, whole.closed[b].reports).ok());
      }
      const std::string middle = replayed.snapshot();
      EXPECT_EQ(middle, killed == 0 ? at_begin : whole.snapshots[killed - 1]);
      Federation restored = Federation::make(settings, kRun).value();
      ASSERT_TRUE(restored.restore(middle).ok());
      EXPECT_EQ(restored.snapshot(), middle);
      for (std::size_t b = killed; b < 15; ++b) {
        ASSERT_TRUE(restored.replay(whole.closed[b].number, whole.closed[b].reports).ok());
        EXPECT_EQ(restored.snapshot(), whole.snapshots[b]) << killed << " " << b;
      }
      EXPECT_EQ(learned_by(restored), learned_by(whole.federation));
    }
  }
}

TEST(LateLabels, OnlyModelsOfTheOpenBatchAreKeptAndClientsShareThem) {
  const TestSource source({100, 100, 80, 100});
  const auto settings = late_settings(ScheduleKind::adaptive);
  SlowLabels slow(settings, source);
  for (std::size_t n = 0; n < 90; ++n) {
    slow.play_late(1);
    const Remembered remembered(slow.federation);
    EXPECT_EQ(remembered.copies.size(), remembered.places.size());
    EXPECT_LE(remembered.copies.size(), settings.plan.spaces.size());
    EXPECT_GT(remembered.references, remembered.copies.size());  // there was something to share
    EXPECT_EQ(remembered.places.begin()->first, slow.federation.batch());
  }
  EXPECT_TRUE(slow.federation.members()[2].sampled.empty());  // it has finished

  Federation restored = Federation::make(settings, kRun).value();
  ASSERT_TRUE(restored.restore(slow.federation.snapshot()).ok());
  EXPECT_EQ(Remembered(restored).copies.size(), Remembered(slow.federation).copies.size());
  EXPECT_EQ(Remembered(restored).places, Remembered(slow.federation).places);

  slow.play_late(10);
  EXPECT_EQ(slow.federation.phase(), Federation::Phase::finished);
  EXPECT_TRUE(Remembered(slow.federation).copies.empty());
}

TEST(LateLabels, AreNotReadFromASnapshotWithoutTheModels) {
  const TestSource source({10, 10, 10, 10});
  const auto settings = late_settings(ScheduleKind::adaptive);
  SlowLabels slow(settings, source);
  slow.play_late(5);
  const std::string good = slow.federation.snapshot();
  const std::string content(unsealed(good, "test").value());
  const auto error_of = [&](const std::string& bytes) {
    return Federation::make(settings, kRun).value().restore(sealed(bytes)).error();
  };

  std::size_t weights_bytes = sizeof(std::uint64_t);
  for (const auto* copy : Remembered(slow.federation).copies) {
    weights_bytes += sizeof(std::uint64_t) + copy->size() * sizeof(float);
  }
  std::string older = content.substr(0, content.size() - weights_bytes);
  EXPECT_NE(error_of(older).line().find("ends"), std::string::npos) << error_of(older).line();
  const std::string_view name = "caucus federation 7";
  ASSERT_EQ(older.find(name), sizeof(std::uint64_t));
  older[older.find(name) + name.size() - 1] = '1';
  EXPECT_NE(error_of(older).line().find("version"), std::string::npos);

  // A federation without late labels refuses the snapshot of one that has them.
  auto in_time = settings;
  in_time.plan.label_delay = 0;
  EXPECT_FALSE(Federation::make(in_time, kRun).value().restore(good).ok());
  EXPECT_TRUE(Federation::make(settings, kRun).value().restore(good).ok());
}

}  // namespace
}  // namespace caucus
