#include "caucus/federation/store/weights_bytes.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace caucus {
namespace {

/// By batch and space, which is the order of the bytes too.
using WeightsOfBatches = std::map<std::pair<std::uint64_t, std::uint32_t>, SharedWeights>;

/// work(batch, model) for all that members were given.
template <class Members, class Work>
void each_model(Members& members, Work&& work) {
  for (auto& member : members) {
    for (auto& set : member.sampled) {
      for (auto& model : set.models) work(set.batch, model);
    }
  }
}

}  // namespace

void save_weights(const std::vector<Member>& members, StateWriter& into) {
  WeightsOfBatches all;
  each_model(members, [&](std::uint64_t batch, const SampledModel& model) {
    if (model.weights) all.emplace(std::pair(batch, model.space), model.weights);
  });
  into.u64(all.size());
  for (const auto& [place, weights] : all) into.numbers(*weights);
}

Status restore_weights(StateReader& from, const FeatureMaps& maps, const SampledModels& sampled,
                       std::vector<Member>& members) {
  WeightsOfBatches all;
  each_model(members, [&](std::uint64_t batch, const SampledModel& model) {
    if (model.space >= maps.size()) {
      (void)from.refuse("a client was given a model that does not exist");
    } else if (sampled.remembers_weights(model.space)) {
      all.emplace(std::pair(batch, model.space), nullptr);
    }
  });
  if (from.u64() != all.size()) return from.refuse("has the weights of other models");
  for (auto& [place, weights] : all) {
    std::vector<float> read(maps.dimension(place.second));
    from.numbers(read);
    if (!all_finite(read)) return from.refuse("weights that are not finite");
    weights = std::make_shared<const std::vector<float>>(std::move(read));
  }
  CAUCUS_CHECK(from.status());
  each_model(members, [&](std::uint64_t batch, SampledModel& model) {
    if (sampled.remembers_weights(model.space)) {
      model.weights = all.at(std::pair(batch, model.space));
    }
  });
  return Done{};
}

}  // namespace caucus
