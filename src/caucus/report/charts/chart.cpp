#include "caucus/report/charts/chart.hpp"

#include <algorithm>

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

ChartNumbers side_by_side(const LineChart& chart) {
  ChartNumbers numbers{{chart.x.label}, {}};
  for (const Series& series : chart.series) numbers.columns.push_back(series.name);
  const std::size_t n = chart.series.empty() ? 0 : chart.series.front().x.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto& row = numbers.rows.emplace_back();
    row.push_back(figure(chart.series.front().x[i]));
    for (const Series& series : chart.series) row.push_back(with_band(series, i));
  }
  return numbers;
}

ChartNumbers one_below_the_other(const LineChart& chart) {
  ChartNumbers numbers{{"series", chart.x.label, chart.y.label}, {}};
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      numbers.rows.push_back({series.name, figure(series.x[i]), with_band(series, i)});
    }
  }
  return numbers;
}

ChartNumbers numbers(const LineChart& chart) {
  return share_places(chart) ? side_by_side(chart) : one_below_the_other(chart);
}

ChartNumbers numbers(const AreaChart& chart) {
  ChartNumbers table{{chart.x.label}, {}};
  table.columns.insert(table.columns.end(), chart.names.begin(), chart.names.end());
  for (std::size_t t = 0; t < chart.at.size(); ++t) {
    auto& row = table.rows.emplace_back();
    row.push_back(figure(chart.at[t]));
    for (const auto& share : chart.shares) row.push_back(figure(100.0 * share[t], 3) + "%");
  }
  return table;
}

ChartNumbers numbers(const BarChart& chart) {
  ChartNumbers table{{chart.row_label}, {}};
  const auto& groups = chart.groups;
  if (groups.size() < 2) {
    table.columns.push_back(chart.label);
  } else {
    table.columns.insert(table.columns.end(), groups.begin(), groups.end());
  }
  for (const BarRow& row : chart.rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(row.name);
    for (std::size_t g = 0; g < row.values.size(); ++g) {
      cells.push_back(
          figure_with_spread(row.values[g], row.spreads.empty() ? 0.0 : row.spreads[g]));
    }
  }
  for (const Reference& reference : chart.references) {
    auto& cells = table.rows.emplace_back();
    cells = {reference.label, figure(reference.value)};
    cells.resize(table.columns.size());
  }
  return table;
}

ChartNumbers numbers(const ScatterChart& chart) {
  ChartNumbers table{{"", chart.x.label, chart.y.label}, {}};
  for (const ScatterPoint& point : chart.points) {
    table.rows.push_back({point.name, figure(point.x), figure_with_spread(point.y, point.spread)});
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

const ChartText& text_of(const Chart& chart) {
  return std::visit([](const auto& any) -> const ChartText& { return any.text; }, chart);
}

std::string svg_of(const Chart& chart, const std::string& id) {
  return std::visit([&](const auto& any) { return svg_of(any, id); }, chart);
}

ChartNumbers numbers_of(const Chart& chart) {
  return std::visit([](const auto& any) { return numbers(any); }, chart);
}

}  // namespace caucus::report
