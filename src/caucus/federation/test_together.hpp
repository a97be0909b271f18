// For tests: a federation and its clients in one thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/federation/test_federation.hpp"

namespace caucus {

inline constexpr RunId kRun = {1, 2, 3};

/// Reports come in a random order.
class Together {
 public:
  Together(FederationSettings settings, const TestSource& source)
      : federation(Federation::make(std::move(settings), kRun).value()) {
    for (std::uint32_t j = 0; j < source.clients(); ++j) {
      clients.emplace_back(federation.settings().plan, j, source);
    }
    join_all();
    EXPECT_TRUE(federation.can_start(now));
    EXPECT_TRUE(federation.start(now).ok());
  }
  /// With these clients only; the others may join later.
  Together(FederationSettings settings, const TestSource& source,
           const std::vector<std::uint32_t>& first)
      : federation(Federation::make(std::move(settings), kRun).value()) {
    for (std::uint32_t j = 0; j < source.clients(); ++j) {
      clients.emplace_back(federation.settings().plan, j, source);
    }
    for (const std::uint32_t j : first) join(j);
    EXPECT_TRUE(federation.can_start(now));
    EXPECT_TRUE(federation.start(now).ok());
  }

  void join(std::uint32_t client) {
    EXPECT_TRUE(federation.join(clients[client].hello(), now).ok());
    EXPECT_TRUE(federation.ready(client, clients[client].ready(), now).ok());
  }

  void join_all() {
    for (std::uint32_t j = 0; j < clients.size(); ++j) join(j);
  }
  AssignmentRecord assignment(std::uint32_t client) {
    return record_of(federation.members()[client].playing, 0, federation.assign(client));
  }
  Verdict send(std::uint32_t client, ReportRecord report) {
    return federation.receive(client, std::move(report), now, why);
  }
  /// All clients but those left out answer, in an order that changes from batch to batch.
  void play_batch(const std::vector<std::uint32_t>& left_out = {}) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t j = 0; j < clients.size(); ++j) {
      const bool out = std::find(left_out.begin(), left_out.end(), j) != left_out.end();
      if (!out && federation.awaits(j)) order.push_back(j);
    }
    Stream stream({9, Purpose::test, 0, static_cast<std::uint32_t>(federation.batch()), 0});
    for (std::size_t k = order.size(); k > 1; --k) {
      std::swap(order[k - 1], order[stream.below(static_cast<std::uint32_t>(k))]);
    }
    for (const std::uint32_t j : order) {
      auto report = clients[j].play(assignment(j));
      ASSERT_TRUE(report);
      ASSERT_EQ(send(j, std::move(*report)), Verdict::accepted) << why;
    }
  }
  void play_to_the_end() {
    while (federation.phase() == Federation::Phase::running) {
      play_batch();
      ASSERT_TRUE(federation.closable(now));
      closed.push_back(federation.close(now));
    }
  }

  Federation federation;
  std::vector<TestClient> clients;
  std::vector<ClosedBatch> closed;
  Time now{};
  std::string why;
};

}  // namespace caucus
