// Sixteen models side by side, one in each lane: number l of all of them is a group of 16.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/four_doubles.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// The outputs for so many rows, whose sums fit the registers. Not inlined: g++ 12 runs out of
/// registers in one large function.
template <std::size_t Rows>
[[gnu::noinline]] void lane_outputs_block(const float* w, std::size_t inputs, const float* const* x,
                                          float* out) {
  Lanes sums[Rows];
  const float* rows[Rows];
  repeat<Rows>([&](std::size_t r) {
    sums[r] = fill(0.0F);
    rows[r] = x[r];
  });
#pragma GCC unroll 2
  for (std::size_t l = 0; l < inputs; ++l) {
    const Lanes column = load(w + l * kLanes);
    repeat<Rows>([&](std::size_t r) { sums[r] = mul_add(fill(rows[r][l]), column, sums[r]); });
  }
  repeat<Rows>([&](std::size_t r) { store(out + r * kLanes, sums[r]); });
}

template <std::size_t Rows>
void lane_outputs_of(std::size_t rows, const float* w, std::size_t inputs, const float* const* x,
                     float* out) {
  if constexpr (Rows > 0) {
    if (rows == Rows) return lane_outputs_block<Rows>(w, inputs, x, out);
    lane_outputs_of<Rows - 1>(rows, w, inputs, x, out);
  }
}

/// out[r] = sum over l of x_r[l] * w[l], in order; the rows in blocks of about equal size.
inline void lane_outputs(const float* w, std::size_t inputs, const float* const* x,
                         std::size_t count, float* out) {
  for (std::size_t blocks = (count + kLaneSums - 1) / kLaneSums; blocks > 0; --blocks) {
    const std::size_t rows = (count + blocks - 1) / blocks;
    lane_outputs_of<kLaneSums>(rows, w, inputs, x, out);
    x += rows;
    out += rows * kLanes;
    count -= rows;
  }
}

/// The first eight of sixteen models and those after them, of which the last four may be missing.
template <class Work>
[[gnu::always_inline]] inline void for_models(std::size_t models, Work&& work) {
  if (models <= kBlock + 4) {
    work(Four{});
  } else {
    work(Eight{});
  }
}

template <class Rest>
[[gnu::always_inline]] inline Lanes square_losses_of(const float* outputs, double y) {
  const Eight first = subtract(widened(outputs), eight(y));
  const Rest rest = subtract(widened_as<Rest>(outputs + kBlock), every<Rest>(y));
  return narrowed(multiply(first, first), multiply(rest, rest));
}

/// Losses (v - y)^2 and factors 2 (v - y) of outputs v, as the doubles of SquareLoss round to
/// floats: the losses by way of doubles; the difference of two floats, which is exact in double or
/// next to one of them, is rounded to the same float without. 0 where a model is not held. True if
/// all |y| and all losses are at most `limit`; up to a multiple of 16 there must be some y.
inline bool square_losses(const LaneOutputs& given, float limit, float* factors, float* losses) {
  Lanes largest = fill(0.0F);
  for (std::size_t r = 0; r < given.count; r += kLanes) {
    largest = larger_size(largest, load(given.y + r));
  }
  for_models(given.models, [&]<class Rest>(Rest) {
    for (std::size_t r = 0; r < given.count; ++r) {
      const float* const row = given.outputs + r * kLanes;
      const float target = given.y[r];
      const LaneMask held = lanes_of(given.held[r]);
      const Lanes half = subtract(load(row), fill(target));
      store(factors + r * kLanes, only(held, add(half, half)));
      const Lanes loss = only(held, square_losses_of<Rest>(row, static_cast<double>(target)));
      store(losses + r * kLanes, loss);
      largest = larger_size(largest, loss);
    }
  });
  return all_at_most(largest, fill(limit));
}

/// Groups [l, l + Inputs) of what add_lane_products says; use(i, sum) gets what they are then.
template <std::size_t Inputs, class Use>
[[gnu::always_inline]] inline void lane_products_block(const float* sums, bool fresh, std::size_t l,
                                                       const LaneRows& rows, Use&& use) {
  Lanes some[Inputs];
  repeat<Inputs>(
      [&](std::size_t i) { some[i] = fresh ? fill(0.0F) : load(sums + (l + i) * kLanes); });
#pragma GCC unroll 2
  for (std::size_t r = 0; r < rows.count; ++r) {
    const float* const x = rows.x[r] + l;
    const Lanes row = load(rows.factors + r * kLanes);
    repeat<Inputs>([&](std::size_t i) { some[i] = add(some[i], multiply(fill(x[i]), row)); });
  }
  repeat<Inputs>([&](std::size_t i) { use(l + i, some[i]); });
}

/// sums[l] <- sums[l] + (x_r[l] * factors[r]) for every row r, one after the other, each product
/// rounded; `fresh` sums are 0 before.
inline void add_lane_products(float* sums, bool fresh, std::size_t inputs, const LaneRows& rows) {
  const auto keep = [&](std::size_t l, Lanes sum) { store(sums + l * kLanes, sum); };
  std::size_t l = 0;
  for (; l + 6 <= inputs; l += 6) lane_products_block<6>(sums, fresh, l, rows, keep);
  for (; l < inputs; ++l) lane_products_block<1>(sums, fresh, l, rows, keep);
}

/// out[i] = sums[i] + losses[r][i], one row after the other; `fresh` sums are 0.
inline void add_lane_losses(const double* sums, bool fresh, const LaneRows& rows,
                            std::size_t models, double* out) {
  for_models(models, [&]<class Rest>(Rest) {
    Eight first = fresh ? eight(0.0) : load(sums);
    Rest rest = fresh ? every<Rest>(0.0) : loaded<Rest>(sums + kBlock);
    for (std::size_t r = 0; r < rows.count; ++r) {
      first = add(first, widened(rows.losses + r * kLanes));
      rest = add(rest, widened_as<Rest>(rows.losses + r * kLanes + kBlock));
    }
    store(out, first);
    store(out + kBlock, rest);
  });
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
