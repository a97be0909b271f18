// The weights of models for which labels may still come, as bytes: each once, however many clients
// got it. Which there are follows from what the members were given, so that only numbers are
// written.
#pragma once

#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/federation/learner.hpp"
#include "caucus/federation/member.hpp"
#include "caucus/result.hpp"

namespace caucus {

void save_weights(const std::vector<Member>& members, StateWriter& into);
/// Into members that have all but these, for a learner of the same run.
Status restore_weights(StateReader& from, const Learner& learner, std::vector<Member>& members);

}  // namespace caucus
