// Blocks of a projection: some rows times some vectors of columns. Their sums stay in registers
// during the loop over the inputs.
#pragma once

#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

// Vectors of one register, and the shape of a block: the number of sums that fit the registers
// beside the columns and an input, the most rows, and the most vectors. A single row uses its
// columns only once, so that they need no registers.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
using Projected = Lanes;
inline constexpr std::size_t kProjectedSums = 20;
inline constexpr std::size_t kProjectedRows = 10;
inline constexpr std::size_t kProjectedVectors = 8;
#elif defined(__AVX2__) && defined(__FMA__)
using Projected = EightFloats;
inline constexpr std::size_t kProjectedSums = 12;
inline constexpr std::size_t kProjectedRows = 6;
inline constexpr std::size_t kProjectedVectors = 14;
#else
using Projected = Lanes;
inline constexpr std::size_t kProjectedSums = 2;
inline constexpr std::size_t kProjectedRows = 2;
inline constexpr std::size_t kProjectedVectors = 2;
#endif
inline constexpr std::size_t kProjectedLanes = sizeof(Projected) / sizeof(float);
inline constexpr std::size_t kProjectedPanel = kLanes / kProjectedLanes;  ///< vectors in a panel

/// The arguments of project(), and the magnitude of the results so far in every lane.
struct Projection {
  const float* base;
  std::size_t inputs, width;
  const float* const* x;
  float* out;
  Projected largest;
};

/// Calls add(l) for all inputs in order, two per iteration if there are enough registers.
template <std::size_t Sums, class Add>
void each_input(std::size_t inputs, Add add) {
  std::size_t l = 0;
  if constexpr (Sums + 2 <= kProjectedSums) {
    for (; l + 2 <= inputs; l += 2) {
      add(l);
      add(l + 1);
    }
  }
  for (; l < inputs; ++l) add(l);
}

/// Computes as many vectors of Rows rows from `row` on as fit between column k, where a panel
/// begins, and `end`; returns the column after them. The function is not inlined, because g++ 12
/// runs out of registers in one large function, and it is flattened, because a call in it would
/// move the sums to memory.
template <std::size_t Rows, std::size_t Vectors>
[[gnu::noinline, gnu::flatten]] std::size_t project_block(Projection& p, std::size_t row,
                                                          std::size_t k, std::size_t end) {
  constexpr std::size_t kColumns = Vectors * kProjectedLanes;
  constexpr std::size_t kPanels = (Vectors + kProjectedPanel - 1) / kProjectedPanel;
  const std::size_t inputs = p.inputs;
  const std::size_t width = p.width;
  float* const out = p.out + row * width;
  const float* x[Rows];
  repeat<Rows>([&](std::size_t r) { x[r] = p.x[row + r]; });
  for (; k + kColumns <= end; k += kColumns) {
    Projected sums[Rows][Vectors];
    const auto each = [](auto&& work) {
      repeat<Rows>([&](std::size_t r) { repeat<Vectors>([&](std::size_t v) { work(r, v); }); });
    };
    each([&](std::size_t r, std::size_t v) { sums[r][v] = filled<Projected>(0.0F); });
    const float* panels[kPanels];
    repeat<kPanels>([&](std::size_t i) { panels[i] = p.base + (k + i * kLanes) * inputs; });
    each_input<Rows * Vectors>(inputs, [&](std::size_t l) {
      Projected columns[Vectors];
      repeat<Vectors>([&](std::size_t v) {
        const float* const panel = panels[v / kProjectedPanel] + l * kLanes;
        columns[v] = loaded<Projected>(panel + v % kProjectedPanel * kProjectedLanes);
      });
      repeat<Rows>([&](std::size_t r) {
        const auto value = filled<Projected>(x[r][l]);
        repeat<Vectors>(
            [&](std::size_t v) { sums[r][v] = mul_add(value, columns[v], sums[r][v]); });
      });
    });
    Projected largest = p.largest;
    each([&](std::size_t r, std::size_t v) {
      store(out + r * width + k + v * kProjectedLanes, sums[r][v]);
      largest = larger_size(largest, sums[r][v]);
    });
    p.largest = largest;
    if constexpr (kPanels > 1)
      return k + kColumns;  // there are no registers for the addresses of a loop
  }
  return k;
}

/// Calls Columns::project<rows>, which computes some of the columns for at most kRows rows.
template <class Columns, std::size_t Rows = Columns::kRows>
void project_rows(std::size_t rows, Projection& p, std::size_t row, std::size_t k,
                  std::size_t end) {
  if constexpr (Rows > 0) {
    if (rows < Rows) return project_rows<Columns, Rows - 1>(rows, p, row, k, end);
    Columns::template project<Rows>(p, row, k, end);
  }
}

/// Calls project_rows() for all rows, in blocks of about equal size.
template <class Columns>
void project_all(Projection& p, std::size_t count, std::size_t k, std::size_t end) {
  const std::size_t blocks = (count + Columns::kRows - 1) / Columns::kRows;
  if (blocks <= 1) return project_rows<Columns>(count, p, 0, k, end);  // avoids a division
  const std::size_t rows = count / blocks;
  const std::size_t larger = count % blocks;  // the number of blocks with one more row
  std::size_t row = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t more = block < larger ? 1 : 0;
    project_rows<Columns>(rows + more, p, row, k, end);
    row += rows + more;
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
