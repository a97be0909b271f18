#include "caucus/report/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

std::string table_text(const FoundTable& table) {
  TextTable text(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const Json& cell : row) cells.push_back(cell_text(cell));
    text.add(std::move(cells));
  }
  return table.title + "\n" + text.text() + (table.note.empty() ? "" : table.note + "\n") + "\n";
}

std::string verdict_text(const Verdict& verdict) {
  const char* word = !verdict.holds ? "not measured" : *verdict.holds ? "true" : "false";
  return "  " + std::string(word) + ": " + verdict.claim + "\n      " + verdict.evidence + "\n";
}

// --- writing ------------------------------------------------------------------------------------

Json chart_json(const LineChart& chart) {
  const auto axis = [](const AxisText& text) -> Json {
    return {{"label", text.label}, {"scale", word_of(kScales, text.scale)}};
  };
  Json series = Json::array();
  for (const Series& each : chart.series) {
    series.push_back({{"name", each.name},
                      {"x", each.x},
                      {"y", each.y},
                      {"low", each.low},
                      {"high", each.high},
                      {"style", word_of(kStyles, each.style)}});
  }
  return {{"title", chart.text.title},
          {"note", chart.text.note},
          {"x", axis(chart.x)},
          {"y", axis(chart.y)},
          {"series", std::move(series)}};
}

Json chart_json(const BarChart& chart) {
  Json rows = Json::array();
  for (const BarRow& row : chart.rows) {
    rows.push_back({{"name", row.name}, {"values", row.values}});
  }
  return {{"kind", "bars"},
          {"title", chart.text.title},
          {"note", chart.text.note},
          {"label", chart.label},
          {"row_label", chart.row_label},
          {"scale", word_of(kScales, chart.scale)},
          {"groups", chart.groups},
          {"name_letters", chart.name_letters},
          {"rows", std::move(rows)}};
}

template <class Other>
Json chart_json(const Other&) {
  return nullptr;  // no experiment has such a chart
}

// --- reading ------------------------------------------------------------------------------------

/// Calls `read` with every element of a list.
template <class Read>
void for_each(JsonReader& in, const std::string& key, const Read& read) {
  const Json* list = in.list(key);
  for (std::size_t i = 0; list != nullptr && i < list->size() && !in.failed(); ++i) {
    read(in.element(key, (*list)[i], i), i);
  }
}

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

Scale read_scale(JsonReader& in) {
  const std::string scale = in.text("scale");
  const auto known = meaning_of(kScales, scale);
  if (!known && !scale.empty()) in.fail("scale", "is neither linear nor log");
  return known.value_or(Scale::linear);
}

AxisText read_axis(JsonReader in) {
  const Scale scale = read_scale(in);
  return {in.text("label"), scale};
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
  const auto known = meaning_of(kStyles, style);
  if (!known && !style.empty()) in.fail("style", "is none of line, dashed and points");
  series.style = known.value_or(LineStyle::line);
  return series;
}

LineChart read_lines(JsonReader& in) {
  LineChart chart;
  chart.text = {in.text("title"), in.text("note")};
  chart.x = read_axis(in.object("x"));
  chart.y = read_axis(in.object("y"));
  for_each(in, "series", [&](JsonReader series, std::size_t i) {
    chart.series.push_back(read_series(std::move(series), i));
  });
  return chart;
}

BarChart read_bars(JsonReader& in) {
  BarChart chart;
  chart.text = {in.text("title"), in.text("note")};
  chart.label = in.text("label");
  chart.row_label = in.text("row_label");
  chart.scale = read_scale(in);
  chart.groups = in.texts("groups");
  const double letters = in.number("name_letters");
  if (letters >= 8.0 && letters <= 60.0) chart.name_letters = static_cast<std::size_t>(letters);
  for_each(in, "rows", [&](JsonReader row, std::size_t) {
    chart.rows.push_back({row.text("name"), row.numbers("values"), {}});
    row.expect_size("values", chart.rows.back().values.size(),
                    std::max<std::size_t>(chart.groups.size(), 1), false);
  });
  return chart;
}

Verdict read_verdict(JsonReader in) {
  Verdict verdict{in.text("claim"), {}, in.text("evidence")};
  const Json* holds = in.member("holds");
  if (holds == nullptr) return verdict;
  if (holds->is_boolean()) {
    verdict.holds = holds->get<bool>();
  } else {
    in.fail("holds", "is neither true nor false nor null");
  }
  return verdict;
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

Json reproduction_json(const Reproduction& found) {
  Json json;
  json["tables"] = Json::array();
  json["charts"] = Json::array();
  json["verdicts"] = Json::array();
  for (const FoundTable& table : found.tables) {
    json["tables"].push_back({{"title", table.title},
                              {"note", table.note},
                              {"columns", table.columns},
                              {"rows", table.rows}});
  }
  for (const Chart& chart : found.charts) {
    json["charts"].push_back(std::visit([](const auto& any) { return chart_json(any); }, chart));
  }
  for (const Verdict& verdict : found.verdicts) {
    json["verdicts"].push_back({{"claim", verdict.claim},
                                {"holds", verdict.holds ? Json(*verdict.holds) : Json(nullptr)},
                                {"evidence", verdict.evidence}});
  }
  json["skipped"] = found.skipped;
  return json;
}

Result<Reproduction> read_reproduction(const Json& result) {
  std::optional<Error> error;
  JsonReader in(result, "", error);
  Reproduction found;
  for_each(in, "verdicts", [&](JsonReader verdict, std::size_t) {
    found.verdicts.push_back(read_verdict(std::move(verdict)));
  });
  found.skipped = in.texts("skipped");
  for_each(in, "charts", [&](JsonReader chart, std::size_t) {
    if (chart.text("kind") == "bars") {
      found.charts.emplace_back(read_bars(chart));
    } else {
      found.charts.emplace_back(read_lines(chart));
    }
  });
  for_each(in, "tables", [&](JsonReader table, std::size_t) {
    found.tables.push_back(read_table(std::move(table)));
  });
  if (error) return std::move(*error);
  return found;
}

}  // namespace caucus::report
