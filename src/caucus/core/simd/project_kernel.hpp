// The projections of several examples onto one base: a matrix product in blocks of some rows and
// some vectors of columns, whose sums stay in registers while the inputs pass. The base lies in
// panels (kernel_table.hpp), so that a block reads it from its beginning to its end.
#pragma once

#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"
#include "caucus/core/simd/sincos_kernel.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

// Vectors of one register, and the shape of a block: how many sums fit the registers beside the
// columns and the input, how many if the columns are needed once only, and at most so many rows.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
using Projected = Lanes;
constexpr std::size_t kProjectedSums = 20;
constexpr std::size_t kProjectedAlone = 20;
constexpr std::size_t kProjectedRows = 10;
#elif defined(__AVX2__) && defined(__FMA__)
using Projected = EightFloats;
constexpr std::size_t kProjectedSums = 12;
constexpr std::size_t kProjectedAlone = 14;
constexpr std::size_t kProjectedRows = 6;
#else
using Projected = Lanes;
constexpr std::size_t kProjectedSums = 2;
constexpr std::size_t kProjectedAlone = 2;
constexpr std::size_t kProjectedRows = 2;
#endif
constexpr std::size_t kProjectedLanes = sizeof(Projected) / sizeof(float);
constexpr std::size_t kProjectedPanel = kLanes / kProjectedLanes;  ///< vectors of a panel

struct Projection {
  const float* base;
  std::size_t inputs, width;
  const float* const* x;
  float* out;
  Projected largest;  ///< the magnitude of what was computed so far, in every lane
};

/// Vectors of Rows rows from `row` on, as many as fit from column k, where a panel begins, to `end`;
/// gives the column where they end. Not inlined: g++ 12 runs out of registers in one large function.
/// Flattened: a call that it leaves in there takes the sums out of their registers.
template <std::size_t Rows, std::size_t Vectors>
[[gnu::noinline, gnu::flatten]] std::size_t project_block(Projection& p, std::size_t row,
                                                          std::size_t k, std::size_t end) {
  constexpr std::size_t kColumns = Vectors * kProjectedLanes;
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
    const float* base = p.base + k * inputs;
    const auto add = [&](std::size_t l) {
      Projected columns[Vectors];
      repeat<Vectors>([&](std::size_t v) {
        const std::size_t panel = v / kProjectedPanel * kLanes * inputs;
        columns[v] = loaded<Projected>(base + panel + v % kProjectedPanel * kProjectedLanes);
      });
      repeat<Rows>([&](std::size_t r) {
        const auto value = filled<Projected>(x[r][l]);
        repeat<Vectors>([&](std::size_t v) { sums[r][v] = mul_add(value, columns[v], sums[r][v]); });
      });
      base += kLanes;
    };
    std::size_t l = 0;
    if constexpr (Rows * Vectors + 2 <= kProjectedSums) {  // there are registers for two inputs
      for (; l + 2 <= inputs; l += 2) {
        add(l);
        add(l + 1);
      }
    }
    for (; l < inputs; ++l) add(l);
    Projected largest = p.largest;
    each([&](std::size_t r, std::size_t v) {
      store(out + r * width + k + v * kProjectedLanes, sums[r][v]);
      largest = larger_size(largest, sums[r][v]);
    });
    p.largest = largest;
  }
  return k;
}

/// All columns from k to `end` of Rows rows, at most Vectors vectors at once.
template <std::size_t Rows, std::size_t Vectors>
void project_rows(Projection& p, std::size_t row, std::size_t k, std::size_t end) {
  if (k + Vectors * kProjectedLanes <= end) k = project_block<Rows, Vectors>(p, row, k, end);
  if constexpr (Vectors > 1) {
    if (k < end) project_rows<Rows, Vectors - 1>(p, row, k, end);
  }
}

/// How many vectors of so many rows make a block: whole panels, if there is room for one.
constexpr std::size_t vectors_for(std::size_t rows) {
  const std::size_t fit = rows == 1 ? kProjectedAlone : kProjectedSums / rows;
  return fit < kProjectedPanel ? fit : fit / kProjectedPanel * kProjectedPanel;
}

/// So many rows, at most Rows.
template <std::size_t Rows>
void project_some(std::size_t rows, Projection& p, std::size_t row, std::size_t k,
                  std::size_t end) {
  if constexpr (Rows > 0) {
    if (rows < Rows) return project_some<Rows - 1>(rows, p, row, k, end);
    project_rows<Rows, vectors_for(Rows)>(p, row, k, end);
  }
}

/// All rows, in blocks of at most Rows, about equal.
template <std::size_t Rows>
void project_all(Projection& p, std::size_t count, std::size_t k, std::size_t end) {
  const std::size_t blocks = (count + Rows - 1) / Rows;
  if (blocks <= 1) return project_some<Rows>(count, p, 0, k, end);
  const std::size_t rows = count / blocks;
  const std::size_t larger = count % blocks;
  std::size_t row = 0;
  for (std::size_t b = 0; b < larger; ++b, row += rows + 1) project_some<Rows>(rows + 1, p, row, k, end);
  for (std::size_t b = larger; b < blocks; ++b, row += rows) project_some<Rows>(rows, p, row, k, end);
}

inline float project(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                     const float* const* x, std::size_t count, float* out) {
  Projection p{base, inputs, width, x, out, filled<Projected>(0.0F)};
  const std::size_t end = (columns + kProjectedLanes - 1) / kProjectedLanes * kProjectedLanes;
  if (count == 1) {
    project_rows<1, vectors_for(1)>(p, 0, 0, end);
  } else {
    // A vector that is left over is computed for more rows at once: a few sums would not keep the
    // CPU busy.
    const std::size_t whole = end / kLanes * kLanes;
    project_all<kProjectedRows>(p, count, 0, whole);
    if (whole < end) project_all<kProjectedSums>(p, count, whole, end);
  }
  return largest_lane(p.largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
