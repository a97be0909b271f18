// An experiment: algorithms compared on the same data, order and seeds, over repetitions.
#pragma once

#include <atomic>
#include <cstddef>

#include "caucus/core/base/result.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/simulation/options.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus {

/// How far an experiment is, for whoever watches: examples played, of how many.
struct Progress {
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> total{0};
};

Result<ExperimentResult> run_experiment(const Dataset& data, const ExperimentOptions& options,
                                        Progress& progress);

}  // namespace caucus
