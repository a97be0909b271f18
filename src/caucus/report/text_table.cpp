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

namespace {

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kLeastOfWords = 12;  // letters to which words may be shortened

std::vector<std::size_t> widths_of(const TextTable& table) {
  std::vector<std::size_t> widths(table.columns.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], letters(row[c]));
  };
  widen(table.columns);
  for (const auto& row : table.rows) widen(row);
  return widths;
}

/// Returns the width of the first column and of those in [first, last).
std::size_t total_of(const std::vector<std::size_t>& widths, std::size_t first, std::size_t last) {
  std::size_t total = widths[0];
  for (std::size_t c = std::max<std::size_t>(1, first); c < last; ++c) total += kGap + widths[c];
  return total;
}

/// Returns the first column and those in [first, last) as text.
std::string part_of(const TextTable& table, const std::vector<std::size_t>& widths,
                    std::size_t first, std::size_t last) {
  const auto line_of = [&](const std::vector<std::string>& row) {
    std::string line;
    const auto add = [&](std::size_t c) {
      const std::string cell = shortened(row[c], widths[c]);
      const std::string pad(widths[c] - letters(cell), ' ');
      line += (c == 0 ? "" : std::string(kGap, ' ')) + (table.words[c] ? cell + pad : pad + cell);
    };
    if (!row.empty()) add(0);
    for (std::size_t c = std::max<std::size_t>(1, first); c < std::min(last, row.size()); ++c) {
      add(c);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  std::string text = line_of(table.columns);
  for (std::size_t i = 0; i < total_of(widths, first, last); ++i) text += "─";
  text += "\n";
  for (const auto& row : table.rows) {
    // A row that says nothing in this part, but in another one, is left out.
    const auto empty = [&](std::size_t from, std::size_t to) {
      const auto at = [&](std::size_t c) {
        return row.begin() + static_cast<std::ptrdiff_t>(std::min(c, row.size()));
      };
      return std::all_of(at(from), at(to), [](const std::string& cell) { return cell.empty(); });
    };
    if (empty(first, last) && !empty(1, row.size())) continue;
    text += line_of(row);
  }
  return text;
}

}  // namespace

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> widths = widths_of(*this);
  const std::size_t end = columns.size();
  if (end == 0) return "";
  // The widest words give way first.
  while (total_of(widths, 1, end) > width) {
    std::size_t widest = end;
    for (std::size_t c = 0; c < end; ++c) {
      const bool may_shrink = words[c] && widths[c] > kLeastOfWords;
      if (may_shrink && (widest == end || widths[c] > widths[widest])) widest = c;
    }
    if (widest == end) break;
    --widths[widest];
  }
  if (total_of(widths, 1, end) > width) {  // there are several parts: each has more room
    widths = widths_of(*this);
    widths[0] = std::min(widths[0], std::max(kLeastOfWords, width / 3));
    for (std::size_t c = 1; c < end; ++c) {
      const std::size_t room = width - std::min(width, widths[0] + kGap);
      widths[c] = std::min(widths[c], std::max<std::size_t>(1, room));
    }
  }
  std::string text;
  for (std::size_t first = std::min<std::size_t>(1, end); first < end || text.empty();) {
    std::size_t last = std::min(first + 1, end);
    while (last < end && total_of(widths, first, last + 1) <= width) ++last;
    text += (text.empty() ? "" : "\n") + part_of(*this, widths, first, last);
    first = last;
  }
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

std::string share_text(double share) {
  constexpr double kTiny = 1e-6;
  return share > 0.0 && share < kTiny ? "< 1e-6" : rounded(share, 3);
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
