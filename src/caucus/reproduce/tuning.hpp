// The best setting of each of several grids, on repetitions that are not reported. Three
// permutations see every setting; twelve more decide between the five best of a grid: one that
// fails in one repetition out of ten often passes three. Of those within 3% of the best mean plus
// standard deviation the one with the shortest steps is taken, since too long ones are what fails.
// A quick look has one permutation and no second stage.
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
  std::size_t diverging = 0;  ///< settings that did
};

/// One for each grid. All are played at once, so that the features of a repetition serve all.
Result<std::vector<Tuned>> tune(const Dataset& data, std::span<const Grid> grids,
                                const ReproduceOptions& given, Progress& progress);

/// The examples that tuning one grid plays, for the progress.
std::size_t tuning_examples(const Dataset& data, const Grid& grid, const ReproduceOptions& given);

}  // namespace caucus::reproduce
