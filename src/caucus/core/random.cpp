#include "caucus/core/random.hpp"

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

Stream::Stream(const StreamKey& key)
    : key_{low(key.seed), high(key.seed)},
      counter_{0, key.client, key.round,
               (static_cast<std::uint32_t>(key.purpose) << 24) | (key.repetition & 0xFFFFFFu)} {}

std::uint32_t Stream::bits() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t Stream::bits64() {
  const std::uint64_t first = bits();
  return (first << 32) | bits();
}

double Stream::uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

double Stream::uniform_open() { return (static_cast<double>(bits64() >> 12) + 0.5) * 0x1p-52; }

// Lemire's multiply-and-reject: the retry removes the bias of the plain multiplication.
std::uint32_t Stream::below(std::uint32_t n) {
  std::uint64_t product = std::uint64_t{bits()} * n;
  if (low(product) < n) {
    const std::uint32_t threshold = (0u - n) % n;
    while (low(product) < threshold) product = std::uint64_t{bits()} * n;
  }
  return high(product);
}

double Stream::normal() {  // Box-Muller; the second variate is not kept, a stream has no memory
  const double radius = std::sqrt(-2.0 * std::log(uniform_open()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Stream::cauchy() { return std::tan(std::numbers::pi * (uniform_open() - 0.5)); }

double Stream::laplace() {
  const double u = uniform_open();
  return u < 0.5 ? std::log(2.0 * u) : -std::log(2.0 * (1.0 - u));
}

// Marsaglia and Tsang (2000); a shape below 1 is lifted by one and brought back in log space, since
// the variates of small shapes are smaller than any double.
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
