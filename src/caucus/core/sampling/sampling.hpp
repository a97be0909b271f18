// Draws the J of K models that a client holds (paper, eq. (kernel_selection)): A_1 ~ p, which
// predicts, and A_2..A_J uniformly without replacement from the others, which only observe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

/// P_i = P[i is sampled] = ((K - J) p_i + J - 1) / (K - 1), which is 1 for J = K.
inline double inclusion_probability(double p, std::size_t models, std::size_t sample_size) {
  if (sample_size == models) return 1.0;
  const auto K = static_cast<double>(models);
  const auto J = static_cast<double>(sample_size);
  return ((K - J) * p + (J - 1.0)) / (K - 1.0);
}

/// P_ik, the probability of holding both i and k, for J >= 2.
inline double pair_probability(double p_i, double p_k, std::size_t models,
                               std::size_t sample_size) {
  if (sample_size == models) return 1.0;
  const auto K = static_cast<double>(models);
  const auto J = static_cast<double>(sample_size);
  const double both = p_i + p_k;
  const double observed = (J - 1.0) / (K - 1.0);
  if (sample_size == 2) return both * observed;
  return both * observed + (1.0 - both) * observed * (J - 2.0) / (K - 2.0);
}

/// The weights of the loss difference c_i - c_k of two models that one client held: p_k / P_ik in
/// the estimate for i, and p_i / P_ik in that for k, where
///   P_ik = (p_i + p_k)(J-1)/(K-1) + (1 - p_i - p_k)(J-1)(J-2)/((K-1)(K-2))
/// is the probability of holding both.
struct PairWeights {
  double first = 0.0;   ///< p_i / P_ik
  double second = 0.0;  ///< p_k / P_ik
};
inline PairWeights pair_weights(const Simplex& p, std::size_t i, std::size_t k,
                                std::size_t sample_size) {
  const auto K = static_cast<double>(p.size());
  const auto J = static_cast<double>(sample_size);
  if (sample_size == 2) {
    const std::array pair = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)};
    std::array<double, 2> shares{};
    p.shares(pair, shares);
    return {(K - 1.0) * shares[0], (K - 1.0) * shares[1]};
  }
  const double both = p[i] + p[k];
  const double observed = (J - 1.0) / (K - 1.0);
  const double held = both * observed + (1.0 - both) * observed * (J - 2.0) / (K - 2.0);
  return {p[i] / held, p[k] / held};
}
/// The weights for a pair that was drawn with other probabilities than p, which determine P_ik.
inline PairWeights late_pair_weights(const Simplex& p, std::size_t i, std::size_t k,
                                     std::size_t sample_size, double drawn_with_i,
                                     double drawn_with_k) {
  constexpr double kLeast = 0x1p-53;  // the least probability that a draw can have
  const double held =
      std::max(kLeast, pair_probability(drawn_with_i, drawn_with_k, p.size(), sample_size));
  return {p[i] / held, p[k] / held};
}

class ModelSampler {
 public:
  /// 2 <= J <= K, or J = K = 1.
  ModelSampler(std::size_t models, std::size_t sample_size);

  /// Returns A_1 .. A_J, valid until the next call, in O(log K + J) time. They depend only on p and
  /// on the stream.
  std::span<const std::uint32_t> draw(const Simplex& p, Stream stream) {
    const auto K = static_cast<std::uint32_t>(order_.size());
    const auto first = static_cast<std::uint32_t>(p.find(stream.uniform()));
    drawn_[0] = first;
    if (sample_size_ == K) {  // the others come in their order
      for (std::uint32_t i = 0; i < first; ++i) drawn_[i + 1] = i;
      for (std::uint32_t i = first + 1; i < K; ++i) drawn_[i] = i;
    } else if (sample_size_ == 2) {  // the shuffle has one step
      const std::uint32_t pick = stream.below(K - 1);
      drawn_[1] = pick == first ? K - 1 : pick;
    } else {
      Stream rest = stream;  // a copy lets the compiler keep `stream` in registers
      shuffle(rest);
    }
    return drawn_;
  }

 private:
  /// A partial Fisher-Yates shuffle over all but A_1, undone afterwards.
  void shuffle(Stream& stream);

  std::size_t sample_size_;
  std::vector<std::uint32_t> order_;  ///< 0..K-1, permuted only during a draw
  std::vector<std::uint32_t> drawn_;
};

/// Draws for the clients of a run. It holds only scratch memory, so every thread may have its own.
class ClientSampler {
 public:
  ClientSampler(const StreamKey& key, std::size_t models, std::size_t sample_size)
      : key_(key), sampler_(models, sample_size) {}

  /// Returns A_1 .. A_J of a client in a round, valid until the next call.
  std::span<const std::uint32_t> draw(const Simplex& p, std::uint32_t round, std::uint32_t client) {
    key_.round = round;
    key_.client = client;
    return sampler_.draw(p, Stream(key_));
  }
  /// Writes the J indices of each of `count` consecutive clients to `into`.
  void draw(const Simplex& p, std::uint32_t round, std::uint32_t first_client, std::size_t count,
            std::uint32_t* into) {
    for (std::size_t c = 0; c < count; ++c) {
      const auto drawn = draw(p, round, first_client + static_cast<std::uint32_t>(c));
      for (const std::uint32_t model : drawn) *into++ = model;
    }
  }

 private:
  StreamKey key_;  ///< of the last client
  ModelSampler sampler_;
};

}  // namespace caucus
