#include "caucus/report/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "caucus/report/html_text.hpp"

namespace caucus::report {

TextTable::TextTable(std::vector<std::string> header, bool words_last)
    : columns(std::move(header)), words(columns.size(), false) {
  if (columns.empty()) return;
  words.front() = true;
  words.back() = words_last || columns.size() == 1;
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(columns.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], letters(row[c]));
  };
  const auto line_of = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - letters(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (words[c] ? row[c] + pad : pad + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  widen(columns);
  for (const auto& row : rows) widen(row);
  std::string text = line_of(columns);
  const std::size_t total = std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
  for (std::size_t i = 2; i < total; ++i) text += "─";
  text += "\n";
  for (const auto& row : rows) text += line_of(row);
  return text;
}

std::string digits_of(double value, std::chars_format format, int precision) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format, precision).ptr};
}

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string rounded(double value, int digits) {
  return digits_of(value, std::chars_format::general, digits);
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
