#include "caucus/core/sampling/sampling.hpp"

#include <cassert>
#include <numeric>
#include <utility>

namespace caucus {

ModelSampler::ModelSampler(std::size_t models, std::size_t sample_size)
    : sample_size_(sample_size), order_(models), drawn_(sample_size) {
  assert(sample_size >= 1 && sample_size <= models && (sample_size >= 2 || models == 1));
  std::iota(order_.begin(), order_.end(), 0U);
}

void ModelSampler::shuffle(Stream& stream) {
  const auto K = static_cast<std::uint32_t>(order_.size());
  std::swap(order_[drawn_[0]], order_[K - 1]);
  for (std::uint32_t s = 1; s < sample_size_; ++s) {
    const std::uint32_t pick = stream.below(K - s);
    std::swap(order_[pick], order_[K - s - 1]);
    drawn_[s] = order_[K - s - 1];
  }
  // Every moved element is in the tail or at the index of a tail element.
  for (std::uint32_t s = 1; s <= sample_size_; ++s) {
    std::uint32_t& slot = order_[K - s];
    while (slot != K - s) std::swap(slot, order_[slot]);
  }
}

}  // namespace caucus
