// Runs one repetition of one algorithm, with all clients in this process.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>
#include <variant>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/engine/curve_recorder.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/server.hpp"
#include "caucus/engine/simulated_clients.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus {

template <ExampleSource Source>
struct RepetitionInput {
  const Loss& loss;
  const Source& data;
  const RunLength& length;
  UploadRule uploads;
  Dropout dropout;
  ForecastObserver observer;
  std::atomic<std::size_t>& examples_done;
  std::size_t threads = 1;    ///< for the clients of a round
  bool asynchronous = false;  ///< whether clients do not wait for each other
};

/// Examples between two updates of the shared counter, since writing shared memory is slow.
inline constexpr std::size_t kExamplesPerNote = 256;

template <Algorithm A, ExampleSource Source>
RepetitionResult play_repetition(A algorithm, const RepetitionInput<Source>& input) {
  using Clock = std::chrono::steady_clock;
  Telemetry telemetry(input.loss, input.length.clients);
  CurveRecorder recorder;
  const auto start = Clock::now();
  Server<A> server(std::move(algorithm));
  SimulatedClients<A, Source> clients(server, input.data, input.dropout, telemetry, input.observer,
                                      input.threads, input.uploads);
  const auto probabilities = [&] { return server.algorithm().selection(); };
  std::size_t noted = 0;
  std::size_t played = 0;
  double loss = 0.0;
  const auto after_close = [&](std::size_t round, double loss_so_far) {
    played = round;
    loss = loss_so_far;
    recorder.after_batch(round, loss, probabilities);
    if (telemetry.forecasts - noted < kExamplesPerNote) return;
    input.examples_done += telemetry.forecasts - noted;
    noted = telemetry.forecasts;
  };
  if constexpr (kLearnsFromSums<A>) {
    if (input.asynchronous) clients.play_asynchronously(server, after_close);
  }
  for (Batch batch{0, 0, 0}; played < input.length.rounds;) {
    const std::size_t first = batch.last;
    batch = {batch.number + 1, first,
             input.uploads.end_of(first, first + input.uploads.length_after(first),
                                  input.length.rounds)};
    clients.play(server, batch);
    server.close(batch);
    after_close(batch.last, telemetry.loss);
  }
  input.examples_done += telemetry.forecasts - noted;
  recorder.finish(played, loss, probabilities);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  return {std::move(telemetry),
          seconds.count(),
          std::move(recorder.curve),
          server.algorithm().learned(),
          input.length,
          kLearnsFromSums<A>,
          {},
          {}};
}

template <ExampleSource Source>
RepetitionResult play_repetition(AnyAlgorithm algorithm, const RepetitionInput<Source>& input) {
  return std::visit([&](auto& chosen) { return play_repetition(std::move(chosen), input); },
                    algorithm);
}

}  // namespace caucus
