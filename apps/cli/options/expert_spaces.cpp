#include "options/expert_spaces.hpp"

#include <algorithm>

#include "caucus/data/columns.hpp"
#include "options/values.hpp"

namespace caucus::cli {
namespace {

/// A program gets these names in a field of a line, separated by spaces.
Status check_expert_names(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->empty() || name->find_first_of(" \t\r\n,;\"") != std::string::npos) {
      return usage_error("expert_names", "'" + *name + "' is not valid",
                         "expected names without spaces, commas and quotes");
    }
    if (std::find(names.begin(), name, *name) != name) {
      return usage_error("expert_names", "'" + *name + "' is named twice",
                         "expected one name for each expert");
    }
  }
  return Done{};
}

}  // namespace

Status add_experts(const SpaceGroup& group, Space space, std::vector<Space>& spaces) {
  const std::size_t first = spaces.size();
  for (const std::string& word : group.columns) {
    const auto range = column_range(word);
    const bool is_number = parse_count(word).ok();
    const bool is_name = !range && !is_number && word != "first" && word != "last";
    space.title = is_name ? word : "";
    const std::size_t count = range ? range->second - range->first + 1 : 1;
    for (std::size_t k = 0; k < count; ++k, ++space.expert) spaces.push_back(space);
  }
  if (group.names.empty()) return Done{};
  if (group.columns.empty()) {
    CAUCUS_CHECK(check_expert_names(group.names));
    for (; space.expert < group.names.size(); ++space.expert) spaces.push_back(space);
  }
  const std::size_t experts = spaces.size() - first;
  if (experts != group.names.size()) {
    return usage_error(
        "expert_names", std::to_string(group.names.size()) + " names",
        "expected " + std::to_string(experts) + ", one for each column of an expert");
  }
  for (std::size_t k = 0; k < experts; ++k) spaces[first + k].title = group.names[k];
  return Done{};
}

void name_experts(std::vector<Space>& spaces, const std::vector<std::string>& columns) {
  for (Space& space : spaces) {
    const bool is_expert = space.kind == SpaceKind::expert && space.title.empty();
    if (is_expert && space.expert < columns.size()) space.title = columns[space.expert];
  }
}

}  // namespace caucus::cli
