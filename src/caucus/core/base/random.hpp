// Counter-based random numbers: every draw is a pure function of
// (seed, purpose, repetition, round, client, index), so that it depends neither on the number of
// threads nor on the order of clients or the transport. The generator is Philox4x32-10 (Salmon et
// al., SC 2011). The distributions of the standard library are not used, because they differ
// between implementations.
#pragma once

#include <array>
#include <cstddef>
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

/// The identity of a stream of random numbers.
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
  using Block = std::array<std::uint32_t, 4>;

  explicit Stream(const StreamKey& key) : key_(key_of(key)), counter_(counter_of(key)) {}
  /// Constructs a stream whose first block the caller has already computed.
  Stream(const StreamKey& key, const Block& first)
      : key_(key_of(key)), counter_(counter_of(key, 1)), block_(first), used_(0) {}

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
  friend class ClientStreams;
  static std::array<std::uint32_t, 2> key_of(const StreamKey& key) {
    return {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)};
  }
  static Block counter_of(const StreamKey& key, std::uint32_t block = 0) {
    return {block, key.client, key.round,
            (static_cast<std::uint32_t>(key.purpose) << 24) | (key.repetition & 0xFFFFFFU)};
  }

  std::array<std::uint32_t, 2> key_;
  Block counter_;
  Block block_{};
  unsigned used_ = 4;
};

/// The streams of consecutive clients. It computes the first blocks of many streams with one SIMD
/// call; the numbers are those of Stream.
class ClientStreams {
 public:
  explicit ClientStreams(const StreamKey& key) : key_(key) {}

  static constexpr std::uint32_t kTogether = 16;

  Stream of(std::uint32_t round, std::uint32_t client) {
    if (!has(round, client)) begin(round, client);
    const std::size_t s = client - key_.client;
    StreamKey key = key_;
    key.round = round;
    key.client = client;
    return {
        key,
        {words_[s], words_[kTogether + s], words_[2 * kTogether + s], words_[3 * kTogether + s]}};
  }

  [[nodiscard]] bool has(std::uint32_t round, std::uint32_t client) const {
    return begun_ && round == key_.round && client - key_.client < kTogether;
  }
  /// Computes the first blocks of `client` and the next fifteen clients.
  void begin(std::uint32_t round, std::uint32_t client);
  /// The first computed client.
  [[nodiscard]] std::uint32_t first_client() const { return key_.client; }
  /// The w-th words of the sixteen first blocks.
  [[nodiscard]] const std::uint32_t* words(std::size_t w) const {
    return words_.data() + w * kTogether;
  }

 private:
  StreamKey key_;  ///< the key of the first computed stream
  bool begun_ = false;
  std::array<std::uint32_t, 4 * kTogether> words_{};
};

}  // namespace caucus
