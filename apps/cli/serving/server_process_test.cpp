#include "serving/server_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "caucus/wire/test_by_hand.hpp"
#include "options/config_file.hpp"
#include "serving/stop_signals.hpp"

namespace caucus::cli {
namespace {

using testing::HasSubstr;

/// A server in a thread that tells a client of one example what it says to people.
class ServerProcessTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(directory_); }
  void TearDown() override {
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove_all(directory_);
  }

  void serve(std::size_t linger_ms) {
    std::filesystem::create_directories(directory_);
    ServerConfig server;
    const std::string text =
        "[server]\nclients = [\"c01\"]\nmax_abs_target = 2\nmax_feature_norm = 2\nstore = \"" +
        (directory_ / "run.db").string() + "\"\nlinger_ms = " + std::to_string(linger_ms) +
        "\n[[space]]\nkind = \"linear\"\n";
    const auto config = parse_config(text, "f.toml", &server);
    ASSERT_TRUE(config.ok()) << config.error().line();
    run_ = make_served_configuration(*config, server).value();
    notes_.clear();
    results_ = 0;
    thread_ = std::thread([this] {
      ServeOptions options;
      options.wire.listen = {"127.0.0.1", 0};
      options.note = [this](const std::string& note) {
        const std::lock_guard lock(mutex_);
        notes_ += note + "\n";
      };
      options.make_result = [](const Federation&, double) -> Status { return Done{}; };
      options.write_result = [this]() -> Status {
        ++results_;
        return Done{};
      };
      status_ = serve_until_finished(*run_, std::move(options));
    });
  }
  Status end() {
    thread_.join();
    return status_;
  }
  std::string notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  std::string address() {
    const std::string words = "listening on ";
    while (true) {
      const std::string text = notes();
      const auto place = text.find(words);
      if (place == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      return text.substr(place + words.size(), text.find('\n', place) - place - words.size());
    }
  }

  void take_part(bool goodbye) { wire::take_part_by_hand(address(), "c01", goodbye); }

  int results_ = 0;

 private:
  std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) /
      ("serve-" + std::to_string(::getpid()) + "-" +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<ServedConfiguration> run_;
  std::mutex mutex_;
  std::string notes_;
  Status status_ = Done{};
  std::thread thread_;
};

TEST_F(ServerProcessTest, EndsAtOnceWhenAllClientsHaveAcknowledgedTheEnd) {
  serve(600'000);
  take_part(true);
  EXPECT_TRUE(end().ok());
  EXPECT_EQ(results_, 1);
  EXPECT_THAT(notes(), testing::Not(HasSubstr("heard")));

  serve(600'000);  // there is nobody to listen for
  EXPECT_TRUE(end().ok());
  EXPECT_EQ(results_, 1);
  EXPECT_EQ(notes(), "");
}

TEST_F(ServerProcessTest, ServesAFinishedRunToClientsThatHaveNotAcknowledgedItsEnd) {
  serve(50);
  take_part(false);
  EXPECT_TRUE(end().ok());
  EXPECT_EQ(results_, 1);
  EXPECT_THAT(notes(), HasSubstr("have not acknowledged that the run has finished: c01; "));

  serve(1600);  // nobody comes
  EXPECT_TRUE(end().ok());
  EXPECT_EQ(results_, 1);
  EXPECT_THAT(notes(),
              HasSubstr("waiting up to 2 s for clients that have not acknowledged it: c01"));
  EXPECT_THAT(notes(), HasSubstr("have not acknowledged that the run has finished: c01; "));

  serve(600'000);
  take_part(true);
  EXPECT_TRUE(end().ok());
  EXPECT_EQ(results_, 1);
}

TEST_F(ServerProcessTest, CanBeStoppedWhileItWaitsForClients) {
  const StopSignals not_for_this_thread;
  serve(50);
  take_part(false);
  EXPECT_TRUE(end().ok());
  serve(600'000);
  while (notes().find("waiting up to 600 s") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(end().ok());
}

}  // namespace
}  // namespace caucus::cli
