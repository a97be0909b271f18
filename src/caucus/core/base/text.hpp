// Numbers and counts as text, and guesses at misspelt words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caucus {

/// The shortest form that reads back to the same value.
std::string to_text(double value);

/// "1 row", "2 rows"
std::string counted(std::size_t count, std::string_view thing);

/// The candidate that is fewest edits away, if that is few enough to be a misspelling of it.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace caucus
