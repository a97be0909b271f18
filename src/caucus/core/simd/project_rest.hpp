// The last columns of a projection if a vector is half a panel. The last panel of 100 columns has
// four, for which half a vector suffices; the rest is padding.
#pragma once

#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/project_block.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

#if defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)

/// Computes the panel at column k and the four columns after it, for which two rows share a vector.
template <std::size_t Rows>
[[gnu::noinline, gnu::flatten]] void project_panel_and_four(Projection& p, std::size_t row,
                                                            std::size_t k) {
  constexpr std::size_t kPairs = (Rows + 1) / 2;
  // The last of an odd number of rows is paired with itself.
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
  static constexpr std::size_t kRows = 4;  // limited by the registers

  template <std::size_t Rows>
  static void project(Projection& p, std::size_t row, std::size_t k, std::size_t) {
    project_panel_and_four<Rows>(p, row, k);
  }
};

/// Uses as many rows as registers allow, since few sums do not keep the CPU busy.
struct HalfPanel {
  static constexpr std::size_t kRows = kProjectedSums;

  template <std::size_t Rows>
  static void project(Projection& p, std::size_t row, std::size_t k, std::size_t end) {
    project_block<Rows, 1>(p, row, k, end);
  }
};

/// The number of columns not left to project_rest(): whole panels, of which the last may be padded.
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

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
