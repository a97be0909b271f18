// Counter-based random numbers: every draw is a pure function of
// (seed, purpose, repetition, round, client, index), so that it depends neither on the number of
// threads nor on the order of clients or the transport. The generator is Philox4x32-10 (Salmon et
// al., SC 2011). The distributions of the standard library are not used, because they differ
// between implementations.
#pragma once

#include <array>
#include <cstdint>

namespace caucus {

/// One application of Philox4x32-10: 128 random bits for a 128-bit counter and a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// The purpose of a stream. The numbers determine the results and must never change.
enum class Purpose : std::uint32_t {
  sampling = 1,   ///< the J models of a client in a round
  features = 2,   ///< frequencies of random features; round = base, client = feature
  shuffle = 3,    ///< permutation of the rows
  partition = 4,  ///< heterogeneous split to clients
  dropout = 5,    ///< lost reports
  generator = 6,  ///< synthetic data; round = row
  problem = 7,    ///< hidden parameters of a synthetic problem
  test = 8,
  client = 9,  ///< draws that a client makes for itself
};

struct StreamKey {
  std::uint64_t seed = 1;
  Purpose purpose = Purpose::test;
  std::uint32_t repetition = 0;  ///< below 2^24
  std::uint32_t round = 0;
  std::uint32_t client = 0;
};

/// A sequence of random numbers that its key determines. It is cheap to construct.
class Stream {
 public:
  explicit Stream(const StreamKey& key)
      : key_{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)},
        counter_{0, key.client, key.round,
                 (static_cast<std::uint32_t>(key.purpose) << 24) | (key.repetition & 0xFFFFFFU)} {}

  std::uint32_t bits() {
    if (used_ == 4) {
      block_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  std::uint64_t bits64() {
    const std::uint64_t first = bits();
    return (first << 32) | bits();
  }
  /// Uniform in [0, 1), with 53 bits.
  double uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }
  /// Uniform in (0, 1), so that its logarithm is finite.
  double uniform_open() { return (static_cast<double>(bits64() >> 12) + 0.5) * 0x1p-52; }
  /// Exactly uniform on {0, .., n-1} for n > 0, by Lemire's method: rejections remove the bias of
  /// the plain multiplication.
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = std::uint64_t{bits()} * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint32_t threshold = (0U - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{bits()} * n;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  double normal();                         ///< standard normal
  double cauchy();                         ///< standard Cauchy
  double laplace();                        ///< density exp(-|x|)/2
  double log_gamma_variate(double shape);  ///< ln of a Gamma(shape, 1) variate

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace caucus
