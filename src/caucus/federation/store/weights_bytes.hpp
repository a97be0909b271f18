// The weights of models for which labels may still come, as bytes: each once, however many clients
// got it. Which there are follows from what the members were given, so that only numbers are
// written.
#pragma once

#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/federation/member.hpp"
#include "caucus/federation/sampled_models.hpp"
#include "caucus/result.hpp"

namespace caucus {

void save_weights(const std::vector<Member>& members, StateWriter& into);
/// Into members of the same run that have all but these.
Status restore_weights(StateReader& from, const FeatureMaps& maps, const SampledModels& sampled,
                       std::vector<Member>& members);

}  // namespace caucus
