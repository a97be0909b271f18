// Projects several examples onto one base: a matrix product in blocks of some rows times some
// vectors of columns, whose sums stay in registers during the loop over the inputs. The base is
// stored in panels (see place_in_base), so that a block reads it in order.
#pragma once

#include "caucus/core/simd/float_kernels.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

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
inline constexpr std::size_t kProjectedLanes = Projected::kSize;
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

/// Computes all columns of Rows rows, as many at once as registers allow.
template <std::size_t Rows, std::size_t Vectors>
void project_columns(Projection& p, std::size_t row, std::size_t k, std::size_t end) {
  while (k + Vectors * kProjectedLanes <= end) k = project_block<Rows, Vectors>(p, row, k, end);
  if constexpr (Vectors > 1) {
    constexpr std::size_t kHalf = Vectors / 2;  // halving keeps the number of comparisons small
    if (k == end) return;
    if (k + kHalf * kProjectedLanes >= end) return project_columns<Rows, kHalf>(p, row, k, end);
    project_columns<Rows, Vectors - 1>(p, row, k, end);
  }
}

constexpr std::size_t vectors_of(std::size_t rows) {
  const std::size_t fit = kProjectedSums / rows / kProjectedPanel * kProjectedPanel;
  return rows == 1 || fit > kProjectedVectors ? kProjectedVectors : fit;
}

template <std::size_t Rows = kProjectedRows>
void project_rows(std::size_t rows, Projection& p, std::size_t row, std::size_t end) {
  if constexpr (Rows > 0) {
    if (rows < Rows) return project_rows<Rows - 1>(rows, p, row, end);
    project_columns<Rows, vectors_of(Rows)>(p, row, 0, end);
  }
}

inline float project(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                     const float* const* x, std::size_t count,
                     float* out) {  // NOLINT(readability-non-const-parameter): p writes there
  Projection p{base, inputs, width, x, out, filled<Projected>(0.0F)};
  const std::size_t end = (columns + kProjectedLanes - 1) / kProjectedLanes * kProjectedLanes;
  // All blocks have about the same number of rows.
  for (std::size_t row = 0; row < count;) {
    const std::size_t blocks = (count - row + kProjectedRows - 1) / kProjectedRows;
    const std::size_t rows = blocks == 1 ? count - row : (count - row + blocks - 1) / blocks;
    project_rows(rows, p, row, end);
    row += rows;
  }
  return largest_lane(p.largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
