#include "caucus/report/charts/chart.hpp"

#include "caucus/report/html_text.hpp"
#include "caucus/report/statistics.hpp"

namespace caucus::report {
namespace {

/// Formats "0.5 (0.4 to 0.6)" if there is a band.
std::string with_band(const Series& series, std::size_t i) {
  std::string value = figure(series.y[i]);
  if (series.low.empty()) return value;
  return value + " (" + figure(series.low[i]) + " to " + figure(series.high[i]) + ")";
}

std::vector<std::string> header_of(const std::string& first, const std::vector<std::string>& more) {
  std::vector<std::string> header = {first};
  header.insert(header.end(), more.begin(), more.end());
  return header;
}

TextTable numbers(const LineChart& chart) {
  if (!share_places(chart)) {
    TextTable table({"series", chart.x.label, chart.y.label});
    for (const Series& series : chart.series) {
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        table.add({series.name, figure(series.x[i]), with_band(series, i)});
      }
    }
    return table;
  }
  std::vector<std::string> header = {chart.x.label};
  for (const Series& series : chart.series) header.push_back(series.name);
  TextTable table(std::move(header));
  for (std::size_t i = 0; !chart.series.empty() && i < chart.series.front().x.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back(figure(chart.series.front().x[i]));
    for (const Series& series : chart.series) row.push_back(with_band(series, i));
  }
  return table;
}

TextTable numbers(const AreaChart& chart) {
  TextTable table(header_of(chart.x.label, chart.names));
  for (std::size_t t = 0; t < chart.at.size(); ++t) {
    auto& row = table.rows.emplace_back();
    row.push_back(figure(chart.at[t]));
    for (const auto& share : chart.shares) row.push_back(figure(100.0 * share[t], 3) + "%");
  }
  return table;
}

TextTable numbers(const BarChart& chart) {
  const bool single = chart.groups.size() < 2;
  TextTable table(header_of(chart.row_label, single ? std::vector{chart.label} : chart.groups));
  for (const BarRow& row : chart.rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(row.name);
    for (std::size_t g = 0; g < row.values.size(); ++g) {
      cells.push_back(figure_with_spread(row.values[g], row.spread(g)));
    }
  }
  for (const Reference& reference : chart.references) {
    table.add({reference.label, figure(reference.value)});
    table.rows.back().resize(table.columns.size());
  }
  return table;
}

TextTable numbers(const ScatterChart& chart) {
  TextTable table({"", chart.x.label, chart.y.label});
  for (const ScatterPoint& point : chart.points) {
    table.add({point.name, figure(point.x), figure_with_spread(point.y, point.spread)});
  }
  return table;
}

}  // namespace

void Series::add(double at, double value) {
  x.push_back(at);
  y.push_back(value);
}

void Series::add(double at, const std::vector<double>& values) {
  const double centre = mean(values);
  const double spread = standard_deviation(values);
  add(at, centre);
  low.push_back(centre - spread);
  high.push_back(centre + spread);
}

std::string svg_of(const Chart& chart, const std::string& id, double width) {
  return std::visit([&](const auto& any) { return svg_of(any, id, width); }, chart);
}

TextTable numbers_of(const Chart& chart) {
  return std::visit([](const auto& any) { return numbers(any); }, chart);
}

}  // namespace caucus::report
