// The random games behind the two lower bounds of the paper's appendix. The K spaces are the single
// coordinates: f_i(x) = x_i. In both proofs every client sees the same example in the same round,
// so the rows are a block of T rows repeated once per client; `--partition blocks` gives every
// client one copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace caucus {

/// Game (i), for any algorithm and the absolute loss: b_1, .., b_K and y are independent fair
/// coins.
struct FullAdversary {
  void row(std::size_t i, std::span<float> x, float& y) const;

  std::uint64_t seed;
  std::size_t rounds;
};

/// Game (ii), for noncooperative clients with J models each and the loss 1 - v y. The target y is
/// always 1, and one hidden coordinate h, the same for all clients, is slightly better than the
/// others: P[b_h = 1] = (1 + rho)/2 and P[b_i = 1] = (1 - rho)/2 for i != h, where
/// rho = sqrt(K) / (3 sqrt(J T)).
struct PartialAdversary {
  PartialAdversary(std::uint64_t seed, std::size_t rounds, std::size_t models, std::size_t sample);
  void row(std::size_t i, std::span<float> x, float& y) const;

  std::uint64_t seed;
  std::size_t rounds;
  std::size_t hidden;
  double rho;
};

}  // namespace caucus
