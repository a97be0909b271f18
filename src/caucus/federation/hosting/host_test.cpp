#include "caucus/federation/hosting/host.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <thread>

#include "caucus/federation/hosting/test_host.hpp"
#include "caucus/federation/store/sqlite.hpp"

namespace caucus {
namespace {

std::vector<std::string> unacknowledged(const Host& host) {
  return host.look([](const Federation& federation) { return federation.unacknowledged(); });
}

class HostThreads : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) /
                 ("host-" + std::to_string(::getpid()) + "-" +
                  testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path() const { return (directory_ / "run.db").string(); }
  [[nodiscard]] std::unique_ptr<Host> open(const FederationSettings& settings,
                                           std::size_t commit_every = 1,
                                           std::size_t snapshot_every = 5) const {
    return open(settings, commit_every, HostOptions{snapshot_every, {}});
  }
  [[nodiscard]] std::unique_ptr<Host> open(const FederationSettings& settings,
                                           std::size_t commit_every, HostOptions options) const {
    auto store = Store::open(path(), {commit_every});
    EXPECT_TRUE(store.ok()) << store.error().line();
    auto host = Host::make(settings, "the plan", std::move(store).value(), std::move(options));
    EXPECT_TRUE(host.ok()) << host.error().line();
    return std::move(host).value();
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(HostThreads, HaveTheBitsOfTheSimulation) {
  const TestSource source({23, 30, 7, 30});
  for (const ScheduleKind schedule : {ScheduleKind::adaptive, ScheduleKind::theory}) {
    std::filesystem::remove(path());
    const auto settings = test_settings(4, schedule, 2);
    const auto host = open(settings);
    EXPECT_EQ(host->working_time().count(), 0.0);  // waiting for clients is no work
    std::vector<std::thread> threads;
    for (std::uint32_t j = 0; j < 4; ++j) {
      threads.emplace_back([&, j] {
        TestClient client(settings.plan, j, source);
        EXPECT_TRUE(take_part(*host, client, std::make_shared<QueueSession>()));
      });
    }
    EXPECT_TRUE(host->wait().ok());
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(host->look([](const Federation& f) { return learned_by(f); }),
              simulated(settings, source));
    EXPECT_EQ(host->status().batch, 15U);
    EXPECT_GT(host->working_time().count(), 0.0);
    EXPECT_EQ(host->working_time(), host->working_time());  // the clock stands when it is over
  }
}

TEST_F(HostThreads, GoOnWhereTheStoreEnds) {
  const TestSource source({40, 40, 25});
  const auto settings = test_settings(3, ScheduleKind::adaptive);
  for (const std::size_t commit_every : {1U, 7U}) {
    std::filesystem::remove(path());
    std::vector<TestClient> clients;
    for (std::uint32_t j = 0; j < 3; ++j) clients.emplace_back(settings.plan, j, source);
    bool over = false;
    // Each time the host dies after some batches, without a farewell to anybody.
    for (std::uint64_t until = 3; !over; until += 6) {
      auto host = open(settings, commit_every);
      std::vector<std::shared_ptr<QueueSession>> sessions;
      std::vector<std::thread> threads;
      for (std::uint32_t j = 0; j < 3; ++j) sessions.push_back(std::make_shared<QueueSession>());
      for (std::uint32_t j = 0; j < 3; ++j) {
        threads.emplace_back([&, j] { take_part(*host, clients[j], sessions[j]); });
      }
      while (true) {
        const HostStatus status = host->status();
        over = status.phase == Federation::Phase::finished;
        if (over || status.batch >= until) break;
        std::this_thread::yield();
      }
      for (const auto& session : sessions) session->shut_down();
      for (std::thread& thread : threads) thread.join();
      if (over) {
        EXPECT_EQ(host->look([](const Federation& f) { return learned_by(f); }),
                  simulated(settings, source))
            << commit_every;
      }
      host->abandon();
    }
  }
}

TEST_F(HostThreads, LetWhoeverHasFinishedGo) {
  const TestSource source({2, 10});
  const auto settings = test_settings(2, ScheduleKind::constant);
  const auto host = open(settings, 1000, 1000);  // no group is ever full
  TestClient quick(settings.plan, 0, source);
  TestClient slow(settings.plan, 1, source);
  const auto quick_session = std::make_shared<QueueSession>();
  const auto slow_session = std::make_shared<QueueSession>();
  bool ended = false;
  std::thread thread([&] { ended = take_part(*host, quick, quick_session); });
  ASSERT_TRUE(join(*host, slow, slow_session).ok());
  ASSERT_TRUE(ready(*host, slow, slow_session).ok());
  for (int reports = 0; reports < 2;) {
    const Received received = slow_session->receive();
    const auto* assignment = std::get_if<AssignmentRecord>(&received);
    if (assignment == nullptr) continue;
    host->report(slow_session, *slow.play(*assignment));
    ++reports;
  }
  // The slow one answers no more; the other one is told all the same.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!host->status().members[0].finished || host->status().members[0].connected) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::yield();
  }
  thread.join();
  EXPECT_TRUE(ended);
  EXPECT_EQ(host->status().durable, 2U);
  host->abandon();
}

TEST_F(HostThreads, RememberWhoHasNotHeardOfTheEnd) {
  const TestSource source({4, 9});
  const auto settings = test_settings(2, ScheduleKind::constant);
  const auto nobody = std::chrono::milliseconds(0);
  {
    const auto host = open(settings);
    TestClient quick(settings.plan, 0, source);
    TestClient slow(settings.plan, 1, source);
    const auto session = std::make_shared<QueueSession>();
    std::thread thread(
        [&] { EXPECT_TRUE(take_part(*host, slow, std::make_shared<QueueSession>())); });
    ASSERT_TRUE(join(*host, quick, session).ok());
    ASSERT_TRUE(ready(*host, quick, session).ok());
    host->goodbye(session);  // too early: the end was not sent
    while (true) {
      const Received received = session->receive();
      if (std::holds_alternative<Ended>(received)) break;
      if (const auto* assignment = std::get_if<AssignmentRecord>(&received)) {
        host->report(session, *quick.play(*assignment));
      }
    }
    host->disconnected(session);  // as if it had been killed before it could receive
    thread.join();
    ASSERT_TRUE(host->wait().ok());
    EXPECT_TRUE(host->linger(nobody).ok());
    EXPECT_EQ(unacknowledged(*host), std::vector<std::string>{"c1"});
    host->abandon();  // what a client has said is in the store already
  }
  {
    const auto host = open(settings);
    EXPECT_TRUE(host->wait().ok());
    EXPECT_EQ(unacknowledged(*host), std::vector<std::string>{"c1"});
    TestClient quick(settings.plan, 0, source);
    EXPECT_TRUE(take_part(*host, quick, std::make_shared<QueueSession>()));
    EXPECT_TRUE(host->linger(std::chrono::seconds(60)).ok());
    EXPECT_EQ(host->look([](const Federation& f) { return learned_by(f); }),
              simulated(settings, source));
  }
  EXPECT_TRUE(unacknowledged(*open(settings)).empty());
}

TEST_F(HostThreads, TellWhoeverHasFinishedAndComesAgain) {
  const TestSource source({2, 10});
  const auto settings = test_settings(2, ScheduleKind::constant);
  const auto host = open(settings, 1000, 1000);  // no group is ever full
  TestClient quick(settings.plan, 0, source);
  TestClient slow(settings.plan, 1, source);
  const auto slow_session = std::make_shared<QueueSession>();
  auto quick_session = std::make_shared<QueueSession>();
  ASSERT_TRUE(join(*host, quick, quick_session).ok());
  ASSERT_TRUE(ready(*host, quick, quick_session).ok());
  ASSERT_TRUE(join(*host, slow, slow_session).ok());
  ASSERT_TRUE(ready(*host, slow, slow_session).ok());
  const auto play = [&](TestClient& client, const std::shared_ptr<QueueSession>& session) {
    while (true) {
      const Received received = session->receive();
      const auto* assignment = std::get_if<AssignmentRecord>(&received);
      if (assignment == nullptr) continue;
      return host->report(session, *client.play(*assignment));
    }
  };
  play(quick, quick_session);
  play(slow, slow_session);
  play(quick, quick_session);
  host->disconnected(quick_session);  // before its last batch is closed
  play(slow, slow_session);
  EXPECT_TRUE(host->status().members[0].finished);
  EXPECT_LT(host->status().durable, 2U);
  quick_session = std::make_shared<QueueSession>();
  ASSERT_TRUE(join(*host, quick, quick_session).ok());
  EXPECT_TRUE(std::holds_alternative<WelcomeRecord>(quick_session->receive()));
  EXPECT_TRUE(std::holds_alternative<Ended>(quick_session->receive()));
  EXPECT_EQ(host->status().durable, 2U);
  host->abandon();
}

TEST_F(HostThreads, CutAClientOffOnceThatIsDurable) {
  const TestSource source({9, 9});
  const auto settings = test_settings(2, ScheduleKind::constant);
  auto host = open(settings, 1000, 1000);  // no group is ever full
  TestClient honest(settings.plan, 0, source);
  TestClient liar(settings.plan, 1, source);
  const auto session = std::make_shared<QueueSession>();
  auto liars_session = std::make_shared<QueueSession>();
  ASSERT_TRUE(join(*host, honest, session).ok());
  ASSERT_TRUE(join(*host, liar, liars_session).ok());
  ASSERT_TRUE(ready(*host, honest, session).ok());
  ASSERT_TRUE(ready(*host, liar, liars_session).ok());
  const auto play = [&](TestClient& client, const std::shared_ptr<QueueSession>& on, bool lies) {
    while (true) {
      const Received received = on->receive();
      const auto* assignment = std::get_if<AssignmentRecord>(&received);
      if (assignment == nullptr) continue;
      auto report = *client.play(*assignment);
      if (lies) report.reports.losses[0] = -1.0F;
      return host->report(on, std::move(report));
    }
  };
  for (int n = 0; n < 3; ++n) {
    if (n > 0) play(honest, session, false);
    play(liar, liars_session, true);
  }
  EXPECT_TRUE(host->status().members[1].cut_off);
  EXPECT_EQ(host->status().durable, 0U);
  // Nobody has told it: if the server died now, it would be waited for.
  host->disconnected(liars_session);
  liars_session = std::make_shared<QueueSession>();
  const auto early = join(*host, liar, liars_session);
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().kind, ErrorKind::network) << "it may come again";
  play(honest, session, false);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (join(*host, liar, liars_session).error().kind != ErrorKind::data) {  // until it is final
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::yield();
  }
  EXPECT_EQ(host->status().durable, 3U);
  host->abandon();
  host.reset();
  host = open(settings, 1000, 1000);
  EXPECT_EQ(join(*host, liar, liars_session).error().kind, ErrorKind::data);
  EXPECT_TRUE(host->status().members[1].cut_off);
  host->abandon();
}

TEST_F(HostThreads, TellAClientThatItIsCutOffWhenItsBatchIsStored) {
  const TestSource source({9, 9});
  auto settings = test_settings(2, ScheduleKind::constant);
  settings.violations = 1;
  const auto host = open(settings, 1000, 1000);
  TestClient honest(settings.plan, 0, source);
  TestClient liar(settings.plan, 1, source);
  const auto session = std::make_shared<QueueSession>();
  const auto liars_session = std::make_shared<QueueSession>();
  ASSERT_TRUE(join(*host, honest, session).ok());
  ASSERT_TRUE(join(*host, liar, liars_session).ok());
  ASSERT_TRUE(ready(*host, honest, session).ok());
  ASSERT_TRUE(ready(*host, liar, liars_session).ok());
  const auto assignment_on = [](QueueSession& on) {
    EXPECT_TRUE(std::holds_alternative<WelcomeRecord>(on.receive()));
    return std::get<AssignmentRecord>(on.receive());
  };
  auto report = *liar.play(assignment_on(*liars_session));
  report.played.loss = -1.0;
  host->report(liars_session, std::move(report));
  EXPECT_TRUE(
      std::holds_alternative<std::string>(liars_session->receive()));  // this report is rejected
  host->report(session, *honest.play(assignment_on(*session)));
  const Ended ended = std::get<Ended>(liars_session->receive());
  EXPECT_TRUE(ended.cut);
  EXPECT_EQ(host->status().durable, 1U);
  host->abandon();
}

TEST_F(HostThreads, KeepTheNewestLineOfAClient) {
  const TestSource source({9});
  const auto settings = test_settings(1, ScheduleKind::constant);
  const auto host = open(settings);
  TestClient client(settings.plan, 0, source);
  const auto held_up = std::make_shared<QueueSession>();  // its Hello comes after that of the next
  const auto newest = std::make_shared<QueueSession>();
  ASSERT_TRUE(join(*host, client, newest).ok());
  const auto older = join(*host, client, held_up);
  ASSERT_FALSE(older.ok());
  EXPECT_EQ(older.error().kind, ErrorKind::network);
  EXPECT_TRUE(take_part(*host, client, std::make_shared<QueueSession>()));
  EXPECT_TRUE(std::holds_alternative<WelcomeRecord>(newest->receive()));
  EXPECT_TRUE(std::get<Ended>(newest->receive()).cut) << "by the one that is newer still";
}

TEST_F(HostThreads, SayWhichBatchesAreTheirOwn) {
  const TestSource source({9});
  const auto settings = test_settings(1, ScheduleKind::constant);
  TestClient client(settings.plan, 0, source);
  const auto welcomed_by = [&](Host& host) {
    const auto session = std::make_shared<QueueSession>();
    EXPECT_TRUE(join(host, client, session).ok());
    const auto welcome = std::get<WelcomeRecord>(session->receive());
    EXPECT_TRUE(ready(host, client, session).ok());
    for (int n = 0; n < 2; ++n) {
      host.report(session, *client.play(std::get<AssignmentRecord>(session->receive())));
    }
    EXPECT_EQ(std::get<AssignmentRecord>(session->receive()).batch,
              welcome.since + (welcome.since > 0 ? 2 : 3));
    host.abandon();
    return std::pair(welcome.start, welcome.since);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(welcomed_by(*open(settings)), Pair(1, 0));
  EXPECT_EQ(welcomed_by(*open(settings)), Pair(2, 3));
  EXPECT_EQ(welcomed_by(*open(settings, 100, 100)), Pair(3, 5));
  EXPECT_EQ(welcomed_by(*open(settings)), Pair(4, 5)) << "what was not durable is lost";
}

TEST_F(HostThreads, StoreTheWholeStateWhenReportsTakeMuchRoom) {
  const TestSource source({12, 12});
  auto settings = test_settings(2, ScheduleKind::constant);
  for (Space& space : settings.plan.spaces) {
    if (space.is_kernel()) space.features = 20'000;
  }
  settings.plan.spaces.erase(settings.plan.spaces.begin(), settings.plan.spaces.begin() + 2);
  settings.problem.spaces = settings.plan.spaces;
  const auto host = open(settings, 1, 1'000'000);
  std::vector<std::thread> threads;
  for (std::uint32_t j = 0; j < 2; ++j) {
    threads.emplace_back([&, j] {
      TestClient client(settings.plan, j, source);
      const auto session = std::make_shared<QueueSession>();
      ASSERT_TRUE(join(*host, client, session).ok());
      ASSERT_TRUE(ready(*host, client, session).ok());
      for (int reports = 0; reports < 11;) {  // not all: the end has a snapshot of its own
        const Received received = session->receive();
        if (const auto* assignment = std::get_if<AssignmentRecord>(&received)) {
          host->report(session, *client.play(*assignment));
          ++reports;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  host->abandon();
  // Two clients with two models of 160 KB: 0.6 MB a batch, the snapshot 0.3 MB.
  EXPECT_EQ(Store::open_for_reading(path())->latest_snapshot().value()->batch, 7U);
}

TEST_F(HostThreads, RefuseGroupsThatClientsCannotKeep) {
  auto settings = test_settings(1, ScheduleKind::constant);
  settings.plan.spaces[2].features = 50'000;
  settings.problem.spaces = settings.plan.spaces;
  const auto with_groups_of = [&](std::size_t batches) {
    return Host::make(settings, "a plan", Store::open(path(), {batches}).value(), {});
  };
  EXPECT_EQ(with_groups_of(100).error().where, "commit_every");
  EXPECT_TRUE(with_groups_of(80).ok());
}

TEST_F(HostThreads, RefuseAStoreOfOtherSettings) {
  const auto settings = test_settings(2, ScheduleKind::adaptive);
  const auto plan_taken = [&](const std::string& plan) {
    const auto host = Host::make(settings, plan, Store::open(path(), {}).value(), {});
    if (!host.ok()) {
      EXPECT_EQ(host.error().where, "store");
    }
    return host.ok();
  };
  EXPECT_TRUE(plan_taken("a plan"));
  EXPECT_TRUE(plan_taken("another plan"));  // nothing is lost: the run has not started
  ASSERT_TRUE(Store::open(path(), {})->snapshot({0, "started"}).ok());
  EXPECT_FALSE(plan_taken("a plan"));
}

/// Waits for a host that has some trouble, or none.
void wait_for_trouble(const Host& host, const std::string& expected) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (host.trouble().find(expected) == std::string::npos ||
         host.trouble().empty() != expected.empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << host.trouble();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(HostThreads, SayThatTheyAreStuck) {
  const TestSource source({5});
  const auto settings = test_settings(1, ScheduleKind::constant);
  std::promise<void> release;
  HostOptions options;
  options.stuck_after = std::chrono::milliseconds(30);
  options.log = [held = release.get_future().share()](LogLevel, std::string_view event,
                                                      std::initializer_list<LogField>) {
    if (event == "joined") held.wait();
  };
  const auto host = open(settings, 1, options);
  EXPECT_EQ(host->trouble(), "");
  TestClient client(settings.plan, 0, source);
  const auto session = std::make_shared<QueueSession>();
  host->join(client.hello(), session);
  host->ready(session, client.ready());
  wait_for_trouble(*host, "the host has worked on one event for ");
  release.set_value();
  wait_for_trouble(*host, "");
}

TEST_F(HostThreads, SayThatTheStoreIsStuckAndGoOnAfterwards) {
  const TestSource source({5});
  const auto settings = test_settings(1, ScheduleKind::constant);
  HostOptions options;
  options.stuck_after = std::chrono::milliseconds(30);
  const auto host = open(settings, 1, options);
  TestClient client(settings.plan, 0, source);
  {
    auto other = Database::open(path(), Database::Access::write).value();
    ASSERT_TRUE(other.execute("BEGIN IMMEDIATE").ok());  // SQLite waits some seconds for it
    const auto session = std::make_shared<QueueSession>();
    host->join(client.hello(), session);
    host->ready(session, client.ready());
    wait_for_trouble(*host, "the store has worked on one batch for ");
    EXPECT_EQ(host->status().batch, 1U) << "the host itself answers";
    host->disconnected(session);
  }
  wait_for_trouble(*host, "");
  EXPECT_TRUE(take_part(*host, client, std::make_shared<QueueSession>()));
  EXPECT_TRUE(host->wait().ok());
}

TEST_F(HostThreads, CloseABatchAtItsDeadline) {
  const TestSource source({5, 5, 5});
  auto settings = test_settings(3, ScheduleKind::constant);
  settings.quorum = 2;
  settings.deadline = std::chrono::milliseconds(20);
  const auto host = open(settings);
  std::vector<std::thread> threads;
  for (std::uint32_t j = 0; j < 2; ++j) {  // the third never comes
    threads.emplace_back([&, j] {
      TestClient client(settings.plan, j, source);
      take_part(*host, client, std::make_shared<QueueSession>());
    });
  }
  while (host->status().forecasts < 10) std::this_thread::yield();
  host->stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(host->status().members[2].counters.reports, 0U);
}

}  // namespace
}  // namespace caucus
