#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "caucus/federation/test_together.hpp"

namespace caucus {
namespace {

using std::chrono::milliseconds;

/// Two of three begin; the third comes in the second batch. With a restart after each of the first
/// batches, by snapshot and replay, or with none.
std::pair<Learned, std::size_t> with_a_late_one(ScheduleKind schedule,
                                                std::size_t rounds_per_upload, bool restarts) {
  const TestSource source({40, 25, 60});
  auto settings = test_settings(3, schedule, rounds_per_upload);
  settings.quorum = 2;
  settings.deadline = milliseconds(100);
  Time now{};
  std::optional<Federation> federation(Federation::make(settings, kRun).value());
  std::vector<TestClient> clients;
  for (std::uint32_t j = 0; j < 3; ++j) clients.emplace_back(settings.plan, j, source);
  const auto come = [&](std::uint32_t j) {
    EXPECT_TRUE(federation->join(clients[j].hello(), now).ok());
    EXPECT_TRUE(federation->ready(j, clients[j].ready(), now).ok());
  };
  come(0);
  come(1);
  now += milliseconds(100);
  come(1);  // again; the deadline has begun all the same
  EXPECT_TRUE(federation->can_start(now));
  EXPECT_TRUE(federation->start(now).ok());
  std::string snapshot = federation->snapshot();
  std::vector<ClosedBatch> since;
  while (federation->phase() == Federation::Phase::running) {
    const std::uint64_t batch = federation->batch();
    if (batch == 2) come(2);
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (!federation->awaits(j)) continue;
      std::string why;
      auto report = *clients[j].play(record_of(batch, 0, federation->assign(j)));
      EXPECT_EQ(federation->receive(j, std::move(report), now, why), Verdict::accepted) << why;
    }
    now += milliseconds(100);
    EXPECT_TRUE(federation->closable(now));
    since.push_back(federation->close(now));
    if (!restarts || batch > 6 || federation->phase() != Federation::Phase::running) continue;
    federation.emplace(Federation::make(settings, kRun).value());
    EXPECT_TRUE(federation->restore(snapshot).ok());
    for (const ClosedBatch& closed : since) {
      const Status status = federation->replay(closed.number, closed.reports);
      EXPECT_TRUE(status.ok()) << status.error().line();
    }
    if (batch % 2 == 0) {
      snapshot = federation->snapshot();
      since.clear();
    }
    for (std::uint32_t j = 0; j < (batch < 2 ? 2U : 3U); ++j) come(j);
  }
  return {learned_by(*federation), federation->length().rounds};
}

TEST(LateJoiner, IsRememberedByAServerThatWasKilled) {
  for (const auto& [schedule, rounds_per_upload] :
       {std::pair{ScheduleKind::theory, 1U}, {ScheduleKind::adaptive, 7U}}) {
    EXPECT_EQ(with_a_late_one(schedule, rounds_per_upload, true),
              with_a_late_one(schedule, rounds_per_upload, false));
  }
}

}  // namespace
}  // namespace caucus
