#include "caucus/federation/hosting/log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace caucus {
namespace {

TEST(LimitedLog, LeavesOutWhatIsTooMuchAndSaysSo) {
  std::vector<std::string> lines;
  const Log log = limited(
      [&](LogLevel, std::string_view event, std::initializer_list<LogField> fields) {
        lines.push_back(std::string(event) + " " + fields.begin()->value);
      },
      3);
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < 10; ++n) {
    write_log(log, LogLevel::warning, "refused", {{"client", std::to_string(n)}});
  }
  ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(lines, (std::vector<std::string>{"refused 0", "refused 1", "refused 2"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  write_log(log, LogLevel::warning, "refused", {{"client", "10"}});
  EXPECT_EQ(lines, (std::vector<std::string>{"refused 0", "refused 1", "refused 2", "suppressed 7",
                                             "refused 10"}));
}

}  // namespace
}  // namespace caucus
