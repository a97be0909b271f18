// The mirror step of the weighted entropy (simplex.hpp) where it is a short one.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/exp_kernel.hpp"
#include "caucus/core/simd/kernel_table.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// nu is found in two moves. The first solves sum_i p_i (-t + t^2/2 - t^3/6) = 0 nearly, where t =
/// a_i (c_i + nu) and a_i = rate / C_i. Exponentials at this nu sum to 1 + h; the second move,
/// delta, takes h away, and is so short that a polynomial of fourth degree is e^(-a_i delta) to all
/// digits. False where the step is too long for that: the caller has another way.
inline bool entropy_step(const EntropyStep& s) {
  const Eight rate = eight(s.rate);
  const auto each = [&](auto&& work) {
    for (std::size_t k = 0; k < s.n; k += kBlock) work(k, multiply(rate, load(s.inverse + k)));
  };
  Eight slopes = eight(0.0);
  Eight losses = eight(0.0);
  each([&](std::size_t k, Eight a) {
    const Eight pa = multiply(load(s.p + k), a);
    slopes = add(slopes, pa);
    losses = mul_add(pa, load(s.losses + k), losses);
  });
  const double slope = sum(slopes);
  double nu = -sum(losses) / slope;
  Eight seconds = eight(0.0);
  Eight thirds = eight(0.0);
  Eight bends = eight(0.0);
  each([&](std::size_t k, Eight a) {
    const Eight t = multiply(a, add(load(s.losses + k), eight(nu)));
    const Eight pt = multiply(load(s.p + k), t);
    const Eight second = multiply(pt, t);
    seconds = add(seconds, second);
    thirds = mul_add(second, t, thirds);
    bends = mul_add(pt, a, bends);
  });
  nu += (0.5 * sum(seconds) - sum(thirds) / 6.0) / (slope - sum(bends));

  Eight totals = eight(0.0);
  Eight firsts = eight(0.0);
  seconds = eight(0.0);
  Eight largest = eight(-1e308);
  each([&](std::size_t k, Eight a) {
    const Eight t = multiply(a, add(load(s.losses + k), eight(nu)));
    const Eight moved = subtract(subtract(load(s.log_p + k), eight(s.log_total)), t);
    largest = larger(largest, moved);
    const Eight weight = exponential(larger(moved, eight(-1e308)));
    store(s.moved + k, moved);
    store(s.weights + k, weight);
    const Eight first = multiply(weight, a);
    totals = add(totals, weight);
    firsts = add(firsts, first);
    seconds = mul_add(first, a, seconds);
  });
  if (count_at_most(largest, eight(1.0)) < kBlock) return false;  // beyond what exponential() takes
  double h = sum(totals) - 1.0;
  double first = sum(firsts);
  double second = sum(seconds);
  constexpr int kMostMoves = 4;
  for (int move = 0; move < kMostMoves; ++move) {
    double delta = h / first;
    delta += 0.5 * second / first * delta * delta;
    const double longest = s.rate * s.most_inverse * (delta < 0.0 ? -delta : delta);
    if (!(longest <= 1e-3)) return false;
    totals = eight(0.0);
    firsts = eight(0.0);
    seconds = eight(0.0);
    each([&](std::size_t k, Eight a) {
      const Eight t = multiply(a, eight(-delta));
      Eight e = mul_add(t, eight(1.0 / 24.0), eight(1.0 / 6.0));
      e = mul_add(t, e, eight(0.5));
      e = mul_add(t, e, eight(1.0));
      const Eight old = load(s.weights + k);
      const Eight weight = mul_add(multiply(old, t), e, old);
      store(s.weights + k, weight);
      store(s.moved + k, add(load(s.moved + k), t));
      totals = add(totals, weight);
      firsts = mul_add(weight, a, firsts);
      seconds = mul_add(multiply(weight, a), a, seconds);
    });
    // What the move leaves is of third order.
    if (longest <= 1e-5) return true;
    h = sum(totals) - 1.0;
    first = sum(firsts);
    second = sum(seconds);
    if (h <= s.tolerance && h >= -s.tolerance) return true;
  }
  return false;
}

inline bool move_logs(double* logs, const double* losses, double common, double factor,
                      double limit, std::size_t n, double* weights) {
  Eight most = eight(-1e308);
  for (std::size_t k = 0; k < n; k += kBlock) {
    const Eight moved = add(
        load(logs + k), multiply(eight(factor), subtract(load(losses + k), eight(common))));
    store(logs + k, moved);
    store(weights + k, exponential(larger(moved, eight(-1e308))));
    most = larger(most, moved);
  }
  return count_at_most(most, eight(limit)) == kBlock;
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
