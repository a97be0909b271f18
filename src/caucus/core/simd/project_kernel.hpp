// Projects several examples onto one base: a matrix product in blocks. The base is stored in panels
// (see place_in_base), so that a block reads it in order.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/project_block.hpp"
#include "caucus/core/simd/project_rest.hpp"
#include "caucus/core/simd/sincos_kernel.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Computes the columns from k, where a panel begins, to `end`, as many at once as registers allow.
struct Panels {
  static constexpr std::size_t kRows = kProjectedRows;

  static constexpr std::size_t vectors(std::size_t rows) {
    const std::size_t fit = kProjectedSums / rows / kProjectedPanel * kProjectedPanel;
    return rows == 1 || fit > kProjectedVectors ? kProjectedVectors : fit;
  }
  template <std::size_t Rows, std::size_t Vectors = vectors(Rows)>
  static void project(Projection& p, std::size_t row, std::size_t k, std::size_t end) {
    while (k + Vectors * kProjectedLanes <= end) k = project_block<Rows, Vectors>(p, row, k, end);
    if constexpr (Vectors > 1) {
      constexpr std::size_t kHalf = Vectors / 2;  // halving keeps the number of comparisons small
      if (k == end) return;
      if (k + kHalf * kProjectedLanes >= end) return project<Rows, kHalf>(p, row, k, end);
      project<Rows, Vectors - 1>(p, row, k, end);
    }
  }
};

inline float project(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                     const float* const* x, std::size_t count,
                     float* out) {  // NOLINT(readability-non-const-parameter): p writes there
  Projection p{base, inputs, width, x, out, filled<Projected>(0.0F)};
  if (count == 1) {  // as many columns at once as possible
    const std::size_t vectors = (columns + kProjectedLanes - 1) / kProjectedLanes;
    Panels::project<1>(p, 0, 0, vectors * kProjectedLanes);
  } else {
    const std::size_t end = whole_panels(columns);
    project_all<Panels>(p, count, 0, end);
    project_rest(p, count, end, columns);
  }
  return largest_lane(p.largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
