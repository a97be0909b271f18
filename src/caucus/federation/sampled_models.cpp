#include "caucus/federation/sampled_models.hpp"

#include <cmath>
#include <memory>

namespace caucus {

constexpr double kNotComputed = -1.0;

SampledModels::SampledModels(AnyServer& server, bool late_labels)
    : server_(&server),
      late_labels_(late_labels),
      norms_(server.plan().maps.size(), kNotComputed) {}

SampledSet SampledModels::sample(std::uint64_t batch, std::uint32_t client) {
  SampledSet set{batch, {}};
  for (const HeldModel& held : server_->assign(batch, client).held) {
    set.models.push_back({held.space, server_->probability(held.space),
                          norm_of(held.space, held.weights),
                          shared(batch, held.space, held.weights)});
  }
  return set;
}

void SampledModels::change(std::span<const std::uint32_t> spaces) {
  for (const std::uint32_t space : spaces) norms_[space] = kNotComputed;
}

double SampledModels::norm_of(std::uint32_t space, std::span<const float> weights) {
  if (norms_[space] == kNotComputed) {
    double square = 0.0;
    for (const float w : weights) square += static_cast<double>(w) * static_cast<double>(w);
    norms_[space] = std::sqrt(square);
  }
  return norms_[space];
}

SharedWeights SampledModels::shared(std::uint64_t batch, std::uint32_t space,
                                    std::span<const float> weights) {
  if (!remembers_weights()) return nullptr;
  if (shared_in_ != batch) shared_.clear();
  shared_in_ = batch;
  SharedWeights& one = shared_[space];
  if (!one) one = std::make_shared<const std::vector<float>>(weights.begin(), weights.end());
  return one;
}

}  // namespace caucus
