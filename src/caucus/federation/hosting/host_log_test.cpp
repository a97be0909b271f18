// What a host writes down while a client comes and goes without end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "caucus/federation/hosting/test_host.hpp"

namespace caucus {
namespace {

/// "event value", with the first field.
class Lines {
 public:
  [[nodiscard]] Log log() {
    return [this](LogLevel, std::string_view event, std::initializer_list<LogField> fields) {
      lines_.push_back(std::string(event) + " " + fields.begin()->value);
    };
  }
  [[nodiscard]] std::size_t count(const std::string& line) const {
    return static_cast<std::size_t>(std::count(lines_.begin(), lines_.end(), line));
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

TEST(HostLog, IsNotFilledByAClientThatComesAndGoes) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    ("host-log-" + std::to_string(::getpid()) + ".db");
  Lines lines;
  const TestSource source({10, 10});
  const auto settings = test_settings(2, ScheduleKind::constant);
  auto made =
      Host::make(settings, "the plan", Store::open(path.string(), {}).value(), {5, lines.log()});
  ASSERT_TRUE(made.ok()) << made.error().line();
  const auto host = std::move(made).value();
  TestClient restless(settings.plan, 0, source);
  TestClient calm(settings.plan, 1, source);
  const auto come = [&](const TestClient& client) {
    auto session = std::make_shared<QueueSession>();
    EXPECT_TRUE(join(*host, client, session).ok());
    EXPECT_TRUE(std::holds_alternative<WelcomeRecord>(session->receive()));
    EXPECT_TRUE(ready(*host, client, session).ok());
    return session;
  };
  const auto started = std::chrono::steady_clock::now();
  for (int n = 0; n < 200; ++n) host->disconnected(come(restless));
  const auto session = come(restless);
  const auto took = std::chrono::steady_clock::now() - started;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(took).count() + 1;
  ASSERT_LT(seconds, 10) << "nothing had to be left out";

  // The others' lines and the important ones are all there.
  const auto other = come(calm);
  EXPECT_EQ(lines.count("joined c2"), 1U);
  EXPECT_EQ(lines.count("started 2"), 1U);
  auto lie = *restless.play(std::get<AssignmentRecord>(session->receive()));
  lie.reports.losses[0] = -1.0F;
  host->report(session, lie);
  (void)host->status();
  EXPECT_EQ(lines.count("rejected c1"), 1U);

  const std::size_t written = lines.count("joined c1") + lines.count("disconnected c1");
  EXPECT_LE(written, 10 * static_cast<std::size_t>(seconds));
  EXPECT_GE(written, 10U);
  if (seconds == 1) {  // else some have been counted already
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    host->disconnected(session);
    (void)host->status();
    const auto& all = lines.all();
    EXPECT_EQ(all.at(all.size() - 2), "suppressed " + std::to_string(2 * 200 + 1 - written));
    EXPECT_EQ(all.back(), "disconnected c1");
  }
  host->abandon();
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace caucus
