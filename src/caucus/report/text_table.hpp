// Tables whose cells are texts, and the texts of numbers in them.
#pragma once

#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace caucus::report {

inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

/// Columns of words are left-aligned, numbers right-aligned.
struct TextTable {
  /// The first column holds words, and so does the last one if `words_last`.
  explicit TextTable(std::vector<std::string> header = {}, bool words_last = false);
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  /// Adds a column with the text that `cell` makes of each element of `list`, one row for each.
  template <class List, class Cell>
  void add_column(std::string name, bool holds_words, const List& list, const Cell& cell) {
    columns.push_back(std::move(name));
    words.push_back(holds_words);
    rows.resize(list.size());
    for (std::size_t r = 0; r < list.size(); ++r) rows[r].push_back(cell(list[r]));
  }
  /// Returns the table as plain text, with columns as wide as their content. If that is wider than
  /// `width`, words are shortened, and columns that still have no room follow in a table below,
  /// beside the first column again.
  [[nodiscard]] std::string text(std::size_t width = kAnyWidth) const;

  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> words;  ///< for each column
};

/// The digits of a number as std::to_chars writes them.
std::string digits_of(double value, std::chars_format format, int precision);
/// 16590 -> "16,590"
std::string grouped(std::size_t number);
/// Formats a number with four significant digits, without an exponent if that is short.
std::string rounded(double value, int digits = 4);
/// Formats a share in [0, 1] like rounded(), but one that is positive and tiny as "< 1e-6".
std::string share_text(double share);
/// Returns a bar of `width` cells for a share in [0, 1], in eighths of a cell.
std::string bar(double share, std::size_t width);
/// 1234567 bits -> "1.2 Mbit"
std::string bits_text(double bits);

}  // namespace caucus::report
