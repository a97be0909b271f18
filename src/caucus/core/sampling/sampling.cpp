#include "caucus/core/sampling/sampling.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace caucus {

ModelSampler::ModelSampler(std::size_t models, std::size_t sampled)
    : sampled_(sampled), order_(models), drawn_(sampled) {
  assert(sampled >= 1 && sampled <= models && (sampled >= 2 || models == 1));
  std::iota(order_.begin(), order_.end(), 0U);
}

void ModelSampler::shuffle(Stream& stream) {
  const auto K = static_cast<std::uint32_t>(order_.size());
  std::swap(order_[drawn_[0]], order_[K - 1]);
  for (std::uint32_t s = 1; s < sampled_; ++s) {
    const std::uint32_t pick = stream.below(K - s);
    std::swap(order_[pick], order_[K - s - 1]);
    drawn_[s] = order_[K - s - 1];
  }
  // Every moved element is in the tail or at the index of a tail element.
  for (std::uint32_t s = 1; s <= sampled_; ++s) {
    std::uint32_t& slot = order_[K - s];
    while (slot != K - s) std::swap(slot, order_[slot]);
  }
}

void ClientSampler::draw_together(const Simplex& p, std::uint32_t round, std::uint32_t client) {
  streams_.begin(round, client);
  have_pairs_ = true;
  const std::array words = {streams_.words(0), streams_.words(1), streams_.words(2)};
  const simd::FewModels models{p.weights().running_sums(), models_};
  if (simd::kernels().draw_pairs(models, words.data(), pairs_.data())) return;
  // The scalar code gives the same draws.
  for (std::uint32_t c = 0; c < ClientStreams::kTogether; ++c) {
    const auto drawn = sampler_.draw(p, streams_.of(round, client + c));
    pairs_[2 * c] = drawn[0];
    pairs_[2 * c + 1] = drawn[1];
  }
}

}  // namespace caucus
