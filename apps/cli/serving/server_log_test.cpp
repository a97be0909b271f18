#include "serving/server_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "options/settings.hpp"

namespace caucus::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

const system_clock::time_point kTime{milliseconds(1'700'000'000'007)};

std::string line_of(LogForm form, const std::vector<LogField>& fields) {
  return log_line(form, kTime, LogLevel::warning, "rejected", fields);
}

TEST(ServerLog, APlainEventIsALineOfPairs) {
  EXPECT_EQ(line_of(LogForm::pairs, {{"client", "c01"}, {"batch", "7"}}),
            "time=2023-11-14T22:13:20.007Z level=warning event=rejected client=c01 batch=7\n");
}

TEST(ServerLog, AnEventIsAJsonObjectInOneLine) {
  const std::string line = line_of(LogForm::json, {{"client", "c01"}, {"why", "a\nb"}});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json.at("time"), "2023-11-14T22:13:20.007Z");
  EXPECT_EQ(json.at("level"), "warning");
  EXPECT_EQ(json.at("event"), "rejected");
  EXPECT_EQ(json.at("why"), "a\nb");
}

TEST(ServerLog, AValueCannotForgeAFieldOrALine) {
  const std::string forged = "x\nlevel=error event=\"failed\" \x1b[2J\xE2\x80\xAE\\";
  const std::string line = line_of(LogForm::pairs, {{"client", forged}, {"batch", "7"}});
  EXPECT_TRUE(
      line.ends_with(R"( client="x\x0alevel=error event=\"failed\" \x1b[2J\xe2\x80\xae\\" batch=7)"
                     "\n"))
      << line;
  for (const char c : line.substr(0, line.size() - 1)) {
    EXPECT_TRUE(c >= ' ' && c < '\x7f') << line;
  }
  const std::string json = line_of(LogForm::json, {{"client", forged + "\xFF"}});
  for (const char c : json.substr(0, json.size() - 1)) EXPECT_TRUE(c >= ' ' && c < '\x7f') << json;
}

TEST(ServerLog, AnEmptyValueIsVisible) {
  EXPECT_TRUE(line_of(LogForm::pairs, {{"client", ""}}).ends_with(" client=\"\"\n"));
}

TEST(ServerLog, ALongValueIsCut) {
  const std::vector<LogField> fields = {{"client", std::string(100'000, 'x')}};
  EXPECT_LT(line_of(LogForm::pairs, fields).size(), 600U);
  EXPECT_LT(line_of(LogForm::json, fields).size(), 600U);
}

TEST(ServerLog, ThreadsWriteWholeLines) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    LogWriter writer(fileno(file), LogForm::pairs);
    const Log log = writer.log();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          write_log(log, LogLevel::info, "joined", {{"client", "c01"}});
          write_log(log, LogLevel::debug, "unseen");
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::rewind(file);
  char line[200];
  int lines = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    ++lines;
    EXPECT_THAT(line, testing::StartsWith("time="));
    EXPECT_THAT(line, testing::EndsWith(" level=info event=joined client=c01\n"));
  }
  EXPECT_EQ(lines, 800);
  std::fclose(file);
}

/// All that is in a pipe now.
std::string read_all(int pipe) {
  std::string all;
  char buffer[65'536];
  while (true) {
    pollfd one{pipe, POLLIN, 0};
    if (poll(&one, 1, 300) <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(read(pipe, buffer, sizeof buffer)));
  }
}

TEST(ServerLog, APipeThatNobodyReadsDropsLinesAndStopsNothing) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto started = std::chrono::steady_clock::now();
  int written = 0;
  std::string received;
  {
    LogWriter writer(ends[1], LogForm::pairs);
    const Log log = writer.log();
    const auto write_some = [&](int lines) {
      for (int n = 0; n < lines; ++n, ++written) {
        write_log(log, LogLevel::info, "joined", {{"client", std::string(300, 'x')}});
      }
    };
    write_some(5000);  // a pipe holds some 170 of them, the queue 1,000
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
    received = read_all(ends[0]);
    const std::size_t dropped = received.find("level=warning event=dropped lines=");
    ASSERT_NE(dropped, std::string::npos) << "the log is read again";
    const int count = std::stoi(received.substr(dropped + 34));
    const auto lines = std::count(received.begin(), received.end(), '\n');
    EXPECT_EQ(lines - 1 + count, written);
    EXPECT_GT(count, 3000);
    write_some(5000);
  }
  // With a full pipe the end does not wait for a reader.
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace caucus::cli
