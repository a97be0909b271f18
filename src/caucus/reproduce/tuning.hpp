// Finds the best setting of each of several grids, on repetitions that are not reported. Every
// setting runs on three permutations. The five best of a grid run on twelve more, since a setting
// that fails in one repetition of ten often passes three. Among those within 3% of the best mean
// plus standard deviation the one with the shortest steps is taken, since failures come from steps
// that are too long. With --quick there is one permutation and no second stage.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/reproduce/reproduce.hpp"
#include "caucus/simulation/grid.hpp"

namespace caucus::reproduce {

using Grid = std::vector<GridSetting>;

struct Tuned {
  std::size_t setting = 0;    ///< of the grid
  std::size_t diverging = 0;  ///< the number of settings that diverged
};

/// Returns one result per grid. All grids run together, so that they share the features of a
/// repetition.
Result<std::vector<Tuned>> tune(const Dataset& data, std::span<const Grid> grids,
                                const Options& given, Progress& progress);

/// The repetitions of the first stage, which are not reported.
GridRepetitions tuning_repetitions(const Options& given);

/// Returns the number of examples for tuning one grid, for the progress.
std::size_t tuning_examples(const Dataset& data, const Grid& grid, const Options& given);

}  // namespace caucus::reproduce
