// The options of an experiment, with their defaults.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "caucus/data/partition.hpp"
#include "caucus/engine/run_options.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The options that a configuration states in the same form.
struct SimulationOptions {
  std::vector<std::string> algorithms = {"fomd-oms"};
  double dropout = 0.0;
  std::size_t repeats = 1;
  std::size_t threads = 0;  ///< 0 means all cores
  bool regret = false;
};

struct ExperimentOptions : RunOptions, SimulationOptions {
  PartitionSpec partition;
  std::size_t clients = 10;
  bool keep_forecasts = false;  ///< of the first repetition

  /// Checks everything that can be checked without the data.
  [[nodiscard]] Status validate() const;
};

}  // namespace caucus
