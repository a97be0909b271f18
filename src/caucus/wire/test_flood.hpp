// For tests: what a server has left for its clients while others do what they like.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "caucus/wire/test_server.hpp"

namespace caucus::wire {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAUCUS_ADDRESS_SANITIZER
#endif
#endif
#ifdef CAUCUS_ADDRESS_SANITIZER
inline constexpr double kMostMegabytes = 800.0;  // it keeps what was freed for a while
#else
inline constexpr double kMostMegabytes = 256.0;
#endif

/// What this process takes more at its peak than at the beginning.
class MemoryPeak {
 public:
  MemoryPeak() { std::ofstream("/proc/self/clear_refs") << 5; }  // the peak begins anew
  [[nodiscard]] double megabytes() const { return kilobytes("VmHWM:") / 1e3 - before_; }

 private:
  static double kilobytes(const std::string& what) {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;) {
      double value = 0.0;
      if (word == what && file >> value) return value;
    }
    ADD_FAILURE() << "the system does not tell " << what;
    return 0.0;
  }
  const double before_ = kilobytes("VmRSS:") / 1e3;
};

/// Two honest clients, from their Hello to the end of the run.
inline void expect_a_run_as_ever(
    const FederationSettings& settings, TestServer& server,
    const std::function<ConnectionOptions(std::uint32_t)>& options = {}) {
  const TestSource source({200, 200});
  std::vector<std::unique_ptr<WireClient>> clients;
  for (std::uint32_t j = 0; j < 2; ++j) {
    ConnectionOptions mine = options ? options(j) : ConnectionOptions{};
    mine.server = server.address();
    clients.push_back(std::make_unique<WireClient>(TestClient(settings.plan, j, source), mine));
  }
  for (const auto& client : clients) EXPECT_TRUE(client->wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

}  // namespace caucus::wire
