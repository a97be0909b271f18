// An experiment compares algorithms on the same data, order and seeds over repetitions.
#pragma once

#include <atomic>
#include <cstddef>

#include "caucus/data/dataset.hpp"
#include "caucus/engine/asked_experts.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/options.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus {

/// The progress of an experiment, which another thread may read: examples processed, and in total.
struct Progress {
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> total{0};
};

/// `experts` are those that are asked for their forecasts of the rows, if there are any.
Result<ExperimentResult> run_experiment(const Dataset& data, const ExperimentOptions& options,
                                        Progress& progress, AskedRows* experts = nullptr);

}  // namespace caucus
