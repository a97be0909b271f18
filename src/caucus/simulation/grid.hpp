// Runs many settings on the same repetitions, for tuning over a grid or for comparing tuned
// settings. The examples of a repetition and their features are computed once for all settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "caucus/algorithms/baselines/pof_mkl.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/experiment.hpp"
#include "caucus/simulation/options.hpp"

namespace caucus {

struct GridSetting {
  std::string label;
  /// Options with one algorithm. All settings of a grid have the same seed, clients and partition,
  /// and their spaces differ only in radius and constraint.
  ExperimentOptions options;
  PofMklVariant variant = PofMklVariant::correct;  ///< for pof-mkl
};

/// The result of one setting: one value per repetition, NaN if it diverged.
struct GridScore {
  std::size_t diverged = 0;
  std::vector<double> mse, loss, seconds;
  std::vector<double> worst_client;  ///< the largest mean loss of a client
  double upload_bits_per_client_round = 0.0;
  double download_bits_per_client_round = 0.0;
};

/// A range of repetitions. The random numbers of a repetition depend only on its number, so
/// disjoint ranges separate tuning from reporting.
struct GridRepetitions {
  std::uint32_t first = 0;
  std::size_t count = 1;
};

/// Returns one score per setting. Adds the processed examples to progress.done; progress.total is
/// not changed.
Result<std::vector<GridScore>> play_grid(const Dataset& data, std::span<const GridSetting> settings,
                                         GridRepetitions repetitions, std::size_t threads,
                                         Progress& progress);

/// Returns the number of examples that play_grid() processes, for progress.total.
std::size_t grid_examples(const Dataset& data, std::span<const GridSetting> settings,
                          GridRepetitions repetitions);

/// Returns the mean plus `caution` standard deviations of the MSE over the repetitions, or infinity
/// if one diverged.
double cautious_mse(const GridScore& score, double caution);

/// Returns at most `most` settings with the least cautious MSE, the best first, without those that
/// diverged.
std::vector<std::size_t> best_settings(std::span<const GridScore> scores, std::size_t most,
                                       double caution = 0.0);

}  // namespace caucus
