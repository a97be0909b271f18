#include "caucus/federation/federation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "caucus/engine/participant/test_reports.hpp"
#include "caucus/federation/test_together.hpp"

namespace caucus {
namespace {

using std::chrono::milliseconds;

const ScheduleKind kSchedules[] = {ScheduleKind::adaptive, ScheduleKind::adaptive_first_order,
                                   ScheduleKind::theory, ScheduleKind::constant};

TEST(Federation, HasTheBitsOfTheSimulation) {
  const TestSource source({23, 30, 7, 30});
  for (const ScheduleKind schedule : kSchedules) {
    for (const std::size_t rounds_per_upload : {1U, 4U}) {
      const auto settings = test_settings(4, schedule, rounds_per_upload);
      Together together(settings, source);
      together.play_to_the_end();
      EXPECT_EQ(learned_by(together.federation), simulated(settings, source))
          << static_cast<int>(schedule) << " " << rounds_per_upload;
      EXPECT_EQ(together.federation.members()[2].counted, 7);
    }
  }
}

TEST(Federation, GoesOnFromASnapshotAndReplay) {
  const TestSource source({23, 30, 7, 30});
  for (const ScheduleKind schedule : kSchedules) {
    const auto settings = test_settings(4, schedule, 2);
    Together whole(settings, source);
    const std::string at_begin = whole.federation.snapshot();
    whole.play_to_the_end();
    for (const std::size_t batches : {0U, 1U, 5U, 14U}) {
      // As a server that was killed after so many batches: a snapshot, then a replay of the rest.
      Federation revived = Federation::make(settings, kRun).value();
      ASSERT_TRUE(revived.restore(at_begin).ok());
      for (std::size_t b = 0; b < batches; ++b) {
        ASSERT_TRUE(revived.replay(whole.closed[b].number, whole.closed[b].reports).ok());
      }
      Federation again = Federation::make(settings, kRun).value();
      ASSERT_TRUE(again.restore(revived.snapshot()).ok());
      for (std::size_t b = batches; b < whole.closed.size(); ++b) {
        ASSERT_TRUE(again.replay(whole.closed[b].number, whole.closed[b].reports).ok());
      }
      EXPECT_EQ(again.phase(), Federation::Phase::finished);
      EXPECT_EQ(learned_by(again), learned_by(whole.federation));
      EXPECT_EQ(again.snapshot(), whole.federation.snapshot());
    }
  }
}

TEST(Federation, IgnoresAndCountsWhatComesAtTheWrongTime) {
  const TestSource source({10, 10});
  Together t(test_settings(2, ScheduleKind::constant), source);
  const auto first = t.assignment(0);
  const auto report = *t.clients[0].play(first);
  auto early = report;
  early.batch = 2;
  EXPECT_EQ(t.send(0, early), Verdict::early);
  EXPECT_EQ(t.send(0, report), Verdict::accepted);
  EXPECT_EQ(t.send(0, report), Verdict::repeated);
  EXPECT_FALSE(t.federation.closable(t.now));
  EXPECT_EQ(t.send(1, *t.clients[1].play(t.assignment(1))), Verdict::accepted);
  t.federation.close(t.now);
  EXPECT_EQ(t.send(0, report), Verdict::repeated);
  const MemberCounters& counters = t.federation.members()[0].counters;
  EXPECT_EQ(counters.reports, 1);
  EXPECT_EQ(counters.repeated, 2);
  EXPECT_EQ(counters.early, 1);
}

TEST(Federation, ClosesAtTheDeadlineIfTheQuorumIsThere) {
  const TestSource source({10, 10, 10});
  auto settings = test_settings(3, ScheduleKind::constant);
  settings.quorum = 2;
  settings.deadline = milliseconds(100);
  Together t(settings, source);
  const auto slow = *t.clients[2].play(t.assignment(2));
  t.play_batch({1, 2});
  t.now += milliseconds(200);
  EXPECT_FALSE(t.federation.closable(t.now));  // one of two that are needed
  ASSERT_EQ(t.send(1, *t.clients[1].play(t.assignment(1))), Verdict::accepted);
  EXPECT_TRUE(t.federation.closable(t.now));
  t.federation.close(t.now);
  EXPECT_EQ(t.send(2, slow), Verdict::late);
  EXPECT_EQ(t.federation.members()[2].counters.late, 1);
  t.play_batch({2});
  EXPECT_FALSE(t.federation.closable(t.now));  // too early
  EXPECT_EQ(t.federation.alarm(), t.now + milliseconds(100));
  EXPECT_TRUE(t.federation.closable(t.now + milliseconds(100)));
}

TEST(Federation, CountsNoLieInTheQuorum) {
  const TestSource source({10, 10, 10});
  auto settings = test_settings(3, ScheduleKind::constant);
  settings.quorum = 2;
  settings.deadline = milliseconds(100);
  Together t(settings, source);
  auto lie = *t.clients[1].play(t.assignment(1));
  lie.reports.losses[0] = -1.0F;
  ASSERT_EQ(t.send(1, lie), Verdict::rejected);
  t.play_batch({1, 2});
  t.now += milliseconds(200);
  EXPECT_FALSE(t.federation.closable(t.now));
  ASSERT_EQ(t.send(2, *t.clients[2].play(t.assignment(2))), Verdict::accepted) << t.why;
  EXPECT_TRUE(t.federation.closable(t.now));
}

TEST(Federation, CountsNobodyInTheQuorumWhoNeverCame) {
  const TestSource source({1, 3, 3});
  auto settings = test_settings(3, ScheduleKind::constant);
  settings.quorum = 2;
  settings.deadline = milliseconds(100);
  auto federation = Federation::make(settings, kRun).value();
  Time now{};
  std::vector<TestClient> clients;
  for (std::uint32_t j = 0; j < 2; ++j) {
    clients.emplace_back(settings.plan, j, source);
    ASSERT_TRUE(federation.join(clients[j].hello(), now).ok());
    ASSERT_TRUE(federation.ready(j, clients[j].ready(), now).ok());
  }
  now += milliseconds(100);
  ASSERT_TRUE(federation.can_start(now));
  ASSERT_TRUE(federation.start(now).ok());
  const auto play = [&](std::uint32_t j) {
    std::string why;
    auto report = *clients[j].play(record_of(federation.batch(), 0, federation.assign(j)));
    ASSERT_EQ(federation.receive(j, std::move(report), now, why), Verdict::accepted) << why;
  };
  play(0);
  EXPECT_FALSE(federation.closable(now + milliseconds(100)));  // two are there
  play(1);
  now += milliseconds(100);
  ASSERT_TRUE(federation.closable(now));
  federation.close(now);
  ASSERT_TRUE(federation.members()[0].finished);
  EXPECT_FALSE(federation.closable(now + milliseconds(100)));  // of nobody there is no batch
  play(1);
  EXPECT_FALSE(federation.closable(now));  // the third one may come
  EXPECT_TRUE(federation.closable(now + milliseconds(100)));
}

TEST(Federation, DoesNotWaitForThoseWhoHaveFinished) {
  const TestSource source({3, 1, 2});
  Together t(test_settings(3, ScheduleKind::constant), source);
  t.play_to_the_end();
  EXPECT_EQ(t.federation.phase(), Federation::Phase::finished);
  EXPECT_EQ(t.closed.size(), 3U);
  EXPECT_EQ(t.federation.telemetry().forecasts, 6U);
}

TEST(Federation, RejectsWhatCannotBeTrueAndCutsOff) {
  const TestSource source({10, 10});
  const auto settings = test_settings(2, ScheduleKind::constant);
  Together honest(settings, source);
  Together t(settings, source);
  for (int n = 0; n < 3; ++n) {
    auto report = *t.clients[1].play(t.assignment(1));
    change_parts(report, [](TestParts& parts) { parts[0].held[0].gradient[0] = 1e30F; });
    EXPECT_EQ(t.send(1, report), Verdict::rejected);
    EXPECT_NE(t.why.find("gradient"), std::string::npos);
    t.play_batch({1});
    ASSERT_TRUE(t.federation.closable(t.now));  // nobody waits for the other
    t.federation.close(t.now);
    // The same as if the client had said nothing.
    ASSERT_EQ(honest.send(0, *honest.clients[0].play(honest.assignment(0))), Verdict::accepted);
    honest.federation.close(honest.now);
  }
  EXPECT_EQ(learned_by(t.federation), learned_by(honest.federation));
  EXPECT_TRUE(t.federation.members()[1].cut_off);
  EXPECT_FALSE(t.federation.join(t.clients[1].hello(), t.now).ok());
  EXPECT_FALSE(t.federation.awaits(1));
}

TEST(Federation, RejectsSumsOverForecastsThatWereNotReported) {
  const TestSource source({10, 10});
  Together t(test_settings(2, ScheduleKind::constant), source);
  auto report = *t.clients[0].play(t.assignment(0));
  report.played.forecasts = 4'000'000'000U;
  EXPECT_EQ(t.send(0, report), Verdict::rejected);
  EXPECT_EQ(t.why, "sums over 4000000000 forecasts for 1 examples");
  auto nothing = *t.clients[1].play(t.assignment(1));
  nothing.reports.clear();
  EXPECT_EQ(t.send(1, nothing), Verdict::rejected);
  EXPECT_EQ(t.why, "sums over 1 forecasts for 0 examples");
}

TEST(Federation, RejectsMoreExamplesThanTheClientSaidThatItHas) {
  const TestSource source({10, 10});
  Together t(test_settings(2, ScheduleKind::constant, 3), source);
  const auto send_many = [&](std::uint32_t examples) {
    auto report = *t.clients[1].play(t.assignment(1));
    report.reports.examples[0] = examples;
    report.played = {examples, 0.0, 0.0};
    return t.send(1, report);
  };
  ASSERT_EQ(send_many(8), Verdict::accepted);
  t.play_batch({1});
  t.federation.close(t.now);
  ASSERT_EQ(send_many(3), Verdict::rejected);
  EXPECT_EQ(t.why, "11 examples, where it said that it has 10");
  t.play_batch({1});
  t.federation.close(t.now);
  EXPECT_EQ(send_many(2), Verdict::accepted);
}

TEST(Federation, HasNobodyComeAgainWithMoreExamples) {
  const TestSource source({10, 10});
  Together t(test_settings(2, ScheduleKind::constant), source);
  EXPECT_TRUE(t.federation.ready(0, {10, 4, 0}, t.now).ok());
  EXPECT_TRUE(t.federation.ready(0, {0, 4, 0}, t.now).ok());  // it does not say
  const auto refused = t.federation.ready(0, {11, 4, 0}, t.now);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().line(),
            "client 'c1': has 11 examples; expected 10 as it announced first");
}

TEST(Federation, GoesByWhatAClientSaidLastBeforeTheRunBegan) {
  auto federation = Federation::make(test_settings(2, ScheduleKind::theory), kRun).value();
  for (const std::uint64_t examples : {500U, 1000U, 100U}) {
    ASSERT_TRUE(federation.join({.client = "c1", .resume = true}, Time{}).ok());
    ASSERT_TRUE(federation.ready(0, {examples, 4, 0}, Time{}).ok()) << examples;
    EXPECT_EQ(federation.length().rounds, examples);
  }
}

TEST(Federation, TakesOnlyThoseWhoBelongToIt) {
  const TestSource source({10, 10});
  Together t(test_settings(2, ScheduleKind::constant), source);
  EXPECT_FALSE(t.federation.join({.client = "stranger"}, t.now).ok());
  EXPECT_FALSE(t.federation.join({.client = "c1", .run = RunId{9}}, t.now).ok());
  EXPECT_FALSE(t.federation.ready(0, {10, 5, 0}, t.now).ok());
  t.play_batch();
  t.federation.close(t.now);
  EXPECT_FALSE(t.federation.join({.client = "c1"}, t.now).ok());  // it is not new
  EXPECT_TRUE(t.federation.join({.client = "c1", .resume = true}, t.now).ok());
}

TEST(Federation, NeedsToKnowWhatAnHonestReportCanSay) {
  auto settings = test_settings(2, ScheduleKind::adaptive);
  settings.max_abs_target.reset();
  EXPECT_EQ(Federation::make(settings, kRun).error().where, "max_abs_target");
  settings.max_abs_target = 1.0;
  settings.max_feature_norm.reset();
  EXPECT_EQ(Federation::make(settings, kRun).error().where, "max_feature_norm");
  settings.plan.spaces.erase(settings.plan.spaces.begin(), settings.plan.spaces.begin() + 2);
  EXPECT_TRUE(Federation::make(settings, kRun).ok());  // kernels have features of length 1
}

TEST(Federation, BelievesRangesRatherThanTheBoundsOfTheSchedule) {
  auto settings = test_settings(1, ScheduleKind::constant);
  settings.problem.constants.feature_bound = 0.1;
  settings.problem.constants.label_bound = 0.2;
  const auto bounds = [&] { return example_bounds(settings).value(); };
  EXPECT_EQ(bounds().target, 1.0);  // as they are given for the reports
  EXPECT_EQ(bounds().features[0], 2.0);
  settings.max_abs_target.reset();
  settings.max_feature_norm.reset();
  EXPECT_EQ(bounds().target, 0.2);  // what else is there
  EXPECT_EQ(bounds().features[0], 0.1);
  Ranges ranges;
  ranges.minimum = {0, 0, 0, 0, -3};
  ranges.maximum = {1, 1, 2, 9, 2};
  settings.plan.columns = ReadOptions{};
  settings.plan.columns->ranges = ranges;
  settings.plan.columns->feature_range = Interval{-1.0, 1.0};
  EXPECT_EQ(bounds().target, 3.0);
  EXPECT_EQ(bounds().features[0], 2.0);
  EXPECT_EQ(bounds().features[1], std::sqrt(5.0));
}

TEST(Federation, RefusesShapesThatNoMessageCouldCarry) {
  auto settings = test_settings(2, ScheduleKind::constant);
  settings.plan.features = 0;
  auto open = Federation::make(settings, kRun).value();
  ASSERT_TRUE(open.join({.client = "c1"}, Time{}).ok());
  EXPECT_FALSE(open.ready(0, {10, 10'000'000, 0}, Time{}).ok());
  EXPECT_FALSE(open.ready(0, {~std::uint64_t{0}, 400, 0}, Time{}).ok());
  EXPECT_TRUE(open.ready(0, {10, 400, 0}, Time{}).ok());
  settings.plan.features = 20'000'000;
  EXPECT_EQ(Federation::make(settings, kRun).error().where, "sample_size");
}

TEST(Federation, IsNotMadeOfFrequenciesThatNoMemoryHolds) {
  auto settings = test_settings(2, ScheduleKind::constant);
  settings.plan.features = 100'000;
  settings.plan.spaces[2].features = 3'000;
  EXPECT_EQ(Federation::make(settings, kRun).error().where, "spaces");
  EXPECT_FALSE(Participant::make(settings.plan, 0).ok());
}

TEST(Federation, RefusesShapesWhoseFrequenciesNoMemoryHolds) {
  auto settings = test_settings(1, ScheduleKind::constant);
  settings.plan.features = 0;
  settings.plan.spaces = {Space{.kind = SpaceKind::gaussian, .radius = 1.0, .features = 100'000}};
  settings.problem.spaces = settings.plan.spaces;
  auto open = Federation::make(settings, kRun).value();
  ASSERT_TRUE(open.join({.client = "c1"}, Time{}).ok());
  EXPECT_FALSE(open.ready(0, {10, 60'000, 0}, Time{}).ok());
  EXPECT_FALSE(open.ready(0, {10, ~0U, 0}, Time{}).ok());
  EXPECT_TRUE(open.ready(0, {10, 4, 0}, Time{}).ok());
}

TEST(Federation, RefusesAClientWithWhomItCouldNotBegin) {
  auto settings = test_settings(2, ScheduleKind::theory);
  settings.plan.features = 0;
  settings.plan.spaces.push_back(Space{.kind = SpaceKind::expert, .expert = 2});
  settings.problem.spaces = settings.plan.spaces;
  auto federation = Federation::make(settings, kRun).value();
  ASSERT_TRUE(federation.join({.client = "c1"}, Time{}).ok());
  ASSERT_TRUE(federation.join({.client = "c2"}, Time{}).ok());
  const auto blind = federation.ready(0, {0, 5, 3}, Time{});
  ASSERT_FALSE(blind.ok());
  EXPECT_NE(blind.error().line().find("how many examples"), std::string::npos)
      << blind.error().line();
  const auto few = federation.ready(0, {10, 4, 2}, Time{});
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.error().line().find("2 expert columns"), std::string::npos) << few.error().line();
  EXPECT_FALSE(federation.ready(0, {10, 0, 3}, Time{}).ok());
  ASSERT_TRUE(federation.ready(0, {10, 4, 3}, Time{}).ok()) << "who was refused decides nothing";
  ASSERT_TRUE(federation.ready(1, {10, 4, 3}, Time{}).ok());
  ASSERT_TRUE(federation.can_start(Time{}));
  EXPECT_TRUE(federation.start(Time{}).ok());
}

TEST(Federation, WaitsForTheDataThatTheTheoryNeeds) {
  auto settings = test_settings(3, ScheduleKind::theory);
  settings.quorum = 1;
  settings.deadline = milliseconds(100);
  auto federation = Federation::make(settings, kRun).value();
  const auto come = [&](std::uint32_t client, std::uint64_t examples) {
    ASSERT_TRUE(federation.join({.client = "c" + std::to_string(client + 1)}, Time{}).ok());
    ASSERT_TRUE(federation.ready(client, {examples, 4, 0}, Time{}).ok());
  };
  const Time late = Time{} + std::chrono::hours(1);
  come(0, 3);  // for four models
  EXPECT_FALSE(federation.can_start(late));
  come(1, 4);
  EXPECT_FALSE(federation.can_start(Time{}));
  ASSERT_TRUE(federation.can_start(late));
  EXPECT_TRUE(federation.start(late).ok());
}

TEST(Federation, SaysWhatIsMissingIfAllHaveTooLittle) {
  auto federation = Federation::make(test_settings(1, ScheduleKind::theory), kRun).value();
  ASSERT_TRUE(federation.join({.client = "c1"}, Time{}).ok());
  ASSERT_TRUE(federation.ready(0, {3, 4, 0}, Time{}).ok());
  ASSERT_TRUE(federation.can_start(Time{}));
  const auto started = federation.start(Time{});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().where, "schedule");
  EXPECT_NE(started.error().line().find("T = 3 is less than K = 4"), std::string::npos);
}

TEST(Federation, CountsALastReportOnce) {
  const TestSource source({3, 2});
  Together t(test_settings(2, ScheduleKind::constant), source);
  t.play_to_the_end();
  EXPECT_EQ(t.federation.join(t.clients[0].hello(), t.now)->examples, 3U);
  EXPECT_EQ(t.federation.join(t.clients[1].hello(), t.now)->examples, 2U);
}

TEST(Federation, IsNotMadeOfWhatCannotBeLearned) {
  const auto where = [](auto change) {
    auto settings = test_settings(2, ScheduleKind::constant);
    change(settings);
    const auto made = Federation::make(settings, kRun);
    return made.ok() ? std::string("nowhere") : made.error().where;
  };
  EXPECT_EQ(where([](auto&) {}), "nowhere");
  EXPECT_EQ(where([](auto& s) { s.problem.sample_size = 5; }), "sample_size");
  EXPECT_EQ(where([](auto& s) { s.problem.sample_size = 1; }), "sample_size");
  EXPECT_EQ(where([](auto& s) { s.plan.spaces[0].radius = 0.0; }), "space 'linear U=0'");
  EXPECT_NE(where([](auto& s) { s.plan.spaces[2].width = -1.0; }), "nowhere");
  EXPECT_NE(where([](auto& s) { s.plan.spaces[3] = {.kind = SpaceKind::expert}; }), "nowhere");
}

TEST(Federation, TakesLabelsThatComeLate) {
  const TestSource source({10, 10});
  Together t(test_settings(2, ScheduleKind::adaptive_first_order), source);
  Participant& slow = t.clients[1].participant();
  std::vector<std::uint64_t> waiting;
  for (std::uint32_t round = 0; round < 3; ++round) {  // predicts, but nothing comes true
    ASSERT_TRUE(slow.assign(t.assignment(1)).ok());
    waiting.push_back(slow.predict(source.example(1, round).x)->id);
    t.play_batch({1});
    const auto nothing = *slow.take_report(false);
    EXPECT_TRUE(nothing.reports.empty());
    ASSERT_EQ(t.send(1, nothing), Verdict::accepted) << t.why;
    t.federation.close(t.now);
  }
  ASSERT_TRUE(slow.assign(t.assignment(1)).ok());
  for (const std::uint32_t round : {2U, 0U, 1U}) {
    EXPECT_TRUE(slow.observe(waiting[round], source.example(1, round).y));
  }
  auto late = *slow.take_report(false);
  ASSERT_EQ(late.reports.size(), 3U);
  EXPECT_EQ(late.reports.sampled_in[0], 1U);
  EXPECT_EQ(t.send(1, late), Verdict::accepted) << t.why;
  t.play_batch({1});
  t.federation.close(t.now);
  EXPECT_EQ(t.federation.members()[1].counted, 3U);
}

}  // namespace
}  // namespace caucus
