// The projections of several examples onto one base: a matrix product in blocks of some rows and
// some vectors of columns, whose sums stay in registers while the inputs pass. The base lies in
// panels (place_in_base), so that a block reads it from its beginning to its end.
#pragma once

#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"
#include "caucus/core/simd/sincos_kernel.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

// Vectors of one register, and the shape of a block: how many sums have room in the registers beside
// the columns and an input, at most how many rows, and at most how many vectors. One row needs its
// columns once only, so that they take no room.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
using Projected = Lanes;
constexpr std::size_t kProjectedSums = 20;
constexpr std::size_t kProjectedRows = 10;
constexpr std::size_t kProjectedVectors = 8;
#elif defined(__AVX2__) && defined(__FMA__)
using Projected = EightFloats;
constexpr std::size_t kProjectedSums = 12;
constexpr std::size_t kProjectedRows = 6;
constexpr std::size_t kProjectedVectors = 14;
#else
using Projected = Lanes;
constexpr std::size_t kProjectedSums = 2;
constexpr std::size_t kProjectedRows = 2;
constexpr std::size_t kProjectedVectors = 2;
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

/// add(l) for all inputs in order, two per turn where there are registers for it.
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

/// Vectors of Rows rows from `row` on, as many as fit from column k, where a panel begins, to
/// `end`; gives the column where they end. Not inlined: g++ 12 runs out of registers in one large
/// function. Flattened: a call that it leaves in there takes the sums out of their registers.
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
    if constexpr (kPanels > 1) return k + kColumns;  // no registers for the addresses of a loop
  }
  return k;
}

/// Whole panels of the columns from k to `end`, as many at once as there is room for.
struct WholePanels {
  static constexpr std::size_t kRows = kProjectedRows;

  static constexpr std::size_t vectors(std::size_t rows) {
    const std::size_t fit = kProjectedSums / rows / kProjectedPanel * kProjectedPanel;
    return rows == 1 || fit > kProjectedVectors ? kProjectedVectors : fit;
  }
  template <std::size_t Rows, std::size_t Vectors = vectors(Rows)>
  static void project(Projection& p, std::size_t row, std::size_t k, std::size_t end) {
    while (k + Vectors * kProjectedLanes <= end) k = project_block<Rows, Vectors>(p, row, k, end);
    if constexpr (Vectors > 1) {
      if (k < end) project<Rows, Vectors - 1>(p, row, k, end);
    }
  }
};

/// Some columns of so many rows.
template <class Columns, std::size_t Rows = Columns::kRows>
void project_rows(std::size_t rows, Projection& p, std::size_t row, std::size_t k,
                  std::size_t end) {
  if constexpr (Rows > 0) {
    if (rows < Rows) return project_rows<Columns, Rows - 1>(rows, p, row, k, end);
    Columns::template project<Rows>(p, row, k, end);
  }
}

/// Of all rows, in blocks of about equal size.
template <class Columns>
void project_all(Projection& p, std::size_t count, std::size_t k, std::size_t end) {
  const std::size_t blocks = (count + Columns::kRows - 1) / Columns::kRows;
  if (blocks <= 1) return project_rows<Columns>(count, p, 0, k, end);  // without a division
  std::size_t larger = count % blocks;
  std::size_t rows = count / blocks + 1;
  for (std::size_t row = 0; row < count; row += rows) {
    if (larger-- == 0) --rows;
    project_rows<Columns>(rows, p, row, k, end);
  }
}

#if defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)

