#include "caucus/core/vector.hpp"

#include <cmath>
#include <cstdint>

namespace caucus {
namespace {

constexpr std::size_t kLanes = 16;

/// a * b + c: fused where the target has the instruction, so that every caller rounds alike.
inline float mul_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// Beyond this the three-part reduction below loses digits.
constexpr float kLargestAngle = 8192.0F;

}  // namespace

double dot(std::span<const float> a, std::span<const float> b) {
  float lanes[kLanes] = {};
  const std::size_t n = a.size();
  const std::size_t whole = n - n % kLanes;
  for (std::size_t k = 0; k < whole; k += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = mul_add(a[k + l], b[k + l], lanes[l]);
  }
  for (std::size_t k = whole; k < n; ++k) lanes[k - whole] = mul_add(a[k], b[k], lanes[k - whole]);
  double sum = 0.0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

void add_scaled(std::span<float> y, float factor, std::span<const float> x) {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = mul_add(factor, x[k], y[k]);
}

void add(std::span<float> y, std::span<const float> x) {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += x[k];
}

void scale(std::span<float> y, float factor) {
  for (float& value : y) value *= factor;
}

void project(std::span<const float> base, std::span<const float> x, std::span<float> out) {
  for (float& value : out) value = 0.0F;
  const std::size_t n = out.size();
  for (std::size_t l = 0; l < x.size(); ++l) add_scaled(out, x[l], base.subspan(l * n, n));
}

// Reduce to [-pi/4, pi/4] by the nearest multiple j of pi/2 (pi/2 in three parts, so that j times a
// part is exact), evaluate both minimax polynomials, and let j mod 4 choose and sign them.
void scaled_sincos(std::span<const float> angle, float factor, float amplitude,
                   std::span<float> cosine, std::span<float> sine) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
  bool reducible = true;
  for (const float a : angle) {
    reducible = reducible && std::abs(a * factor) <= kLargestAngle;  // false for NaN too
  }
  if (!reducible) {
    for (std::size_t k = 0; k < angle.size(); ++k) {
      const float product = angle[k] * factor;
      const float x = std::isfinite(product) ? product : 0.0F;
      cosine[k] = amplitude * std::cos(x);
      sine[k] = amplitude * std::sin(x);
    }
    return;
  }
  for (std::size_t k = 0; k < angle.size(); ++k) {
    const float x = angle[k] * factor;
    const float rounded = mul_add(x, 0.636619772F, kRound);
    const float j = rounded - kRound;
    const auto quadrant = static_cast<std::int32_t>(j);
    float r = mul_add(j, -1.5703125F, x);
    r = mul_add(j, -4.837512969970703125e-4F, r);
    r = mul_add(j, -7.54978995489188216e-8F, r);
    const float s = r * r;
    float p = mul_add(s, -1.9515295891e-4F, 8.3321608736e-3F);
    p = mul_add(s, p, -1.6666654611e-1F);
    const float sin_r = mul_add(r * s, p, r);
    float q = mul_add(s, 2.443315711809948e-5F, -1.388731625493765e-3F);
    q = mul_add(s, q, 4.166664568298827e-2F);
    const float cos_r = mul_add(s * s, q, mul_add(s, -0.5F, 1.0F));
    const bool swap = (quadrant & 1) != 0;
    const float sine_sign = (quadrant & 2) != 0 ? -amplitude : amplitude;
    const float cosine_sign = ((quadrant + 1) & 2) != 0 ? -amplitude : amplitude;
    cosine[k] = cosine_sign * (swap ? sin_r : cos_r);
    sine[k] = sine_sign * (swap ? cos_r : sin_r);
  }
}

}  // namespace caucus
