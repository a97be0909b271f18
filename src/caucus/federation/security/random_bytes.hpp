// Random numbers that nobody can guess, for names and secrets; what is learned never depends on
// them.
#pragma once

#include "caucus/core/base/result.hpp"
#include "caucus/federation/records.hpp"

namespace caucus {

Result<RunId> random_run();

}  // namespace caucus
