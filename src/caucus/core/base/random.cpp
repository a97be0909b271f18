#include "caucus/core/base/random.hpp"

#include <cmath>
#include <numbers>

namespace caucus {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53u;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57u;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9u;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85u;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{kMultiplier0} * c[0];
    const std::uint64_t p1 = std::uint64_t{kMultiplier1} * c[2];
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
    k[0] += kWeyl0;
    k[1] += kWeyl1;
  }
  return c;
}

// Box-Muller. The second variate is discarded, so that a stream keeps no variates.
double Stream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform_open()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Stream::cauchy() { return std::tan(std::numbers::pi * (uniform_open() - 0.5)); }

double Stream::laplace() {
  const double u = uniform_open();
  return u < 0.5 ? std::log(2.0 * u) : -std::log(2.0 * (1.0 - u));
}

// Marsaglia and Tsang (2000). A shape below 1 is increased by one and corrected in log space, since
// variates of small shapes are smaller than any double.
double Stream::log_gamma_variate(double shape) {
  if (shape < 1.0) return log_gamma_variate(shape + 1.0) + std::log(uniform_open()) / shape;
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(uniform_open()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::log(d) + std::log(v);
    }
  }
}

}  // namespace caucus
