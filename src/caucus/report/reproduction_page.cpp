// The page of a reproduction: its verdicts, charts and tables.
#include <algorithm>
#include <cmath>

#include "caucus/report/html_text.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/page.hpp"
#include "caucus/report/report.hpp"

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

/// Returns whether a cell looks like a number: "12", "+0.3%" or "0.982 ± 0.010".
bool is_word(const Json& cell) {
  if (!cell.is_string()) return false;
  const auto& text = cell.get_ref<const std::string&>();
  return text.find_first_of("0123456789") == std::string::npos ||
         std::string_view("0123456789+-.").find(text.front()) == std::string_view::npos;
}

/// Returns for each column whether any of its cells holds words.
PageTable read_page_table(JsonReader& in) {
  PageTable table;
  table.columns = in.texts("columns");
  table.words.assign(table.columns.size(), false);
  const Json* rows = in.list("rows");
  if (rows == nullptr) return table;
  for (const Json& row : *rows) {
    if (!row.is_array()) in.fail("rows", "hold something that is not a list");
    if (row.is_array()) in.expect_size("rows", row.size(), table.columns.size(), false);
    if (in.failed()) break;
    auto& cells = table.rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (is_word(row[c])) table.words[c] = true;
      if (row[c].is_structured()) in.fail("rows", "hold a cell that is neither text nor number");
      cells.push_back(cell_text(row[c]));
    }
  }
  return table;
}

AxisText read_axis(JsonReader in) {
  const std::string scale = in.text("scale");
  if (!scale.empty() && scale != "linear" && scale != "log") {
    in.fail("scale", "is neither linear nor log");
  }
  return {in.text("label"), scale == "log" ? Scale::log : Scale::linear};
}

Series read_series(JsonReader in, std::size_t look) {
  Series series{in.text("name"),
                in.numbers("x"),
                in.numbers("y"),
                in.numbers("low"),
                in.numbers("high"),
                LineStyle::line,
                look};
  in.expect_size("y", series.y.size(), series.x.size(), false);
  in.expect_size("low", series.low.size(), series.x.size());
  in.expect_size("high", series.high.size(), series.low.size(), false);
  const std::string style = in.text("style");
  if (style == "dashed") series.style = LineStyle::dashed;
  if (style == "points") series.style = LineStyle::points;
  if (!style.empty() && style != "line" && series.style == LineStyle::line) {
    in.fail("style", "is none of line, dashed and points");
  }
  return series;
}

LineChart read_chart(JsonReader in) {
  LineChart chart;
  chart.text = {in.text("title"), in.text("note")};
  chart.x = read_axis(in.object("x"));
  chart.y = read_axis(in.object("y"));
  const Json* series = in.list("series");
  for (std::size_t i = 0; series != nullptr && i < series->size() && !in.failed(); ++i) {
    chart.series.push_back(read_series(in.element("series", (*series)[i], i), i));
  }
  return chart;
}

/// A verdict is shown as words and a symbol, not by colour alone.
std::string verdict_word(JsonReader& in) {
  const Json* holds = in.member("holds");
  if (holds == nullptr) return "○ not tested";
  if (!holds->is_boolean()) {
    in.fail("holds", "is neither true nor false nor null");
    return {};
  }
  return holds->get<bool>() ? "✓ true" : "✗ false";
}

PageTable read_verdicts(JsonReader& in) {
  PageTable table{{"claim", "verdict", "evidence"}, {}, {true, true, true}};
  const Json* list = in.list("verdicts");
  for (std::size_t i = 0; list != nullptr && i < list->size() && !in.failed(); ++i) {
    JsonReader verdict = in.element("verdicts", (*list)[i], i);
    const std::string word = verdict_word(verdict);
    table.rows.push_back({verdict.text("claim"), word, verdict.text("evidence")});
  }
  return table;
}

void add_tables(Page& page, JsonReader& in) {
  const Json* tables = in.list("tables");
  for (std::size_t i = 0; tables != nullptr && i < tables->size() && !in.failed(); ++i) {
    JsonReader table = in.element("tables", (*tables)[i], i);
    page.section(table.text("title"));
    page.table(read_page_table(table));
    page.paragraph(table.text("note"), "note");
  }
}

void add_charts(Page& page, JsonReader& in) {
  const Json* charts = in.list("charts");
  if (charts == nullptr || charts->empty()) return;
  page.section("Charts");
  for (std::size_t i = 0; i < charts->size() && !in.failed(); ++i) {
    const LineChart chart = read_chart(in.element("charts", (*charts)[i], i));
    if (!in.failed()) page.chart(chart);
  }
}

}  // namespace

Result<std::string> reproduction_report_html(const Json& result) {
  std::optional<Error> error;
  JsonReader in(result, "", error);
  Page page("Reproduction: " + title_of(in.text("reproduce")));
  const double seconds = in.number("seconds");
  page.masthead("caucus reproduce",
                std::isfinite(seconds) ? "Computed in " + figure(seconds, 3) + " seconds." : "");
  const PageTable verdicts = read_verdicts(in);
  if (!verdicts.rows.empty()) {
    page.section("Claims");
    page.table(verdicts, "verdicts");
  }
  const std::vector<std::string> skipped = in.texts("skipped");
  if (!skipped.empty()) {
    page.section("Left out");
    page.list(skipped);
  }
  add_charts(page, in);
  add_tables(page, in);
  in.object("config");  // fails if it is not an object
  const std::string version = in.text("version");
  if (error) return std::move(*error);
  if (const Json* config = in.member("config")) page.configuration(*config);
  return page.finished(version);
}

}  // namespace caucus::report
