#include "caucus/report/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/report/html_text.hpp"
#include "caucus/report/report.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {
namespace {

const Words<Scale> kScales = {{"linear", Scale::linear}, {"log", Scale::log}};
const Words<LineStyle> kStyles = {
    {"line", LineStyle::line}, {"dashed", LineStyle::dashed}, {"points", LineStyle::points}};

// --- text ---------------------------------------------------------------------------------------

std::string cell_text(const Json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_integer()) return grouped(cell.get<std::size_t>());
  const auto value = cell.get<double>();
  return std::isnan(value) ? "-" : rounded(value);  // the mean over no repetition: all diverged
}

TextTable table_of(const FoundTable& found, std::string (*cell_text)(const Json&)) {
  TextTable table(found.columns);
  for (const auto& row : found.rows) {
    auto& cells = table.rows.emplace_back();
    for (const Json& cell : row) cells.push_back(cell_text(cell));
  }
  return table;
}

std::string table_text(const FoundTable& table) {
  return table.title + "\n" + table_of(table, cell_text).text() +
         (table.note.empty() ? "" : table.note + "\n") + "\n";
}

std::string verdict_text(const Verdict& verdict) {
  const char* word = !verdict.holds ? "not measured" : *verdict.holds ? "true" : "false";
  return "  " + std::string(word) + ": " + verdict.claim + "\n      " + verdict.evidence + "\n";
}

// --- reading ------------------------------------------------------------------------------------

FoundTable read_table(JsonReader in) {
  FoundTable table{in.text("title"), in.text("note"), in.texts("columns"), {}};
  const Json* rows = in.list("rows");
  if (rows == nullptr) return table;
  for (const Json& row : *rows) {
    if (!row.is_array()) in.fail("rows", "hold something that is not a list");
    if (row.is_array()) in.expect_size("rows", row.size(), table.columns.size(), false);
    if (in.failed()) break;
    for (const Json& cell : row) {
      if (cell.is_structured()) in.fail("rows", "hold a cell that is neither text nor number");
    }
    table.rows.emplace_back(row.begin(), row.end());
  }
  return table;
}

AxisText read_axis(JsonReader in) { return {in.text("label"), read_word(in, "scale", kScales)}; }

Series read_series(JsonReader in, std::size_t look) {
  Series series{in.text("name"),
                in.numbers("x"),
                in.numbers("y"),
                in.numbers("low"),
                in.numbers("high"),
                read_word(in, "style", kStyles),
                look};
  in.expect_size("y", series.y.size(), series.x.size(), false);
  in.expect_size("low", series.low.size(), series.x.size());
  in.expect_size("high", series.high.size(), series.low.size(), false);
  return series;
}

LineChart read_lines(JsonReader& in) {
  LineChart chart{
      {in.text("title"), in.text("note")}, read_axis(in.object("x")), read_axis(in.object("y"))};
  in.for_each("series", [&](JsonReader series, std::size_t i) {
    chart.series.push_back(read_series(std::move(series), i));
  });
  return chart;
}

BarChart read_bars(JsonReader& in) {
  BarChart chart;
  chart.text = {in.text("title"), in.text("note")};
  chart.label = in.text("label");
  chart.row_label = in.text("row_label");
  chart.scale = read_word(in, "scale", kScales);
  chart.groups = in.texts("groups");
  const double letters = in.number("name_letters");
  if (letters >= 8.0 && letters <= 60.0) chart.name_letters = static_cast<std::size_t>(letters);
  in.for_each("rows", [&](JsonReader row, std::size_t) {
    chart.rows.push_back({row.text("name"), row.numbers("values"), {}});
    row.expect_size("values", chart.rows.back().values.size(),
                    std::max<std::size_t>(chart.groups.size(), 1), false);
  });
  return chart;
}

Verdict read_verdict(JsonReader in) {
  Verdict verdict{in.text("claim"), {}, in.text("evidence")};
  if (in.member("holds") != nullptr) verdict.holds = in.flag("holds");
  return verdict;
}

// --- the page -----------------------------------------------------------------------------------

/// Converts table3 to Table 3, and lower-bound to Lower bound.
std::string title_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  if (name.starts_with("table")) name.insert(5, " ");
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

std::string page_cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return figure(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return "–";
}

/// Returns whether a cell reads as a word; "12", "+0.3%" and "0.982 ± 0.010" read as numbers.
bool is_word(const Json& cell) {
  if (!cell.is_string()) return false;
  const auto& text = cell.get_ref<const std::string&>();
  return text.find_first_of("0123456789") == std::string::npos ||
         std::string_view("0123456789+-.").find(text.front()) == std::string_view::npos;
}

