// Runs one repetition of one algorithm.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/engine/curve_recorder.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/local_exchange.hpp"
#include "caucus/engine/play_round.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus {

template <ExampleSource Source>
struct RepetitionInput {
  const Loss& loss;
  const Source& data;
  const RunLength& length;
  std::size_t rounds_per_upload = 1;
  Dropout dropout;
  ForecastObserver observer;
  std::atomic<std::size_t>& examples_done;
  std::size_t threads = 1;  ///< for the clients of a round
};

/// Examples between two updates of the shared counter, since writing shared memory is slow.
inline constexpr std::size_t kExamplesPerNote = 256;

template <ExampleSource Source>
RepetitionResult play_repetition(AnyAlgorithm algorithm, const RepetitionInput<Source>& input) {
  using Clock = std::chrono::steady_clock;
  Telemetry telemetry(input.loss, input.length.clients);
  CurveRecorder recorder;
  const auto probabilities = [&] { return probabilities_of(algorithm); };
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
          recorder.after_batch(batch.last, telemetry.loss, probabilities);
          if (telemetry.forecasts - played < kExamplesPerNote) continue;
          input.examples_done += telemetry.forecasts - played;
          played = telemetry.forecasts;
        }
        input.examples_done += telemetry.forecasts - played;
        recorder.finish(batch.last, telemetry.loss, probabilities);
      },
      algorithm);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  return {std::move(telemetry),
          seconds.count(),
          std::move(recorder.curve),
          learned_by(algorithm),
          0,
          {}};
}

}  // namespace caucus
