#include "caucus/core/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace caucus {
namespace {

/// The number of letters to insert, delete or replace.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char c : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (c == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string to_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kCompared = 100;  // a word can be as long as a line of a file
  word = word.substr(0, kCompared);
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    // A missing end (linger instead of linger_ms) counts as one mistake, not three.
    const bool begun = word.size() >= 3 && candidate.starts_with(word) && candidate != word;
    const std::size_t distance =
        begun ? 1 : edits(word, std::string_view(candidate).substr(0, kCompared));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace caucus
