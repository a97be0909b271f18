// The rounds at which curves are recorded.
#pragma once

#include <cstddef>
#include <vector>

namespace caucus {

/// Increasing, from 1 to `rounds`, about ten per decade.
std::vector<std::size_t> log_spaced_rounds(std::size_t rounds);

}  // namespace caucus
