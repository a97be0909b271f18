// Federations whose clients do not wait for each other.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/federation/test_together.hpp"

namespace caucus {
namespace {

FederationSettings asynchronous_settings(std::size_t clients, bool personal = false) {
  FederationSettings settings = growing_settings(clients, true);
  settings.problem.mode = Mode::asynchronous;
  settings.problem.personal = settings.plan.personal = personal;
  return settings;
}

/// One client answers, and the server learns from it.
void answer(Together& together, std::uint32_t client) {
  const auto report = together.clients[client].play(together.assignment(client));
  ASSERT_TRUE(report);
  ASSERT_EQ(together.send(client, *report), Verdict::accepted) << together.why;
  ASSERT_TRUE(together.federation.closable(together.now));
  together.closed.push_back(together.federation.close(together.now));
}

/// Clients answer in a random order until all have finished.
void play_in_any_order(Together& together, std::vector<std::string>* snapshots = nullptr) {
  Stream stream({3, Purpose::test, 0, 0, 0});
  while (together.federation.phase() == Federation::Phase::running) {
    const auto client = stream.below(static_cast<std::uint32_t>(together.clients.size()));
    if (!together.federation.awaits(client)) continue;
    ASSERT_NO_FATAL_FAILURE(answer(together, client));
    if (snapshots != nullptr) snapshots->push_back(together.federation.snapshot());
  }
}

TEST(AsynchronousFederation, LearnsFromEveryReportAsItArrives) {
  const TestSource source({200, 200, 200});
  Together together(asynchronous_settings(3), source);
  const auto other = together.assignment(1);
  EXPECT_FALSE(together.federation.closable(together.now));
  answer(together, 0);
  EXPECT_FALSE(together.federation.closable(together.now));
  EXPECT_EQ(together.federation.members()[0].playing, 2U);
  EXPECT_NE(together.federation.server()->learned().weights[0], std::vector<float>(4, 0.0F));
  // The models of the others are as they were.
  const auto same = together.assignment(1);
  EXPECT_EQ(same.batch, other.batch);
  ASSERT_EQ(same.held.size(), other.held.size());
  for (std::size_t a = 0; a < same.held.size(); ++a) {
    EXPECT_EQ(same.held[a].space, other.held[a].space);
    EXPECT_EQ(same.held[a].weights, other.held[a].weights);
  }
}

TEST(AsynchronousFederation, GoesOnWithoutAClientThatIsAway) {
  const TestSource source({200, 200, 200});
  Together together(asynchronous_settings(3), source, {0, 1});
  for (int n = 0; n < 5; ++n) {
    answer(together, 0);
    answer(together, 1);
  }
  EXPECT_FALSE(together.federation.awaits(2));
  together.join(2);  // it gets what was learned meanwhile
  ASSERT_TRUE(together.federation.closable(together.now));
  together.closed.push_back(together.federation.close(together.now));
  ASSERT_TRUE(together.federation.awaits(2));
  const auto first = together.assignment(2);
  EXPECT_EQ(first.batch, 1U);
  double shares = 0.0;
  for (const HeldModelRecord& held : first.held) shares += held.share;
  EXPECT_NEAR(shares, 1.0, 1e-12);
  play_in_any_order(together);
  for (const Member& member : together.federation.members()) EXPECT_EQ(member.counted, 200U);
}

TEST(AsynchronousFederation, CountsEveryExampleOnceAndLearns) {
  const TestSource source({300, 120, 300, 77});
  Together together(asynchronous_settings(4, true), source);
  play_in_any_order(together);
  std::uint64_t counted = 0;
  for (const Member& member : together.federation.members()) counted += member.counted;
  EXPECT_EQ(counted, 797U);
  const Telemetry& telemetry = together.federation.telemetry();
  EXPECT_EQ(telemetry.forecasts, 797U);
  EXPECT_LT(telemetry.squared_error, 0.5 * telemetry.squared_targets);
  for (const PersonalRecord& personal : telemetry.personal_of_client) {
    EXPECT_GT(personal.examples, 70U);
    EXPECT_GT(personal.alone, 0.0);
  }
}

TEST(AsynchronousFederation, IsRebuiltExactlyFromAnySnapshotAndTheRowsAfterIt) {
  const TestSource source({150, 60, 150});
  const auto settings = asynchronous_settings(3, true);
  Together whole(settings, source);
  std::vector<std::string> snapshots = {whole.federation.snapshot()};
  play_in_any_order(whole, &snapshots);
  ASSERT_EQ(snapshots.size(), whole.closed.size() + 1);
  ASSERT_GT(whole.closed.size(), 10U);
  for (std::size_t killed = 0; killed < snapshots.size(); ++killed) {
    Federation restored = Federation::make(settings, kRun).value();
    const Status status = restored.restore(snapshots[killed]);
    ASSERT_TRUE(status.ok()) << status.error().line();
    EXPECT_EQ(restored.snapshot(), snapshots[killed]);
    for (std::size_t b = killed; b < whole.closed.size(); ++b) {
      const Status replayed = restored.replay(whole.closed[b].number, whole.closed[b].reports);
      ASSERT_TRUE(replayed.ok()) << replayed.error().line();
      ASSERT_EQ(restored.snapshot(), snapshots[b + 1]) << killed << " " << b;
    }
    EXPECT_EQ(learned_by(restored), learned_by(whole.federation));
  }
}

TEST(AsynchronousFederation, FollowsAChangeOfTheData) {
  const TestSource source({600, 600, 600}, 300);
  const auto settings = asynchronous_settings(3, true);
  Together together(settings, source);
  std::vector<std::string> snapshots = {together.federation.snapshot()};
  play_in_any_order(together, &snapshots);
  // The models fit the last rounds, as if there had been no others before.
  const LearnedModel model = together.federation.server()->learned();
  EXPECT_LT(model.weights[0][0], -0.4);
  std::uint64_t counted = 0;
  int noticed =
      0;  // a client that is behind the others may get models that know the change already
  for (const TrackedMember& member : together.federation.members()) {
    counted += member.counted;
    if (member.changed_at >= 300 && member.changed_at < 360) ++noticed;
  }
  EXPECT_EQ(counted, 1800U);
  EXPECT_GE(noticed, 1);
  for (std::size_t killed = 0; killed < snapshots.size(); killed += 5) {
    Federation restored = Federation::make(settings, kRun).value();
    ASSERT_TRUE(restored.restore(snapshots[killed]).ok());
    for (std::size_t b = killed; b < together.closed.size(); ++b) {
      ASSERT_TRUE(restored.replay(together.closed[b].number, together.closed[b].reports).ok());
      ASSERT_EQ(restored.snapshot(), snapshots[b + 1]) << killed << " " << b;
    }
  }
}

TEST(AsynchronousFederation, ARejectedReportCostsOnlyItsClient) {
  const TestSource source({200, 200});
  Together together(asynchronous_settings(2), source);
  auto report = together.clients[0].play(together.assignment(0));
  ASSERT_TRUE(report);
  report->reports.losses[0] = -1.0F;
  EXPECT_EQ(together.send(0, *report), Verdict::rejected);
  ASSERT_TRUE(together.federation.closable(together.now));
  together.federation.close(together.now);
  EXPECT_TRUE(together.federation.awaits(0));
  EXPECT_EQ(together.federation.members()[0].playing, 2U);
  EXPECT_EQ(together.federation.members()[1].playing, 1U);
  answer(together, 1);
}

}  // namespace
}  // namespace caucus
