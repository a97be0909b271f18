// Sums over examples of the maps of features: S = sum of v v' with v = (y, z).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Sums over examples of one map.
struct MapSums {
  SymmetricMatrix sums;   ///< of rows (y, z), up to the last coordinate that was reported
  double examples = 0.0;  ///< their number; with forgetting, their weight
  double solved = 0.0;    ///< `examples` when the models were computed
};

/// The sums of the reports of one batch.
struct BatchMapSums {
  std::vector<MapSums> of_map;
  std::vector<std::uint32_t> touched;  ///< maps with reports

  void add(std::size_t map, std::span<const float> triangle, double factor, double examples) {
    MapSums& all = of_map[map];
    if (all.examples == 0.0) touched.push_back(static_cast<std::uint32_t>(map));
    const std::size_t rows = triangle_rows(triangle.size());
    all.examples += factor * examples;
    all.sums.grow(rows);
    all.sums.add_triangle(rows, triangle, factor);
  }
  void clear() {
    for (const std::uint32_t map : touched) {
      of_map[map].sums.reset(0);
      of_map[map].examples = 0.0;
    }
    touched.clear();
  }
};

/// Multiplies the sums of the touched maps by `kept` and adds those of a batch.
void add_batch(const BatchMapSums& batch, double kept, std::vector<MapSums>& into);

void save_sums(const std::vector<MapSums>& sums, StateWriter& to);
/// `dimensions` has the largest number of coordinates of each map, `targets` that of targets.
Status restore_sums(StateReader& from, std::span<const std::size_t> dimensions, std::size_t targets,
                    std::vector<MapSums>& into);

}  // namespace caucus
