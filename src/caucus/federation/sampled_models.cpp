#include "caucus/federation/sampled_models.hpp"

#include <cmath>

namespace caucus {

SampledSet SampledModels::sample(const Batch& batch, std::uint32_t client, std::uint64_t drawn_in) {
  if (drawn_in != drawn_in_) known_.clear();  // the models have changed
  drawn_in_ = drawn_in;
  const Assignment& assignment = server_->assign(batch, client);
  SampledSet set{batch.number, drawn_in, assignment.examples, {}};
  for (const HeldModel& held : assignment.held) {
    const Known& model = known(held);
    set.models.push_back(
        {held.space, server_->probability(held.space), model.norm, held.share, model.weights});
  }
  return set;
}

const SampledModels::Known& SampledModels::known(const HeldModel& held) {
  const auto [found, is_new] = known_.try_emplace(held.space);
  if (!is_new) return found->second;
  double square = 0.0;
  for (const float w : held.weights) square += static_cast<double>(w) * static_cast<double>(w);
  found->second = {std::sqrt(square), std::make_shared<const std::vector<float>>(
                                          held.weights.begin(), held.weights.end())};
  return found->second;
}

}  // namespace caucus
