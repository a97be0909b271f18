// The spaces of experts: columns of a file, or the answers of a program.
#pragma once

#include <string>
#include <vector>

#include "caucus/result.hpp"
#include "caucus/space.hpp"
#include "options/config.hpp"

namespace caucus::cli {

/// Adds a space like `space` for each expert of a group.
Status add_experts(const SpaceGroup& group, Space space, std::vector<Space>& spaces);

/// Names the experts without a name after their columns.
void name_experts(std::vector<Space>& spaces, const std::vector<std::string>& columns);

}  // namespace caucus::cli
