#include "caucus/data/adversaries.hpp"

#include <cmath>

#include "caucus/data/files/row_stream.hpp"

namespace caucus {

void FullAdversary::row(std::size_t i, std::span<float> x, float& y) const {
  Stream stream = row_stream(seed, i % rounds);
  for (float& coin : x) coin = stream.below(2) == 0 ? 0.0f : 1.0f;
  y = stream.below(2) == 0 ? 0.0f : 1.0f;
}

PartialAdversary::PartialAdversary(std::uint64_t seed_, std::size_t rounds_, std::size_t models,
                                   std::size_t sample)
    : seed(seed_),
      rounds(rounds_),
      hidden(Stream({seed_, Purpose::problem}).below(static_cast<std::uint32_t>(models))),
      rho(std::sqrt(static_cast<double>(models)) /
          (3.0 * std::sqrt(static_cast<double>(sample) * static_cast<double>(rounds_)))) {}

void PartialAdversary::row(std::size_t i, std::span<float> x, float& y) const {
  Stream stream = row_stream(seed, i % rounds);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double chance = k == hidden ? (1.0 + rho) / 2.0 : (1.0 - rho) / 2.0;
    x[k] = stream.uniform() < chance ? 1.0f : 0.0f;
  }
  y = 1.0f;
}

}  // namespace caucus
