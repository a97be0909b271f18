// The float kernels. They are the one definition of the arithmetic: 16 lanes that are summed in
// order, explicit multiply-adds, no reassociation. A faster path must give the same bits.
#pragma once

#include <cstddef>
#include <span>

namespace caucus {

/// sum_k a_k b_k: lane l sums the k with k mod 16 = l, in order; then the lanes in order, in
/// double.
double dot(std::span<const float> a, std::span<const float> b);

inline double squared_norm(std::span<const float> a) { return dot(a, a); }

/// y_k <- factor * x_k + y_k
void add_scaled(std::span<float> y, float factor, std::span<const float> x);

/// y_k <- y_k + x_k
void add(std::span<float> y, std::span<const float> x);

/// y_k <- factor * y_k
void scale(std::span<float> y, float factor);

/// out_k = sum_l x_l base[l * out.size() + k], over l in order.
void project(std::span<const float> base, std::span<const float> x, std::span<float> out);

/// cosine_k = amplitude * cos(factor * angle_k), sine_k likewise, of the product as a float.
/// Absolute error below 2e-7 of the amplitude; where an angle is beyond 8192 the whole call goes to
/// libm, and a non-finite one counts as 0, so that the features of an absurd example are still
/// finite.
void scaled_sincos(std::span<const float> angle, float factor, float amplitude,
                   std::span<float> cosine, std::span<float> sine);

}  // namespace caucus
