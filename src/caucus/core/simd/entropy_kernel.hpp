// Short mirror steps of the weighted entropy (see simplex.hpp).
#pragma once

#include "caucus/core/simd/exp_kernel.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// nu is found in two moves. The first approximately solves sum_i p_i (-t + t^2/2 - t^3/6) = 0,
/// where t = a_i (c_i + nu) and a_i = rate / C_i. The exponentials at this nu sum to 1 + h. The
/// second move, delta, removes h; it is so short that a polynomial of fourth degree gives e^(-a_i
/// delta) to all digits.
class EntropyMove {
 public:
  explicit EntropyMove(const EntropyStep& step) : s_(step) {}

  /// Computes nu to first order.
  void guess() {
    Eight slopes = eight(0.0);
    Eight losses = eight(0.0);
    each([&](std::size_t k, Eight a) {
      const Eight pa = load(s_.p + k) * a;
      slopes = slopes + pa;
      losses = mul_add(pa, load(s_.losses + k), losses);
    });
    slope_ = sum(slopes);
    nu_ = -sum(losses) / slope_;
  }
  /// Computes nu to third order.
  void bend() {
    Eight seconds = eight(0.0);
    Eight thirds = eight(0.0);
    Eight bends = eight(0.0);
    each([&](std::size_t k, Eight a) {
      const Eight t = a * (load(s_.losses + k) + eight(nu_));
      const Eight pt = load(s_.p + k) * t;
      const Eight second = pt * t;
      seconds = seconds + second;
      thirds = mul_add(second, t, thirds);
      bends = mul_add(pt, a, bends);
    });
    nu_ += (0.5 * sum(seconds) - sum(thirds) / 6.0) / (slope_ - sum(bends));
  }
  /// Computes the weights at this nu.
  void weigh() {
    Eight totals = eight(0.0);
    Eight firsts = eight(0.0);
    Eight seconds = eight(0.0);
    Eight largest = eight(-1e308);
    each([&](std::size_t k, Eight a) {
      const Eight t = a * (load(s_.losses + k) + eight(nu_));
      const Eight moved = load(s_.log_p + k) - eight(s_.log_total) - t;
      largest = larger(largest, moved);
      const Eight weight = exponential(larger(moved, eight(-1e308)));
      store(s_.moved + k, moved);
      store(s_.weights + k, weight);
      const Eight first = weight * a;
      totals = totals + weight;
      firsts = firsts + first;
      seconds = mul_add(first, a, seconds);
    });
    measure(totals, firsts, seconds);
    in_range_ = all_at_most(largest, 1.0);  // the range of exponential()
  }
  /// Makes the weights sum to 1. Returns false if the step is too long for this method.
  bool settle() {
    if (!in_range_) return false;
    constexpr int kMostMoves = 4;
    for (int move = 0; move < kMostMoves; ++move) {
      double delta = h_ / first_;
      delta += 0.5 * second_ / first_ * delta * delta;
      const double longest = s_.rate * s_.most_inverse * (delta < 0.0 ? -delta : delta);
      if (!(longest <= 1e-3)) return false;
      each([&](std::size_t k, Eight a) {
        const Eight t = a * eight(-delta);
        Eight e = mul_add(t, eight(1.0 / 24.0), eight(1.0 / 6.0));
        e = mul_add(t, e, eight(0.5));
        e = mul_add(t, e, eight(1.0));
        const Eight old = load(s_.weights + k);
        store(s_.weights + k, mul_add(old * t, e, old));
        store(s_.moved + k, load(s_.moved + k) + t);
      });
      if (longest <= 1e-5) return true;  // the remaining error is of third order
      measure_again();
      if (h_ <= s_.tolerance && h_ >= -s_.tolerance) return true;
    }
    return false;
  }

 private:
  /// Calls work(k, the vector of a_k and the following).
  template <class Work>
  [[gnu::always_inline]] void each(Work&& work) const {
    for (std::size_t k = 0; k < s_.n; k += kBlock) work(k, eight(s_.rate) * load(s_.inverse + k));
  }
  void measure(Eight totals, Eight firsts, Eight seconds) {
    h_ = sum(totals) - 1.0;
    first_ = sum(firsts);
    second_ = sum(seconds);
  }
  void measure_again() {
    Eight totals = eight(0.0);
    Eight firsts = eight(0.0);
    Eight seconds = eight(0.0);
    each([&](std::size_t k, Eight a) {
      const Eight weight = load(s_.weights + k);
      totals = totals + weight;
      firsts = mul_add(weight, a, firsts);
      seconds = mul_add(weight * a, a, seconds);
    });
    measure(totals, firsts, seconds);
  }

  const EntropyStep& s_;
  double slope_ = 0.0;
  double nu_ = 0.0;
  double h_ = 0.0, first_ = 0.0, second_ = 0.0;  ///< sum w_i - 1, sum w_i a_i and sum w_i a_i^2
  bool in_range_ = true;
};

inline bool entropy_step(const EntropyStep& step) {
  EntropyMove move(step);
  move.guess();
  move.bend();
  move.weigh();
  return move.settle();
}

inline bool move_logs(double* logs, const double* losses, double common, double factor,
                      double limit, std::size_t n, double* weights) {
  Eight most = eight(-1e308);
  for (std::size_t k = 0; k < n; k += kBlock) {
    const Eight moved = load(logs + k) + eight(factor) * (load(losses + k) - eight(common));
    store(logs + k, moved);
    store(weights + k, exponential(larger(moved, eight(-1e308))));
    most = larger(most, moved);
  }
  return all_at_most(most, limit);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
