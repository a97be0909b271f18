// Examples for tests of simulated clients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

/// Clients with unequal amounts of data, made on the fly. From one round on the target may be
/// mirrored. With classes the target says in which part of its range the first number of x lies.
class TestSource {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  explicit TestSource(std::vector<std::size_t> rounds, std::size_t mirrored_from = kNever,
                      std::size_t classes = 0)
      : rounds_(std::move(rounds)), mirrored_from_(mirrored_from), classes_(classes) {
    for (std::size_t j = 0; j < rounds_.size(); ++j) {
      for (std::size_t t = 0; t < rounds_[j]; ++t) {
        Stream stream(
            {3, Purpose::test, 0, static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(j)});
        auto& x = x_[{j, t}];
        for (int l = 0; l < 4; ++l) x.push_back(static_cast<float>(stream.uniform()));
      }
    }
  }
  [[nodiscard]] std::size_t clients() const { return rounds_.size(); }
  [[nodiscard]] std::size_t rounds(std::size_t client) const { return rounds_[client]; }
  [[nodiscard]] Example example(std::size_t client, std::size_t round) const {
    const auto& x = x_.at({client, round});
    auto y = static_cast<double>(x[0]);
    if (classes_ > 0) y = std::floor(static_cast<double>(classes_) * y * 0.999);
    return {x, round < mirrored_from_ ? y : 1.0 - y};
  }

 private:
  std::vector<std::size_t> rounds_;
  std::size_t mirrored_from_, classes_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> x_;
};

/// Plays all rounds, in batches of `per_batch` rounds.
template <class A, class Clients>
void play_all(Server<A>& server, Clients& clients, std::size_t rounds, std::size_t per_batch) {
  Batch batch{0, 0, 0};
  while (batch.last < rounds) {
    batch = {batch.number + 1, batch.last, std::min(batch.last + per_batch, rounds)};
    clients.play(server, batch);
    server.close(batch);
  }
}

}  // namespace caucus
