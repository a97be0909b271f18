// Counter-based random numbers: every draw is a pure function of
// (seed, purpose, repetition, round, client, index), so that no thread count, client order or
// transport can change it. The generator is Philox4x32-10 (Salmon et al., SC 2011). The standard
// library's distributions are not used: they differ between implementations.
#pragma once

#include <array>
#include <cstdint>

namespace caucus {

/// One application of Philox4x32-10: 128 random bits for a 128-bit counter and a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// What a stream is for. The numbers are part of the reproducibility promise: never renumber.
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

/// The identity of a stream of random numbers.
struct StreamKey {
  std::uint64_t seed = 1;
  Purpose purpose = Purpose::test;
  std::uint32_t repetition = 0;  ///< below 2^24
  std::uint32_t round = 0;
  std::uint32_t client = 0;
};

/// A sequence of random numbers named by its key; cheap to make.
class Stream {
 public:
  explicit Stream(const StreamKey& key);

  std::uint32_t bits();
  std::uint64_t bits64();
  double uniform();                        ///< in [0, 1), 53 bits
  double uniform_open();                   ///< in (0, 1), safe for logarithms
  std::uint32_t below(std::uint32_t n);    ///< uniform on {0, .., n-1}, exactly; n > 0
  double normal();                         ///< standard normal
  double cauchy();                         ///< standard Cauchy
  double laplace();                        ///< density exp(-|x|)/2
  double log_gamma_variate(double shape);  ///< ln of a Gamma(shape, 1) variate; no underflow

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace caucus
