#include "caucus/reproduce/reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::reproduce {
namespace {

std::string cell_text(const report::Json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_number_integer()) return report::grouped(cell.get<std::size_t>());
  const auto value = cell.get<double>();
  return std::isnan(value) ? "-" : report::rounded(value);  // NaN if all repetitions diverged
}

std::string table_text(const ReproduceTable& table) {
  report::TextTable text(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const report::Json& cell : row) cells.push_back(cell_text(cell));
    text.add(std::move(cells));
  }
  return table.title + "\n" + text.text() + (table.note.empty() ? "" : table.note + "\n") + "\n";
}

std::string verdict_text(const Verdict& verdict) {
  const char* word = !verdict.holds ? "not measured" : *verdict.holds ? "true" : "false";
  return "  " + std::string(word) + ": " + verdict.claim + "\n      " + verdict.evidence + "\n";
}

report::Json table_json(const ReproduceTable& table) {
  return {{"title", table.title},
          {"note", table.note},
          {"columns", table.columns},
          {"rows", table.rows}};
}

report::Json axis_json(const ChartAxis& axis) {
  return {{"label", axis.label}, {"scale", axis.scale}};
}

report::Json chart_json(const ReproduceChart& chart) {
  report::Json series = report::Json::array();
  for (const ChartSeries& each : chart.series) {
    series.push_back({{"name", each.name},
                      {"x", each.x},
                      {"y", each.y},
                      {"low", each.low},
                      {"high", each.high},
                      {"style", each.style}});
  }
  return {{"title", chart.title},
          {"note", chart.note},
          {"x", axis_json(chart.x)},
          {"y", axis_json(chart.y)},
          {"series", std::move(series)}};
}

report::Json verdict_json(const Verdict& verdict) {
  return {{"claim", verdict.claim},
          {"holds", verdict.holds ? report::Json(*verdict.holds) : report::Json(nullptr)},
          {"evidence", verdict.evidence}};
}

}  // namespace

void ChartSeries::add(double at, const std::vector<double>& values) {
  const double centre = report::mean(values);
  const double spread = report::standard_deviation(values);
  add(at, centre);
  low.push_back(centre - spread);
  high.push_back(centre + spread);
}

std::size_t ReproduceOptions::reported() const { return repeats.value_or(quick ? 2 : 10); }

std::string reproduction_text(const Reproduction& found) {
  std::string text;
  for (const ReproduceTable& table : found.tables) text += table_text(table);
  if (!found.verdicts.empty()) text += "Verdicts, as measured here\n";
  for (const Verdict& verdict : found.verdicts) text += verdict_text(verdict);
  for (const std::string& reason : found.skipped) text += "skipped: " + reason + "\n";
  return text;
}

report::Json reproduction_json(const Reproduction& found) {
  report::Json json;
  json["tables"] = report::Json::array();
  json["charts"] = report::Json::array();
  json["verdicts"] = report::Json::array();
  for (const ReproduceTable& table : found.tables) json["tables"].push_back(table_json(table));
  for (const ReproduceChart& chart : found.charts) json["charts"].push_back(chart_json(chart));
  for (const Verdict& each : found.verdicts) json["verdicts"].push_back(verdict_json(each));
  json["skipped"] = found.skipped;
  return json;
}

double deviation(double value, double reference) { return 100.0 * (value / reference - 1.0); }

std::string percent(double value) {
  if (!std::isfinite(value)) return "-";
  char text[40];
  std::snprintf(text, sizeof text, "%+.1f%%", value);
  return text;
}

report::Json number_or_null(const std::optional<double>& value) {
  return value ? report::Json(*value) : report::Json(nullptr);
}

report::Json deviation_or_null(double value, const std::optional<double>& reference) {
  return reference ? report::Json(percent(deviation(value, *reference))) : report::Json(nullptr);
}

void name_columns(ReproduceChart& chart, const std::vector<std::string>& names,
                  const std::string& level) {
  const std::vector<double> x = chart.series.front().x;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  for (ChartSeries& series : chart.series) {
    const ChartSeries unordered = series;
    for (std::size_t k = 0; k < order.size(); ++k) {
      series.x[k] = unordered.x[order[k]];
      series.y[k] = unordered.y[order[k]];
    }
  }
  for (const std::size_t s : order)
    chart.note += (chart.note.empty() ? "from left to right: " : ", ") + names[s];
  chart.series.insert(
      chart.series.begin(),
      {level, chart.series.front().x, std::vector<double>(x.size(), 1.0), {}, {}, "dashed"});
}

}  // namespace caucus::reproduce
