// Formats numbers and counts, and suggests corrections of misspelt words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caucus {

/// Returns the shortest text that reads back as the same value.
std::string to_text(double value);

/// Returns "1 row", "2 rows" and so on.
std::string counted(std::size_t count, std::string_view thing);

/// Returns the candidate with the fewest edits, if they are few enough for a misspelling.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace caucus
