// Unpredictable random numbers for names and secrets. Learning never depends on them.
#pragma once

#include "caucus/federation/records.hpp"
#include "caucus/result.hpp"

namespace caucus {

Result<RunId> random_run();

}  // namespace caucus
