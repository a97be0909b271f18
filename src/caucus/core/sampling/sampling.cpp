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
  // What moved lies in the tail or where a tail element came from: its own index.
  for (std::uint32_t s = 1; s <= sampled_; ++s) {
    std::uint32_t& slot = order_[K - s];
    while (slot != K - s) std::swap(slot, order_[slot]);
  }
}

void ClientSampler::draw_together(const Simplex& p, std::uint32_t round, std::uint32_t client) {
  streams_.begin(round, client);
  have_pairs_ = true;
  if (simd::kernels().draw_pairs(few(p), words(round, client).data(), pairs_.data())) return;
  for (std::uint32_t c = 0; c < ClientStreams::kTogether; ++c) {  // the slow way gives the same
    const auto drawn = sampler_.draw(p, streams_.of(round, client + c));
    pairs_[2 * c] = drawn[0];
    pairs_[2 * c + 1] = drawn[1];
  }
}

void ClientSampler::draw_sets(const Simplex& p, std::uint32_t round, std::uint32_t first_client,
                              std::size_t count, std::size_t clients, std::uint32_t* first,
                              std::uint32_t* sets) {
  if (models_ == 1) {  // there is no choice
    std::fill_n(first, count, 0U);
    std::fill_n(sets, count, 1U);
    return;
  }
  have_pairs_ = false;
  while (count > 0) {
    if (!streams_.has(round, first_client)) {
      if (clients <= ClientStreams::kTogether) {
        streams_.begin_rounds(round, static_cast<std::uint32_t>(clients));
      } else {
        streams_.begin(round, first_client);
      }
    }
    const std::size_t some = std::min<std::size_t>(count, streams_.left_of_round(first_client));
    draw_some_sets(p, round, first_client, some, first, sets);
    first_client += static_cast<std::uint32_t>(some);
    first += some;
    sets += some;
    count -= some;
  }
}

void ClientSampler::draw_some_sets(const Simplex& p, std::uint32_t round,
                                   std::uint32_t first_client, std::size_t count,
                                   std::uint32_t* first, std::uint32_t* sets) {
  if (together_ &&
      simd::kernels().draw_sets(few(p), words(round, first_client).data(), first, sets)) {
    return;
  }
  for (std::size_t c = 0; c < count; ++c) {
    const auto client = first_client + static_cast<std::uint32_t>(c);
    const auto drawn = sampler_.draw(p, streams_.of(round, client));
    first[c] = drawn[0];
    sets[c] = 0;
    for (const std::uint32_t i : drawn) sets[c] |= 1U << i;
  }
}

}  // namespace caucus
