// Plays that are interrupted by saving and restoring the server.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/algorithms/test_play.hpp"

namespace caucus::conformance {

/// Linear models, kernels and an expert, in balls and boxes.
inline Problem mixed_problem() {
  Problem problem;
  problem.spaces.push_back({.kind = SpaceKind::linear,
                            .radius = std::numeric_limits<double>::infinity(),
                            .intercept = true});
  problem.spaces.push_back(
      {.kind = SpaceKind::linear, .radius = 0.7, .constraint = Constraint::box});
  problem.spaces.push_back(
      {.kind = SpaceKind::expert, .function = [](std::span<const float> x) { return x[0]; }});
  problem.rounds = 60;
  return problem;
}

/// How a problem is played.
struct Play {
  std::size_t per_batch = 1;
  double dropout = 0.0;
  std::size_t last_client_leaves_after = 1000;  ///< batches
};

inline std::vector<std::uint32_t> reporting(const Problem& problem, const Play& play,
                                            std::uint32_t batch) {
  std::vector<std::uint32_t> clients;
  Stream lost({5, Purpose::dropout, 0, batch, 0});
  for (std::uint32_t j = 0; j < problem.clients; ++j) {
    const bool left = j + 1 == problem.clients && batch > play.last_client_leaves_after;
    if (lost.uniform() >= play.dropout && !left) clients.push_back(j);
  }
  return clients;
}

/// Everything that can be seen from outside, while batches are played.
struct Seen {
  std::vector<double> numbers;
  std::vector<std::uint32_t> held;
  bool operator==(const Seen&) const = default;
};

/// Plays the batches after `first` up to the last one.
template <class Server>
Seen go_on(Server& server, const Problem& problem, const Play& how, std::uint32_t first,
           std::uint32_t last) {
  Seen seen;
  Clients<Server> clients(problem);
  for (std::uint32_t r = first + 1; r <= last; ++r) {
    const Batch batch{r, (r - 1) * how.per_batch, r * how.per_batch};
    Assignment assignment;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      server.assign(batch, j, assignment);
      for (const HeldModel& model : assignment.held) {
        seen.held.push_back(model.space);
        seen.numbers.push_back(model.share);
      }
    }
    play(server, problem, batch, reporting(problem, how, r), clients);
    for (std::size_t i = 0; i < problem.spaces.size(); ++i) {
      seen.numbers.push_back(server.probabilities()[i]);
      for (const float w : server.weights(i)) seen.numbers.push_back(static_cast<double>(w));
    }
  }
  seen.numbers.insert(seen.numbers.end(), clients.forecasts.begin(), clients.forecasts.end());
  return seen;
}

template <class Server>
Status restore(Server& server, std::string_view bytes) {
  StateReader reader(bytes);
  CAUCUS_CHECK(server.restore(reader));
  return reader.done();
}

template <class Make>
void expect_exact(const Problem& problem, const Play& how, Make&& make) {
  const auto batches = static_cast<std::uint32_t>(problem.rounds / how.per_batch);
  for (const std::uint32_t k : {0U, 1U, 6U, batches / 2, batches - 1}) {
    auto whole = make();
    go_on(whole, problem, how, 0, k);
    const std::string bytes = saved(whole);
    auto restored = make();
    const Status status = restore(restored, bytes);
    ASSERT_TRUE(status.ok()) << k << ": " << status.error().line();
    EXPECT_EQ(saved(restored), bytes) << k;
    EXPECT_EQ(go_on(whole, problem, how, k, batches), go_on(restored, problem, how, k, batches))
        << k;
    EXPECT_EQ(saved(restored), saved(whole)) << k;
    EXPECT_NE(saved(whole), bytes) << "nothing was learned";
  }
}

/// Checks that saved bytes are refused if they are cut off anywhere. With a byte changed they may
/// still be a valid state; then saving it gives these bytes, and the server can go on.
template <class Make>
void expect_no_harm(const Problem& problem, Make&& make) {
  auto server = make();
  go_on(server, problem, {}, 0, 9);
  const std::string bytes = saved(server);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    auto cut = make();
    ASSERT_FALSE(restore(cut, std::string_view(bytes).substr(0, length)).ok()) << length;
  }
  auto longer = make();
  EXPECT_FALSE(restore(longer, bytes + '\0').ok());
  std::size_t refused = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[k] = static_cast<char>(changed[k] ^ change);
      auto other = make();
      if (!restore(other, changed).ok()) {
        ++refused;
        continue;
      }
      ASSERT_EQ(saved(other), changed) << k;
      if (change != 0xFF) continue;
      for (const double number : go_on(other, problem, {}, 9, 11).numbers) {
        ASSERT_FALSE(std::isnan(number)) << k;
      }
    }
    ASSERT_FALSE(
        unsealed(sealed(bytes).replace(k, 1, 1, static_cast<char>(bytes[k] + 1)), "").ok());
  }
  EXPECT_GT(refused, bytes.size() / 20);
}

inline Problem tiny_problem() {
  Problem problem;
  problem.inputs = 2;
  problem.clients = 3;
  problem.spaces = {Space{.radius = 0.5}, Space{.kind = SpaceKind::gaussian, .features = 1},
                    Space{.kind = SpaceKind::linear, .constraint = Constraint::box}};
  return problem;
}

}  // namespace caucus::conformance
