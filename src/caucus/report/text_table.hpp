// Tables in plain text: columns as wide as their content, numbers right-aligned.
#pragma once

#include <string>
#include <vector>

namespace caucus::report {

class TextTable {
 public:
  /// The first column is left-aligned, and so is the last one if it holds words.
  explicit TextTable(std::vector<std::string> header, bool words_last = false)
      : rows_{std::move(header)}, words_last_(words_last) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool words_last_;
};

/// 16590 -> "16,590"
std::string grouped(std::size_t number);
/// Formats a number with four significant digits, without an exponent if that is short.
std::string rounded(double value, int digits = 4);
/// Returns a bar of `width` cells for a share in [0, 1], in eighths of a cell.
std::string bar(double share, std::size_t width);
/// 1234567 bits -> "1.2 Mbit"
std::string bits_text(double bits);

}  // namespace caucus::report
