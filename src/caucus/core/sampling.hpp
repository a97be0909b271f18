// Which J of the K models a client gets (paper, eq. (kernel_selection)): A_1 ~ p, which predicts,
// and A_2..A_J uniform without replacement from the rest, which only observe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/random.hpp"

namespace caucus {

/// P_i = P[i is sampled] = ((K - J) p_i + J - 1) / (K - 1), exactly; 1 for J = K.
double inclusion_probability(double p, std::size_t models, std::size_t sampled);

class ModelSampler {
 public:
  /// 2 <= J <= K, or J = K = 1.
  ModelSampler(std::size_t models, std::size_t sampled);

  /// Takes over new probabilities: O(K), once per batch.
  void set(std::span<const double> p);

  /// A_1 .. A_J by O(log K + J) steps. The draw depends on the stream and on p alone.
  void draw(Stream& stream, std::vector<std::uint32_t>& sampled);

 private:
  std::size_t sampled_;
  std::vector<double> cumulative_;
  std::vector<std::uint32_t> order_;  ///< 0..K-1, permuted only during a draw
};

}  // namespace caucus
