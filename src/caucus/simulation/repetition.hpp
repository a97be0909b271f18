// One repetition of one algorithm: all batches through the local exchange.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/runtime/example_source.hpp"
#include "caucus/runtime/local_exchange.hpp"
#include "caucus/runtime/play_round.hpp"
#include "caucus/runtime/telemetry.hpp"
#include "caucus/simulation/problem.hpp"

namespace caucus {

struct RepetitionResult {
  Telemetry telemetry;
  double seconds = 0.0;  ///< of the whole loop; reading, shuffling and drawing features are outside
  std::vector<std::vector<double>> probabilities;  ///< p at the rounds of the curve
  LearnedModel learned;
};

template <ExampleSource Source>
struct RepetitionInput {
  const Loss& loss;
  const Source& data;
  const RunLength& length;
  std::size_t rounds_per_upload = 1;
  Dropout dropout;
  std::span<const std::size_t> curve_rounds;
  ForecastObserver observer;
  std::atomic<std::size_t>& examples_done;
  std::size_t threads = 1;  ///< for the clients of a round
};

/// Records p after the batch in which each of the curve's rounds falls.
class ProbabilityCurve {
 public:
  explicit ProbabilityCurve(std::span<const std::size_t> rounds) : rounds_(rounds) {}

  template <class A>
  void record(const Batch& batch, const A& algorithm) {
    if (next_ == rounds_.size() || rounds_[next_] > batch.last) return;
    const auto p = probabilities_of(algorithm);
    while (next_ < rounds_.size() && rounds_[next_] <= batch.last) {
      values.push_back(p);
      ++next_;
    }
  }

  std::vector<std::vector<double>> values;

 private:
  std::span<const std::size_t> rounds_;
  std::size_t next_ = 0;
};

/// Examples that are played before others are told: what threads share is slow to write.
inline constexpr std::size_t kExamplesPerNote = 256;

template <ExampleSource Source>
RepetitionResult play_repetition(AnyAlgorithm algorithm, const RepetitionInput<Source>& input) {
  using Clock = std::chrono::steady_clock;
  Telemetry telemetry(input.loss, input.length.clients, input.length.rounds);
  ProbabilityCurve curve(input.curve_rounds);
  const auto start = Clock::now();
  std::visit(
      [&](auto& server) {
        using A = std::remove_reference_t<decltype(server)>;
        LocalExchange<A, Source> exchange(server, input.data, input.dropout, telemetry,
                                          input.observer, input.threads);
        auto aggregate = server.new_aggregate();
        Batch batch{0, 0, 0};
        std::size_t played = 0;
        while (batch.last < input.length.rounds) {
          batch = {batch.number + 1, batch.last,
                   std::min(batch.last + input.rounds_per_upload, input.length.rounds)};
          play_round(server, exchange, batch, aggregate);
          curve.record(batch, algorithm);
          if (telemetry.forecasts - played < kExamplesPerNote) continue;
          input.examples_done += telemetry.forecasts - played;
          played = telemetry.forecasts;
        }
        input.examples_done += telemetry.forecasts - played;
      },
      algorithm);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  return {std::move(telemetry), seconds.count(), std::move(curve.values), learned_by(algorithm)};
}

}  // namespace caucus
