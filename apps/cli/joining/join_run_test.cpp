#include "joining/join_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "caucus/core/base/text.hpp"
#include "caucus/wire/test_server.hpp"
#include "joining/join_state.hpp"

namespace caucus::cli {
namespace {

class JoinedFiles : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) / ("join-" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string file(std::size_t client) const {
    return (directory_ / ("c" + std::to_string(client + 1) + ".csv")).string();
  }
  void write_files(const TestSource& source) const {
    for (std::size_t j = 0; j < source.clients(); ++j) {
      std::ofstream out(file(j));
      for (std::size_t row = 0; row < source.rounds(j); ++row) {
        const Example example = source.example(j, row);
        for (const float value : example.x) out << to_text(static_cast<double>(value)) << ",";
        out << to_text(example.y) << "\n";
      }
    }
  }
  [[nodiscard]] JoinOptions options(const wire::TestServer& server, std::size_t client,
                                    bool resume = false) const {
    JoinOptions options;
    options.client.server = server.address().text();
    options.client.name = "c" + std::to_string(client + 1);
    options.data_file = file(client);
    options.state_file = file(client) + ".join";
    options.client.resume = resume;
    options.client.patience = std::chrono::seconds(30);
    return options;
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(JoinedFiles, HaveTheBitsOfTheSimulation) {
  const TestSource source({23, 30, 7});
  write_files(source);
  for (const std::size_t rounds_per_upload : {1U, 4U}) {
    const auto settings = test_settings(3, ScheduleKind::adaptive, rounds_per_upload);
    wire::TestServer server(settings);
    std::vector<std::thread> threads;
    for (std::size_t j = 0; j < 3; ++j) {
      threads.emplace_back([&, j] {
        JoinRun run(options(server, j));
        Progress progress;
        const auto outcome = run.play(progress);
        ASSERT_TRUE(outcome.ok()) << outcome.error().line();
        EXPECT_EQ(outcome->played.rows, source.rounds(j));
        EXPECT_EQ(outcome->rows, source.rounds(j));
        EXPECT_EQ(progress.done, source.rounds(j));
        EXPECT_TRUE(JoinState::load(file(j) + ".join").value()->finished());
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(server.learned(), simulated(settings, source));
  }
}

TEST_F(JoinedFiles, NeedNoServerAfterItHasAll) {
  const TestSource source({5});
  write_files(source);
  const auto settings = test_settings(1, ScheduleKind::constant);
  std::optional<JoinOptions> again;
  {
    wire::TestServer server(settings);
    again = options(server, 0, true);
    JoinRun run(options(server, 0));
    Progress progress;
    ASSERT_TRUE(run.play(progress).ok());
    EXPECT_TRUE(server.host().look([](const Federation& f) { return f.unacknowledged().empty(); }));
  }
  // As if it had been killed between its goodbye and its end.
  JoinRun run(*again);
  Progress progress;
  const auto outcome = run.play(progress);
  ASSERT_TRUE(outcome.ok()) << outcome.error().line();
  EXPECT_EQ(outcome->rows, 5U);
  EXPECT_EQ(outcome->played.rows, 0U);
  EXPECT_EQ(outcome->traffic.connections, 0U);

  wire::TestServer other(settings);  // another run, which it has not been in
  again->client.server = other.address().text();
  JoinRun wrong(*again);
  const auto refused = wrong.play(progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().line().find("another run"), std::string::npos);
}

TEST_F(JoinedFiles, SayAgainThatTheyHaveHeardTheEnd) {
  const TestSource source({5});
  write_files(source);
  wire::TestServer server(test_settings(1, ScheduleKind::constant));
  {
    JoinRun run(options(server, 0));
    Progress progress;
    ASSERT_TRUE(run.play(progress).ok());
  }
  // As if the server had not heard it.
  ASSERT_TRUE(server.host().look([](const Federation& f) { return f.unacknowledged().empty(); }));
  JoinRun run(options(server, 0, true));
  Progress progress;
  const auto outcome = run.play(progress);
  ASSERT_TRUE(outcome.ok()) << outcome.error().line();
  EXPECT_EQ(outcome->rows, 5U);
  EXPECT_EQ(outcome->traffic.connections, 1U);
}

/// Clients that are stopped again and again, and a server that is killed in between.
TEST_F(JoinedFiles, GoOnAtTheSameRows) {
  const TestSource source({150, 200, 90});
  write_files(source);
  for (const std::size_t commit_every : {1U, 7U}) {
    const auto settings = test_settings(3, ScheduleKind::adaptive, 2);
    wire::TestServer server(settings, commit_every);
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (std::size_t j = 0; j < 3; ++j) {
      threads.emplace_back([&, j] {
        for (int attempt = 0;; ++attempt) {
          JoinRun run(options(server, j, attempt > 0));
          std::thread stopper([&] {
            std::this_thread::sleep_for(
                std::chrono::milliseconds(10 + 15 * attempt + 7 * static_cast<int>(j)));
            if (attempt < 6) run.interrupt();
          });
          Progress progress;
          const auto outcome = run.play(progress);
          stopper.join();
          if (outcome.ok()) break;
          ASSERT_NE(outcome.error().what.find("interrupted"), std::string::npos)
              << outcome.error().line();
        }
        ++done;
      });
    }
    for (int n = 0; n < 3 && done < 3; ++n) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      server.kill();
      server.start();
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(server.learned(), simulated(settings, source)) << commit_every;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(server.host().status().members[j].counted, source.rounds(j));
      EXPECT_TRUE(JoinState::load(file(j) + ".join").value()->finished());
      JoinState::remove(file(j) + ".join");  // as the program does, before the next run
    }
  }
}

class StoppedOnce : public JoinedFiles {
 protected:
  /// One client alone, stopped after some rows.
  void play_some(const wire::TestServer& server) const {
    JoinRun run(options(server, 0));
    Progress progress;
    std::thread stopper([&] {
      while (progress.done < 20) std::this_thread::yield();
      run.interrupt();
    });
    const auto outcome = run.play(progress);
    stopper.join();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().kind, ErrorKind::network);
    ASSERT_TRUE(std::filesystem::exists(file(0) + ".join"));
  }

  const TestSource source_{{1500}};
  const FederationSettings settings_ = test_settings(1, ScheduleKind::constant);
};

TEST_F(StoppedOnce, IsRefusedUnlessItResumes) {
  write_files(source_);
  wire::TestServer server(settings_);
  play_some(server);
  Progress progress;
  const auto anew = JoinRun(options(server, 0)).play(progress);
  ASSERT_FALSE(anew.ok());
  EXPECT_NE(anew.error().what.find("resume"), std::string::npos) << anew.error().line();
  EXPECT_TRUE(std::filesystem::exists(file(0) + ".join"));
  const auto outcome = JoinRun(options(server, 0, true)).play(progress);
  ASSERT_TRUE(outcome.ok()) << outcome.error().line();
  EXPECT_GE(outcome->first_row, 20U);
  EXPECT_EQ(server.learned(), simulated(settings_, source_));
}

TEST_F(StoppedOnce, GoesOnAtTheServersPositionWithoutItsState) {
  write_files(source_);
  wire::TestServer server(settings_);
  play_some(server);
  std::filesystem::remove(file(0) + ".join");
  Progress progress;
  const auto outcome = JoinRun(options(server, 0, true)).play(progress);
  ASSERT_TRUE(outcome.ok()) << outcome.error().line();
  EXPECT_EQ(server.learned(), simulated(settings_, source_));
}

/// As after a loss of power, or with a copy from yesterday.
TEST_F(StoppedOnce, GoesOnAtTheServersPositionIfItsStateIsOlder) {
  write_files(source_);
  wire::TestServer server(settings_);
  play_some(server);
  const std::string state = file(0) + ".join";
  std::string kept, line;
  std::ifstream in(state);
  for (int n = 0; n < 3 && std::getline(in, line); ++n) kept += line + "\n";
  in.close();
  std::ofstream(state) << kept;
  ASSERT_LT(JoinState::load(state).value()->next_row(), 20U);
  Progress progress;
  const auto outcome = JoinRun(options(server, 0, true)).play(progress);
  ASSERT_TRUE(outcome.ok()) << outcome.error().line();
  EXPECT_GE(outcome->first_row, 19U);
  EXPECT_EQ(server.host().status().forecasts, source_.rounds(0)) << "every row once";
  EXPECT_EQ(server.learned(), simulated(settings_, source_));
}

TEST_F(StoppedOnce, RefusesAStateOfOtherRowsClientsAndRuns) {
  write_files(source_);
  wire::TestServer server(settings_);
  play_some(server);
  Progress progress;
  auto of_another = options(server, 0, true);
  of_another.client.name = "c2";
  const auto client = JoinRun(of_another).play(progress);
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().kind, ErrorKind::usage);
  wire::TestServer other(settings_);
  const auto run = JoinRun(options(other, 0, true)).play(progress);
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().what.find("another run"), std::string::npos) << run.error().line();
  std::ofstream(file(0), std::ios::app) << "0,0,0,0,0\n";
  const auto rows = JoinRun(options(server, 0, true)).play(progress);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::data) << rows.error().line();
}

TEST_F(StoppedOnce, SaysWhatIsWrongWithItsData) {
  std::ofstream(file(0)) << "1,2,3\n4,5,6\n";
  wire::TestServer server(settings_);
  Progress progress;
  const auto shape = JoinRun(options(server, 0)).play(progress);
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.error().kind, ErrorKind::data);
  EXPECT_NE(shape.error().expected.find("expected 4 features"), std::string::npos);
  std::ofstream(file(0)) << "1,2,3,4,1e999\n";
  const auto value = JoinRun(options(server, 0)).play(progress);
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().kind, ErrorKind::data);
}

}  // namespace
}  // namespace caucus::cli