/// The panel at column k and the four columns behind it, for which two rows share a vector.
template <std::size_t Rows>
[[gnu::noinline, gnu::flatten]] void project_panel_and_four(Projection& p, std::size_t row,
                                                            std::size_t k) {
  constexpr std::size_t kPairs = (Rows + 1) / 2;
  // The last of an odd number of rows makes a pair with itself.
  const auto second = [](std::size_t pair) {
    return 2 * pair + 1 < Rows ? 2 * pair + 1 : 2 * pair;
  };
  const std::size_t width = p.width;
  float* const out = p.out + row * width + k;
  const float* x[Rows];
  repeat<Rows>([&](std::size_t r) { x[r] = p.x[row + r]; });
  EightFloats sums[Rows][2];
  EightFloats fours[kPairs];
  repeat<Rows>([&](std::size_t r) { sums[r][0] = sums[r][1] = eight_floats(0.0F); });
  repeat<kPairs>([&](std::size_t pair) { fours[pair] = eight_floats(0.0F); });
  const float* base = p.base + k * p.inputs;
  const float* behind = base + kLanes * p.inputs;
  each_input<2 * Rows + kPairs>(p.inputs, [&](std::size_t l) {
    const EightFloats columns[2] = {load_eight(base), load_eight(base + 8)};
    const EightFloats four = load_four_twice(behind);
    const auto add = [&](std::size_t r) {
      const EightFloats value = eight_floats(x[r][l]);
      repeat<2>([&](std::size_t v) { sums[r][v] = mul_add(value, columns[v], sums[r][v]); });
      return value;
    };
    repeat<kPairs>([&](std::size_t pair) {
      const EightFloats value = add(2 * pair);
      const EightFloats other = second(pair) > 2 * pair ? add(second(pair)) : value;
      fours[pair] = mul_add(low_and_high(value, other), four, fours[pair]);
    });
    base += kLanes;
    behind += kLanes;
  });
  EightFloats largest = p.largest;
  const auto keep = [&](EightFloats sum) {
    largest = larger_size(largest, sum);
    return sum;
  };
  repeat<Rows>([&](std::size_t r) {
    repeat<2>([&](std::size_t v) { store(out + r * width + v * 8, keep(sums[r][v])); });
  });
  repeat<kPairs>([&](std::size_t pair) {
    float* const rest = out + kLanes;
    store_halves(rest + 2 * pair * width, rest + second(pair) * width, keep(fours[pair]));
  });
  p.largest = largest;
}

struct PanelAndFour {
  static constexpr std::size_t kRows = 4;  // there are no registers for more

  template <std::size_t Rows>
  static void project(Projection& p, std::size_t row, std::size_t k, std::size_t) {
    project_panel_and_four<Rows>(p, row, k);
  }
};

/// Few sums would not keep the CPU busy: as many rows as there is room for.
struct HalfPanel {
  static constexpr std::size_t kRows = kProjectedSums;

  template <std::size_t Rows>
  static void project(Projection& p, std::size_t row, std::size_t k, std::size_t end) {
    project_block<Rows, 1>(p, row, k, end);
  }
};

/// The columns that are not left to project_rest(): whole panels, the last of them perhaps padded.
constexpr std::size_t whole_panels(std::size_t columns) {
  const std::size_t rest = columns % kLanes;
  if (rest == 0 || rest > 8) return padded(columns);
  return columns - rest - (rest <= 4 && columns > kLanes ? kLanes : 0);
}

inline void project_rest(Projection& p, std::size_t count, std::size_t k, std::size_t columns) {
  if (columns > k + kLanes) return project_all<PanelAndFour>(p, count, k, columns);
  if (columns > k) project_all<HalfPanel>(p, count, k, k + 8);
}

#else

constexpr std::size_t whole_panels(std::size_t columns) { return padded(columns); }
inline void project_rest(Projection&, std::size_t, std::size_t, std::size_t) {}

#endif

inline float project(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                     const float* const* x, std::size_t count, float* out) {
  Projection p{base, inputs, width, x, out, filled<Projected>(0.0F)};
  if (count == 1) {
    const std::size_t vectors = (columns + kProjectedLanes - 1) / kProjectedLanes;
    WholePanels::project<1>(p, 0, 0, vectors * kProjectedLanes);
  } else {
    const std::size_t end = whole_panels(columns);
    project_all<WholePanels>(p, count, 0, end);
    project_rest(p, count, end, columns);
  }
  return largest_lane(p.largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
