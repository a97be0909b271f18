// The random games behind the two lower bounds (section 5 of the design, the paper's appendix on
// lower bounds). Spaces are the single coordinates: f_i(x) = x_i, K of them. In both proofs every
// client meets the same example in the same round, so the rows are a block of T rows repeated once
// per client; `--partition blocks` hands every client one copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace caucus {

/// Game (i), any algorithm, absolute loss: b_1, .., b_K and y are independent fair coins.
struct FullAdversary {
  void row(std::size_t i, std::span<float> x, float& y) const;

  std::uint64_t seed;
  std::size_t rounds;
};

/// Game (ii), clients alone with J models each, loss 1 - v y: y = 1, and a hidden coordinate h, the
/// same for all clients, is slightly better: P[b_h = 1] = (1 + rho)/2, P[b_i = 1] = (1 - rho)/2 for
/// the others, rho = sqrt(K) / (3 sqrt(J T)).
struct PartialAdversary {
  PartialAdversary(std::uint64_t seed, std::size_t rounds, std::size_t models, std::size_t sample);
  void row(std::size_t i, std::span<float> x, float& y) const;

  std::uint64_t seed;
  std::size_t rounds;
  std::size_t hidden;
  double rho;
};

}  // namespace caucus
