// The clients of a simulation: their examples, the observer of their predictions, and which
// reports are lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/core/statistics/upload_rule.hpp"
#include "caucus/engine/asked_experts.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/telemetry.hpp"

namespace caucus {

/// Loses each report with the same probability. The same reports are lost for every algorithm.
struct Dropout {
  double probability = 0.0;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;

  [[nodiscard]] bool loses(std::uint32_t batch, std::uint32_t client) const {
    return probability > 0.0 &&
           Stream({seed, Purpose::dropout, repetition, batch, client}).uniform() < probability;
  }
};

/// Called for every prediction with client, round and output.
using ForecastObserver = std::function<void(std::size_t, std::size_t, double)>;

/// The shared part of all ways of playing the clients.
template <class Source>
struct Clients {
  const Source* source = nullptr;
  UploadRule uploads;
  Dropout dropout;
  Telemetry* telemetry = nullptr;
  ForecastObserver observer;
  /// If given, the losses of all clients in each round are added to it.
  std::vector<double>* loss_of_round = nullptr;

  /// Calls play(client, last round) for the clients of [first, end) with data in this batch.
  template <class Play>
  void each(const Batch& batch, std::size_t first, std::size_t end, Play&& play) const {
    for (std::size_t client = first; client < end; ++client) {
      const std::size_t last = uploads.end_of(batch.first, batch.last, source->rounds(client));
      if (batch.first < last) play(static_cast<std::uint32_t>(client), last);
    }
  }
  /// Prefetches the examples that `count` clients from `first` on will play in a round, and in the
  /// next one if there are no more clients, since they are anywhere in memory. It is always
  /// inlined: g++ drops calls of a function that does nothing but prefetch.
  [[gnu::always_inline]] void fetch(std::size_t first, std::size_t count, std::size_t round) const {
    if constexpr (requires { source->prefetch(first, round); }) {
      const std::size_t clients = source->clients();
      if constexpr (requires { source->rows_of(round); }) {
        // The usual case, all clients of a round, takes a short loop.
        const auto table = source->rows_of(round + 1);
        if (first == clients && count <= clients && table.rows != nullptr) {
          for (std::size_t c = 0; c < count; ++c) table.prefetch(table[c]);
          return;
        }
      }
      for (; count > 0; --count, ++first) {
        if (first >= clients) {
          first -= clients;
          ++round;
        }
        source->prefetch(first, round);
      }
    }
  }
  /// Returns whether experts are asked for each example.
  [[nodiscard]] bool asks() const {
    if constexpr (requires { source->asks(); }) {
      return source->asks();
    } else {
      return false;
    }
  }
  /// Asks the experts that are held for their forecasts of an example, where experts are asked.
  template <class Assignment>
  void ask(const Assignment& assignment, std::size_t client, std::size_t round) const {
    if constexpr (requires { source->asks(); }) {
      if (!source->asks()) return;
      if constexpr (std::is_same_v<Assignment, caucus::Assignment>) {
        source->ask(spaces_of(assignment), client, round);
      } else {
        source->ask_all(client, round);  // a baseline, whose clients hold all models
      }
    }
  }
  void ask_spaces(std::span<const std::uint32_t> spaces, std::size_t client,
                  std::size_t round) const {
    if constexpr (requires { source->asks(); }) {
      if (source->asks()) source->ask(spaces, client, round);
    }
  }
  /// Returns whether a client's batch may end before this round, since the examples after it are
  /// enough for another one.
  [[nodiscard]] bool may_end(std::size_t client, std::size_t round) const {
    const std::size_t rounds = source->rounds(client);
    return round < rounds && uploads.sends(rounds - round);
  }
  void record(std::span<const PlayedExample> given) {
    telemetry->record(given);
    if (loss_of_round != nullptr) {
      for (const PlayedExample& one : given) {
        (*loss_of_round)[one.round] += telemetry->loss_of(one);
      }
    }
    if (!observer) return;
    for (const PlayedExample& one : given) observer(one.client, one.round, one.output);
  }
  template <class A>
  [[nodiscard]] bool loses(const Batch& batch, std::uint32_t client) const {
    return A::kCooperative && dropout.loses(batch.number, client);
  }
};

}  // namespace caucus
