#include "caucus/core/sampling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace caucus {

PairWeights pair_weights(const Simplex& p, std::size_t i, std::size_t k, std::size_t sampled) {
  const auto K = static_cast<double>(p.size());
  const auto J = static_cast<double>(sampled);
  if (sampled == 2) {  // in logarithms: both probabilities may have underflowed
    const double lead = p.log_weight(i) - p.log_weight(k);
    return {(K - 1.0) / (1.0 + std::exp(-lead)), (K - 1.0) / (1.0 + std::exp(lead))};
  }
  const double both = p[i] + p[k];
  const double observed = (J - 1.0) / (K - 1.0);
  const double pair = both * observed + (1.0 - both) * observed * (J - 2.0) / (K - 2.0);
  return {p[i] / pair, p[k] / pair};
}

ModelSampler::ModelSampler(std::size_t models, std::size_t sampled)
    : sampled_(sampled), order_(models), drawn_(sampled) {
  assert(sampled >= 1 && sampled <= models && (sampled >= 2 || models == 1));
  std::iota(order_.begin(), order_.end(), 0U);
}

std::span<const std::uint32_t> ModelSampler::draw(const Simplex& p, Stream& stream) {
  const auto K = static_cast<std::uint32_t>(order_.size());
  const auto first = static_cast<std::uint32_t>(p.find(stream.uniform()));
  std::uint32_t* const drawn = drawn_.data();
  drawn[0] = first;
  if (sampled_ == K) {
    for (std::uint32_t i = 0; i < first; ++i) drawn[i + 1] = i;
    for (std::uint32_t i = first + 1; i < K; ++i) drawn[i] = i;
    return drawn_;
  }
  if (sampled_ == 2) {  // the shuffle below, for one step
    const std::uint32_t pick = stream.below(K - 1);
    drawn[1] = pick == first ? K - 1 : pick;
    return drawn_;
  }
  // A partial Fisher-Yates shuffle over all but A_1, undone afterwards.
  std::swap(order_[first], order_[K - 1]);
  for (std::uint32_t s = 1; s < sampled_; ++s) {
    const std::uint32_t pick = stream.below(K - s);
    std::swap(order_[pick], order_[K - s - 1]);
    drawn[s] = order_[K - s - 1];
  }
  // What moved lies in the tail or where a tail element came from: its own index.
  for (std::uint32_t s = 1; s <= sampled_; ++s) {
    std::uint32_t& slot = order_[K - s];
    while (slot != K - s) std::swap(slot, order_[slot]);
  }
  return drawn_;
}

}  // namespace caucus