/// A column holds words if one of its cells does.
TextTable page_table(const FoundTable& found) {
  TextTable table = table_of(found, page_cell);
  for (std::size_t c = 0; c < found.columns.size(); ++c) {
    table.words[c] = std::any_of(found.rows.begin(), found.rows.end(),
                                 [&](const auto& row) { return is_word(row[c]); });
  }
  return table;
}

/// Returns a word with a sign, so that the meaning does not depend on a colour.
std::string verdict_word(const Verdict& verdict) {
  if (!verdict.holds) return "○ not tested";
  return *verdict.holds ? "✓ true" : "✗ false";
}

}  // namespace

std::string reproduction_text(const Reproduction& found) {
  std::string text;
  for (const FoundTable& table : found.tables) text += table_text(table);
  if (!found.verdicts.empty()) text += "Verdicts, as measured here\n";
  for (const Verdict& verdict : found.verdicts) text += verdict_text(verdict);
  for (const std::string& reason : found.skipped) text += "skipped: " + reason + "\n";
  return text;
}

void to_json(Json& json, const FoundTable& table) {
  json = {{"title", table.title},
          {"note", table.note},
          {"columns", table.columns},
          {"rows", table.rows}};
}

void to_json(Json& json, const AxisText& axis) {
  json = {{"label", axis.label}, {"scale", word_of(kScales, axis.scale)}};
}

void to_json(Json& json, const Series& series) {
  json = {{"name", series.name}, {"x", series.x},       {"y", series.y},
          {"low", series.low},   {"high", series.high}, {"style", word_of(kStyles, series.style)}};
}

void to_json(Json& json, const LineChart& chart) {
  json = {{"title", chart.text.title},
          {"note", chart.text.note},
          {"x", chart.x},
          {"y", chart.y},
          {"series", chart.series}};
}

void to_json(Json& json, const BarRow& row) { json = {{"name", row.name}, {"values", row.values}}; }

void to_json(Json& json, const BarChart& chart) {
  json = {{"kind", "bars"},
          {"title", chart.text.title},
          {"note", chart.text.note},
          {"label", chart.label},
          {"row_label", chart.row_label},
          {"scale", word_of(kScales, chart.scale)},
          {"groups", chart.groups},
          {"name_letters", chart.name_letters},
          {"rows", chart.rows}};
}

void to_json(Json& json, const FoundChart& chart) {
  std::visit([&](const auto& any) { to_json(json, any); }, chart);
}

void to_json(Json& json, const Verdict& verdict) {
  json = {
      {"claim", verdict.claim}, {"holds", or_null(verdict.holds)}, {"evidence", verdict.evidence}};
}

Json reproduction_json(const Reproduction& found) {
  return {{"tables", found.tables},
          {"charts", found.charts},
          {"verdicts", found.verdicts},
          {"skipped", found.skipped}};
}

Result<Reproduction> read_reproduction(const Json& result) {
  std::optional<Error> error;
  JsonReader in(result, "", error);
  Reproduction found;
  in.for_each("verdicts", [&](JsonReader verdict, std::size_t) {
    found.verdicts.push_back(read_verdict(std::move(verdict)));
  });
  found.skipped = in.texts("skipped");
  in.for_each("charts", [&](JsonReader chart, std::size_t) {
    const bool bars = chart.text("kind") == "bars";
    found.charts.push_back(bars ? FoundChart(read_bars(chart)) : FoundChart(read_lines(chart)));
  });
  in.for_each("tables", [&](JsonReader table, std::size_t) {
    found.tables.push_back(read_table(std::move(table)));
  });
  if (error) return std::move(*error);
  return found;
}

Result<Page> reproduction_page(const Json& result) {
  CAUCUS_TRY(const Reproduction found, read_reproduction(result));
  std::optional<Error> error;
  JsonReader in(result, "", error);
  Page page("Reproduction: " + title_of(in.text("reproduce")), in.text("version"));
  const double seconds = in.number("seconds");
  page.masthead("caucus reproduce",
                std::isfinite(seconds) ? "Computed in " + figure(seconds, 3) + " seconds." : "");
  if (!found.verdicts.empty()) {
    TextTable verdicts({"claim", "verdict", "evidence"}, true);
    verdicts.words[1] = true;
    for (const Verdict& each : found.verdicts) {
      verdicts.add({each.claim, verdict_word(each), each.evidence});
    }
    page.section("Claims");
    page.table(verdicts, "verdicts");
  }
  if (!found.skipped.empty()) {
    page.section("Left out");
    page.list(found.skipped);
  }
  if (!found.charts.empty()) page.section("Charts");
  for (const FoundChart& chart : found.charts) {
    std::visit([&](const auto& any) { page.chart(any); }, chart);
  }
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
