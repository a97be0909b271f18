#include "caucus/report/text_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace caucus::report {
namespace {

/// Returns the width on a terminal: UTF-8 continuation bytes take no cell.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::string pad(widths[c] - width_of(cell), ' ');
      const bool left = c == 0 || (words_last_ && c + 1 == rows_[r].size());
      line += (c == 0 ? "" : "  ") + (left ? cell + pad : pad + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r == 0) {
      std::size_t total = 0;
      for (const std::size_t w : widths) total += w + 2;
      for (std::size_t i = 2; i < total; ++i) text += "─";
      text += "\n";
    }
  }
  return text;
}

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string rounded(double value, int digits) {
  char buffer[40];
  return {
      buffer,
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr};
}

std::string bar(double share, std::size_t width) {
  if (!(share > 0.0)) return "";  // NaN too
  static const std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * width)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

std::string bits_text(double bits) {
  if (bits <= 0.0) return "0";
  if (bits < 1e4) return rounded(bits) + " bit";
  if (bits < 1e7) return rounded(bits / 1e3, 3) + " kbit";
  return rounded(bits / 1e6, 3) + " Mbit";
}

}  // namespace caucus::report
