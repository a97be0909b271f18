// One repetition of one algorithm: all batches through the local exchange.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/runtime/example_source.hpp"
#include "caucus/runtime/local_exchange.hpp"
#include "caucus/runtime/telemetry.hpp"
#include "caucus/simulation/problem.hpp"

namespace caucus {

struct RepetitionResult {
  Telemetry telemetry;
  double seconds = 0.0;  ///< of the whole loop; reading, shuffling and drawing features are outside
  std::vector<std::vector<double>> probabilities;  ///< p at the rounds of the curve
  LearnedModel learned;
};

struct RepetitionInput {
  const Loss& loss;
  const PartitionedData& data;
  const RunLength& length;
  std::size_t rounds_per_upload = 1;
  Dropout dropout;
  std::span<const std::size_t> curve_rounds;
  ForecastObserver observer;
  std::atomic<std::size_t>& examples_done;
};

RepetitionResult play_repetition(AnyAlgorithm algorithm, const RepetitionInput& input);

}  // namespace caucus
