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

// Vectors of one register, and the shape of a block: how many sums fit the registers beside the
// columns and the input, how many if the columns are needed once only, and at most so many rows.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
using Projected = Lanes;
constexpr std::size_t kProjectedSums = 20;
constexpr std::size_t kProjectedAlone = 8;
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
    each_input<Rows * Vectors>(inputs, [&](std::size_t l) {
      Projected columns[Vectors];
      repeat<Vectors>([&](std::size_t v) {
        const std::size_t panel = v / kProjectedPanel * kLanes * inputs;
        columns[v] = loaded<Projected>(base + panel + v % kProjectedPanel * kProjectedLanes);
      });
      repeat<Rows>([&](std::size_t r) {
        const auto value = filled<Projected>(x[r][l]);
        repeat<Vectors>(
            [&](std::size_t v) { sums[r][v] = mul_add(value, columns[v], sums[r][v]); });
      });
      base += kLanes;
    });
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

/// work<rows>(row), where rows <= Most.
template <std::size_t Most, class Work>
void with_rows(std::size_t rows, std::size_t row, Work& work) {
  if constexpr (Most > 0) {
    if (rows < Most) return with_rows<Most - 1>(rows, row, work);
    work.template operator()<Most>(row);
  }
}

/// work<rows>(row) for blocks of rows that begin at row, at most Most and about equal.
template <std::size_t Most, class Work>
void in_blocks(std::size_t count, Work work) {
  const std::size_t blocks = (count + Most - 1) / Most;
  if (blocks <= 1) return with_rows<Most>(count, 0, work);  // without a division
  const std::size_t rows = count / blocks;
  const std::size_t larger = count % blocks;
  std::size_t row = 0;
  for (std::size_t b = 0; b < larger; ++b, row += rows + 1) with_rows<Most>(rows + 1, row, work);
  for (std::size_t b = larger; b < blocks; ++b, row += rows) with_rows<Most>(rows, row, work);
}

/// Whole panels from column k to `end` of all rows.
inline void project_panels(Projection& p, std::size_t count, std::size_t k, std::size_t end) {
  in_blocks<kProjectedRows>(count, [&]<std::size_t Rows>(std::size_t row) {
    project_rows<Rows, vectors_for(Rows)>(p, row, k, end);
  });
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

/// The columns that are left to project_rest(): less than a panel, and if these are at most four
/// (100 are six panels and four), the panel before them too.
constexpr std::size_t rest_of(std::size_t columns) {
  const std::size_t rest = columns % kLanes;
  return rest > 0 && rest <= 4 && columns > kLanes ? rest + kLanes : rest;
}

inline void project_rest(Projection& p, std::size_t count, std::size_t k, std::size_t rest) {
  if (rest > kLanes) {
    in_blocks<4>(count, [&]<std::size_t Rows>(std::size_t row) {
      project_panel_and_four<Rows>(p, row, k);
    });
  } else if (rest > 8) {
    project_panels(p, count, k, k + kLanes);
  } else if (rest > 0) {  // few sums do not keep the CPU busy: as many rows as there is room for
    in_blocks<kProjectedSums>(count, [&]<std::size_t Rows>(std::size_t row) {
      project_rows<Rows, 1>(p, row, k, k + 8);
    });
  }
}

#else

constexpr std::size_t rest_of(std::size_t) { return 0; }
inline void project_rest(Projection&, std::size_t, std::size_t, std::size_t) {}

#endif

inline float project(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                     const float* const* x, std::size_t count, float* out) {
  Projection p{base, inputs, width, x, out, filled<Projected>(0.0F)};
  if (count == 1) {
    const std::size_t vectors = (columns + kProjectedLanes - 1) / kProjectedLanes;
    project_rows<1, vectors_for(1)>(p, 0, 0, vectors * kProjectedLanes);
  } else {
    const std::size_t rest = rest_of(columns);
    const std::size_t end = padded(columns - rest);
    project_panels(p, count, 0, end);
    project_rest(p, count, end, rest);
  }
  return largest_lane(p.largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
