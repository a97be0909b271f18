// The float kernels. They define the arithmetic: 16 lanes, explicit multiply-adds (fused if the CPU
// supports it), sums in a fixed order, no reassociation. Every faster path must give the same bits.
// simd/ implements them for each instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "caucus/core/simd/kernels.hpp"

namespace caucus {

/// sum_k a_k b_k. At most 64 numbers are summed in order, as a float. With more numbers lane l sums
/// the k with k mod 16 = l in order; then, in double, lanes l and l + 8 are added, then l and l +
/// 4, and so on.
inline double dot(std::span<const float> a, std::span<const float> b) {
  return simd::kernels().dot(a.data(), b.data(), a.size());
}

/// Computes dot() for several pairs of vectors of n numbers.
inline void dots(std::span<const float* const> a, std::span<const float* const> b, std::size_t n,
                 std::span<double> out) {
  simd::kernels().dots(a.data(), b.data(), n, a.size(), out.data());
}

inline double squared_norm(std::span<const float> a) { return dot(a, a); }

/// y_k <- factor * x_k + y_k, rounded once if the CPU has fused multiply-adds
inline void add_scaled(std::span<float> y, float factor, std::span<const float> x) {
  simd::kernels().add_scaled(y.data(), factor, x.data(), y.size());
}

/// y_k <- y_k + (factor * x_k), the product rounded to a float first
inline void add_product(std::span<float> y, float factor, std::span<const float> x) {
  const simd::Term term{x.data(), factor};
  simd::kernels().add_products(y.data(), &term, 1, y.size());
}

/// out_k <- 0 + (factor * x_k)
inline void write_product(std::span<float> out, float factor, std::span<const float> x) {
  std::fill(out.begin(), out.end(), 0.0F);
  add_product(out, factor, x);
}

/// Calls add_product() for each term in order.
inline void add_products(std::span<float> y, std::span<const simd::Term> terms) {
  simd::kernels().add_products(y.data(), terms.data(), terms.size(), y.size());
}

/// y_k <- y_k + factor * x_k; the product of two floats is exact in double
inline void add_exact_product(std::span<double> y, float factor, std::span<const float> x) {
  const auto exact = static_cast<double>(factor);
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += exact * static_cast<double>(x[k]);
}

/// out_k = share * the sum of the products, added in order as add_exact_product() does, then
/// rounded to a float
inline void sum_exact_products(std::span<const simd::Term> terms, double share,
                               std::span<float> out) {
  std::array<double, 128> sums{};
  for (std::size_t begin = 0; begin < out.size(); begin += sums.size()) {
    const auto some = std::span(sums).first(std::min(sums.size(), out.size() - begin));
    std::fill(some.begin(), some.end(), 0.0);
    for (const auto& [x, factor] : terms) add_exact_product(some, factor, {x + begin, some.size()});
    for (std::size_t k = 0; k < some.size(); ++k) {
      out[begin + k] = static_cast<float>(some[k] * share);
    }
  }
}

/// y_k <- y_k + x_k
inline void add(std::span<float> y, std::span<const float> x) { add_product(y, 1.0F, x); }

/// y_k <- factor * y_k
inline void scale(std::span<float> y, float factor) {
  simd::kernels().scale(y.data(), factor, y.size());
}

/// out <- 0 + terms[0] + terms[1] + .. as add_products() does. Returns squared_norm(out), and
/// stores that of each product in `squares`.
inline double sum_and_measure(std::span<const simd::Term> terms, std::span<float> out,
                              std::span<double> squares) {
  std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    squares[j] = simd::kernels().add_and_measure(out.data(), terms[j], out.size());
  }
  return squared_norm(out);
}

/// Projects several vectors x of `inputs` numbers: row r of out is
///   out_k = sum_l x_l base[l][k], over l in order,
/// for at least the first `columns` and at most `width` k, where width is a multiple of 16.
/// simd::place_in_base gives the position of base[l][k]. A row does not depend on the others.
/// Returns the magnitude of all numbers written.
inline float project(std::span<const float> base, std::size_t inputs, std::size_t width,
                     std::size_t columns, std::span<const float* const> x, std::span<float> out) {
  return simd::kernels().project(base.data(), inputs, width, columns, x.data(), x.size(),
                                 out.data());
}

/// Returns the largest |x_k|, or NaN if any x_k is NaN.
inline float magnitude(std::span<const float> x) {
  return simd::kernels().magnitude(x.data(), x.size());
}

/// |u_k| must be smaller than this, where neighbouring floats are half a turn apart.
inline constexpr float kLargestPhase = 4194304.0F;  // 2^22

/// Computes amplitude * cos(pi u_k) and amplitude * sin(pi u_k), n of each, in blocks of sixteen
/// cosines and their sixteen sines; the last block may be shorter. Here u_k = factor * x_k (rounded
/// to a float if the CPU has no fused multiply-add), and |u_k| is below kLargestPhase. The absolute
/// error is below 8e-7 of the amplitude. The values for 2 u_k, 4 u_k and 8 u_k, up to `levels`, are
/// computed from these, with errors below 2e-6, 4e-6 and 8e-6.
inline void scaled_sincos(std::span<const simd::Wave> waves, std::size_t levels, float amplitude,
                          std::size_t n) {
  simd::kernels().sincos(waves.data(), waves.size(), levels, amplitude, n);
}

/// out_k = e^(x_k - shift) for x_k <= shift, or 0 if that is below e^-708. Returns their sum.
/// Errors are at most two units in the last place.
inline double exponentials(std::span<const double> x, double shift, std::span<double> out) {
  return simd::kernels().exponentials(x.data(), shift, x.size(), out.data());
}

}  // namespace caucus
