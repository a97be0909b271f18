// The page of a reproduction: its verdicts, charts and tables.
#include <algorithm>
#include <cmath>

#include "caucus/report/html_text.hpp"
#include "caucus/report/page.hpp"
#include "caucus/report/report.hpp"
#include "caucus/report/reproduction.hpp"

namespace caucus::report {
namespace {

/// Converts table3 to Table 3, and lower-bound to Lower bound.
std::string title_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  if (name.starts_with("table")) name.insert(5, " ");
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

std::string cell_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return figure(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return "–";
}

/// Whether a cell reads as a word; "12", "+0.3%" and "0.982 ± 0.010" read as numbers.
bool is_word(const Json& cell) {
  if (!cell.is_string()) return false;
  const auto& text = cell.get_ref<const std::string&>();
  return text.find_first_of("0123456789") == std::string::npos ||
         std::string_view("0123456789+-.").find(text.front()) == std::string_view::npos;
}

/// A column holds words if one of its cells does.
PageTable page_table(const FoundTable& found) {
  PageTable table{found.columns, {}, std::vector<bool>(found.columns.size(), false)};
  for (const auto& row : found.rows) {
    auto& cells = table.rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (is_word(row[c])) table.words[c] = true;
      cells.push_back(cell_text(row[c]));
    }
  }
  return table;
}

/// A word with a sign, so that the meaning does not depend on a colour.
std::string verdict_word(const Verdict& verdict) {
  if (!verdict.holds) return "○ not tested";
  return *verdict.holds ? "✓ true" : "✗ false";
}

}  // namespace

Result<Page> reproduction_page(const Json& result) {
  CAUCUS_TRY(const Reproduction found, read_reproduction(result));
  std::optional<Error> error;
  JsonReader in(result, "", error);
  Page page("Reproduction: " + title_of(in.text("reproduce")), in.text("version"));
  const double seconds = in.number("seconds");
  page.masthead("caucus reproduce",
                std::isfinite(seconds) ? "Computed in " + figure(seconds, 3) + " seconds." : "");
  if (!found.verdicts.empty()) {
    PageTable verdicts{{"claim", "verdict", "evidence"}, {}, {true, true, true}};
    for (const Verdict& each : found.verdicts) {
      verdicts.rows.push_back({each.claim, verdict_word(each), each.evidence});
    }
    page.section("Claims");
    page.table(verdicts, "verdicts");
  }
  if (!found.skipped.empty()) {
    page.section("Left out");
    page.list(found.skipped);
  }
  if (!found.charts.empty()) page.section("Charts");
  for (const Chart& chart : found.charts) page.chart(chart);
  for (const FoundTable& table : found.tables) {
    page.section(table.title);
    page.table(page_table(table));
    page.paragraph(table.note, "note");
  }
  in.object("config");  // fails unless it is an object
  if (error) return std::move(*error);
  if (const Json* config = in.member("config")) page.configuration(*config);
  return page;
}

}  // namespace caucus::report
