#include "commands/data_info.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "caucus/data/encoding/column_uses.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/encoding/raw_table.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/report/text_table.hpp"
#include "command.hpp"

namespace caucus::cli {
namespace {

using Role = Encoding::Role;
using Kind = Encoding::Kind;

std::string date_of(double days) {
  using namespace std::chrono;
  const year_month_day date(sys_days(std::chrono::days(static_cast<int>(std::floor(days)))));
  const auto two = [](unsigned number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day()));
}

std::string type_of(const ColumnProfile& column, const Encoding& encoding) {
  if (encoding.kind == Kind::category) return "category";
  if (encoding.kind == Kind::boolean) return "boolean";
  if (encoding.kind == Kind::time) return "time";
  if (column.texts > 0) return column.numbers > 0 ? "mixed" : "text";
  return column.numbers > 0 ? "number" : "empty";
}

std::string number_values(const ColumnProfile& column) {
  if (column.numbers == 0) return "";
  if (column.minimum == column.maximum) return report::rounded(column.minimum, 6) + ", constant";
  return report::rounded(column.minimum, 6) + " to " + report::rounded(column.maximum, 6) +
         ", mean " + report::rounded(column.mean, 4) + ", sd " +
         report::rounded(column.deviation(), 3);
}

/// "16: NE, E, SW, ...", the most frequent first.
std::string level_values(const ColumnProfile& column) {
  constexpr std::size_t kShown = 4;
  constexpr std::size_t kWidth = 30;
  std::vector<std::pair<std::string, std::size_t>> levels(column.levels.begin(),
                                                          column.levels.end());
  std::stable_sort(levels.begin(), levels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::string count = report::grouped(levels.size()) + (column.others > 0 ? " or more" : "");
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, levels.size()) && text.size() < kWidth; ++k) {
    std::string level = levels[k].first;
    std::replace_if(
        level.begin(), level.end(), [](char c) { return c < ' ' && c >= 0; }, ' ');
    if (level.size() > kWidth) level = level.substr(0, kWidth) + "...";
    text += (k > 0 ? ", " : "") + level;
  }
  return count + ": " + text + (levels.size() > kShown ? ", ..." : "");
}

std::string values_of(const ColumnProfile& column, const std::string& type) {
  if (type == "time") return date_of(column.earliest) + " to " + date_of(column.latest);
  return type == "number" || type == "empty" ? number_values(column) : level_values(column);
}

std::string use_of(const ColumnUse& use, std::size_t columns) {
  if (use.problem) return "see below";
  if (!use.left_out.empty()) return "left out: " + use.left_out;
  if (use.encoding.role == Role::target) return "target";
  if (use.encoding.role == Role::client) return "names the client";
  if (use.encoding.role == Role::expert) return "expert";
  return columns == 1 ? "feature" : std::to_string(columns) + " features";
}

}  // namespace

Status show_data_info(const std::string& file, const ReadOptions& options,
                      const std::string& ranges) {
  InputTables tables;
  CAUCUS_TRY(const TableProfile profile, profile_tables(tables, {file}, options, true));
  CAUCUS_TRY(const std::vector<ColumnUse> uses, column_uses(profile, options));
  if (!ranges.empty()) CAUCUS_CHECK(write_ranges(ranges_of(profile), ranges));
  std::vector<Encoding> encodings;
  for (const ColumnUse& use : uses) encodings.push_back(use.encoding);
  std::vector<std::size_t> made(uses.size(), 0);
  for (const EncodedColumn& column : encoded_columns(encodings, 0)) ++made[column.source];

  const CellHeader& header = profile.head();
  report::TextTable table({"column", "name", "type", "missing", "values", "use"}, true);
  std::vector<std::string> problems;
  for (const Error& error : profile.problems()) problems.push_back(error.line());
  for (std::size_t c = 0; c < uses.size(); ++c) {
    const ColumnProfile& column = profile.columns()[c];
    const std::string type = type_of(column, uses[c].encoding);
    const std::size_t missing = column.missing + (type == "category" ? 0 : column.missing_numbers);
    const double share = static_cast<double>(missing) / static_cast<double>(profile.rows());
    table.add({std::to_string(c + 1), header.names.empty() ? "" : header.names[c], type,
               missing == 0 ? "" : report::rounded(100.0 * share, 2) + "%", values_of(column, type),
               use_of(uses[c], made[c])});
    if (uses[c].problem) problems.push_back(uses[c].problem->line());
    if (uses[c].doubt) problems.push_back(*uses[c].doubt);
  }
  for (std::size_t c = 0; c < header.names.size(); ++c) {
    const auto begin = header.names.begin();
    const auto first = std::find(begin, header.names.end(), header.names[c]);
    const auto other = static_cast<std::size_t>(first - begin);
    if (other == c) continue;
    problems.push_back(column_words(header, c) + " has the name of column " +
                       std::to_string(other + 1) + "; call them by number");
  }
  std::string text = file + ": " + report::grouped(profile.rows()) + " rows, " +
                     report::grouped(uses.size()) + " columns, " +
                     (header.names.empty() ? "no header" : "with header") + "\n\n" + table.text();
  if (!problems.empty()) {
    text += "\n" + report::grouped(problems.size()) +
            (problems.size() == 1 ? " problem:\n" : " problems:\n");
    for (const std::string& problem : problems) text += "  " + problem + "\n";
  }
  return print(text);
}

}  // namespace caucus::cli
