// Many settings on the same repetitions: tuning over a grid, or comparing what was tuned. The
// examples of a repetition and their features are made once for all settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "caucus/algorithms/baselines/pof_mkl.hpp"
#include "caucus/core/base/result.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/simulation/experiment.hpp"
#include "caucus/simulation/options.hpp"

namespace caucus {

struct GridSetting {
  std::string label;
  /// Of one algorithm. Settings that are played together agree in seed, clients and partition, and
  /// their spaces in all but radius and constraint.
  ExperimentOptions options;
  PofMklVariant variant = PofMklVariant::correct;  ///< of pof-mkl
};

/// What became of one setting; one value per repetition, NaN where it diverged.
struct GridScore {
  std::size_t diverged = 0;
  std::vector<double> mse, loss, seconds;
  std::vector<double> worst_client;  ///< the largest mean loss of a client
  double upload_bits_per_client_round = 0.0;
  double download_bits_per_client_round = 0.0;
};

/// Which repetitions: the random numbers of a repetition depend on its number alone, so that those
/// to tune on and those to report are kept apart by it.
struct GridRepetitions {
  std::uint32_t first = 0;
  std::size_t count = 1;
};

/// One score per setting. Adds the examples played to progress.done, leaves progress.total alone.
Result<std::vector<GridScore>> play_grid(const Dataset& data, std::span<const GridSetting> settings,
                                         GridRepetitions repetitions, std::size_t threads,
                                         Progress& progress);

/// The examples that play_grid will play, for the progress.
std::size_t grid_examples(const Dataset& data, std::span<const GridSetting> settings,
                          GridRepetitions repetitions);

/// Mean plus `caution` standard deviations of the MSE over the repetitions; infinite if one
/// diverged.
double cautious_mse(const GridScore& score, double caution);

/// The settings of least cautious MSE, the best first, at most `most` of them; one that diverged is
/// out of the question.
std::vector<std::size_t> best_settings(std::span<const GridScore> scores, std::size_t most,
                                       double caution = 0.0);

}  // namespace caucus
