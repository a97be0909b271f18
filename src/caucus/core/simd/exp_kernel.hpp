// Exponentials of many doubles.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

// With n the integer nearest to x / ln 2 and r = x - n ln 2, |r| < 0.35, e^x = 2^n e^r; the Taylor
// polynomial of degree 13 is exact there to 1e-17.
inline Eight exponential(Eight x) {
  const Eight magic = eight(0x1.8p52);  // adding it rounds to the nearest integer
  const Eight count = mul_add(x, eight(1.4426950408889634), magic);
  const Eight n = count - magic;
  Eight r = mul_add(n, eight(-0x1.62e42fefap-1),
                    x);  // ln 2 in two parts, of which the first has few bits
  r = mul_add(n, eight(-0x1.cf79abc9e3b3ap-40), r);
  // Odd and even powers are separate: two short chains of multiply-adds instead of a long one.
  const Eight s = r * r;
  Eight odd = eight(1.0 / 6227020800.0);
  Eight even = eight(1.0 / 479001600.0);
  const double odds[] = {1.0 / 39916800.0, 1.0 / 362880.0, 1.0 / 5040.0,
                         1.0 / 120.0,      1.0 / 6.0,      1.0};
  const double evens[] = {1.0 / 3628800.0, 1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 0.5, 1.0};
  for (int i = 0; i < 6; ++i) {
    odd = mul_add(s, odd, eight(odds[i]));
    even = mul_add(s, even, eight(evens[i]));
  }
  const Eight sum = mul_add(r, odd, even);
  return zero_below(x, eight(-708.0), times_power_of_two(sum, count));
}

/// Computes e^(x_k - shift) for x_k <= shift, or 0 below e^-708, and returns their sum.
inline double exponentials(const double* x, double shift, std::size_t n, double* out) {
  const Eight least = eight(-1e308);
  const Eight offset = eight(-shift);
  Eight total = eight(0.0);
  std::size_t k = 0;
  for (; k + kBlock <= n; k += kBlock) {
    const Eight value = exponential(larger(load(x + k) + offset, least));
    store(out + k, value);
    total = total + value;
  }
  if (k < n) {
    double some[kBlock];
    for (std::size_t l = 0; l < kBlock; ++l) some[l] = k + l < n ? x[k + l] - shift : -1e308;
    const Eight value = exponential(larger(load(some), least));
    store(some, value);
    total = total + value;
    for (std::size_t l = 0; k + l < n; ++l) out[k + l] = some[l];
  }
  return sum(total);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
