#include "caucus/wire/one_poller.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

/// Threads that called back in a run of server and clients in this process.
std::set<std::thread::id> callers() {
  const TestSource source({40, 40, 40, 40});
  const auto settings = test_settings(4, ScheduleKind::theory, 1);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  TestServer server(settings);
  std::vector<std::unique_ptr<WireClient>> clients;
  for (std::uint32_t j = 0; j < 4; ++j) {
    ConnectionOptions options;
    options.server = server.address();
    clients.push_back(std::make_unique<WireClient>(TestClient(settings.plan, j, source),
                                                   std::move(options), [&](ReportRecord&) {
                                                     const std::lock_guard lock(mutex);
                                                     seen.insert(std::this_thread::get_id());
                                                   }));
  }
  for (const auto& client : clients) EXPECT_TRUE(client->wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
  return seen;
}

TEST(OnePoller, LeavesOneThreadToCallBackAndEverythingGoesOn) {
  const OnePoller one_poller;
  EXPECT_EQ(callers().size(), 1U);
}

TEST(OnePoller, SeveralAreAsOne) {
  const OnePoller first;
  auto second = std::make_unique<OnePoller>();
  const OnePoller third;
  EXPECT_EQ(callers().size(), 1U);
  second.reset();
  EXPECT_EQ(callers().size(), 1U);
}

TEST(OnePoller, EndsAndComesAgain) {
  for (int n = 0; n < 5; ++n) {
    const OnePoller one_poller;
  }
  EXPECT_GE(callers().size(), 1U);
  const OnePoller again;
  EXPECT_EQ(callers().size(), 1U);
}

}  // namespace
}  // namespace caucus::wire
