// Unpredictable random numbers for names and secrets. Learning never depends on them.
#pragma once

#include "caucus/core/base/result.hpp"
#include "caucus/federation/records.hpp"

namespace caucus {

Result<RunId> random_run();

}  // namespace caucus
