// An experiment compares algorithms on the same data, order and seeds over repetitions.
#pragma once

#include <atomic>
#include <cstddef>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/options.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus {

/// The progress of an experiment, which another thread may read: examples processed, and in total.
struct Progress {
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> total{0};
};

Result<ExperimentResult> run_experiment(const Dataset& data, const ExperimentOptions& options,
                                        Progress& progress);

}  // namespace caucus
