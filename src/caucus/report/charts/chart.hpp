// Descriptions of charts, and the SVG pictures made from them, which take colours from the style
// sheet of the page. Series differ by colour, by marker and by a name at the end of the line, or by
// samples in a legend if there are many, so that they can be told apart in black and white.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "caucus/report/charts/axis.hpp"
#include "caucus/report/charts/svg.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::report {

struct ChartText {
  std::string title;
  std::string note;  ///< an explanation for the reader
};

struct AxisText {
  std::string label;
  Scale scale = Scale::linear;
};

enum class LineStyle { line, dashed, points };

struct Series {
  std::string name;
  std::vector<double> x = {}, y = {};       ///< values that are not finite leave a gap
  std::vector<double> low = {}, high = {};  ///< the band around y; empty for none
  LineStyle style = LineStyle::line;
  std::size_t look = 0;  ///< colour and marker

  void add(double at, double value);
  /// Adds the mean and the standard deviation over repetitions.
  void add(double at, const std::vector<double>& values);
};

/// A horizontal line at a value that belongs to no series.
struct Reference {
  std::string label;
  double value = 0.0;
};

struct LineChart {
  ChartText text;
  AxisText x, y;
  std::vector<Series> series = {};
  std::vector<Reference> references = {};
  double y_most = HUGE_VAL;  ///< a line that rises above leaves the chart
};

/// Shares of a whole over time, the first on top.
struct AreaChart {
  ChartText text;
  AxisText x;
  std::vector<double> at;
  std::vector<std::string> names;
  std::vector<std::vector<double>> shares;  ///< of each name at each position
  bool last_is_rest = false;                ///< drawn in grey
};

struct BarRow {
  std::string name;
  std::vector<double> values;   ///< one for each group
  std::vector<double> spreads;  ///< whiskers; empty for none

  [[nodiscard]] double spread(std::size_t group) const {
    return spreads.empty() ? 0.0 : spreads[group];
  }
};

/// Horizontal bars, one for each group in every row.
struct BarChart {
  ChartText text;
  std::string label;      ///< of the values
  std::string row_label;  ///< the meaning of a row, for the table
  std::vector<std::string> groups;
  std::vector<std::size_t> looks;  ///< of the groups; 0, 1, ... unless given
  std::vector<BarRow> rows;
  std::vector<Reference> references;
  Scale scale = Scale::linear;    ///< bars begin at 0, or at 1 on a log scale
  std::size_t name_letters = 24;  ///< longer names of rows are shortened
};

struct ScatterPoint {
  std::string name;
  double x = 0.0, y = 0.0;
  double spread = 0.0;  ///< of y
  std::size_t look = 0;
};

struct ScatterChart {
  ChartText text;
  AxisText x, y;
  std::vector<ScatterPoint> points;
};

using Chart = std::variant<LineChart, AreaChart, BarChart, ScatterChart>;

/// `id` must be unique in the page and need no escaping. `width` is that of the viewBox.
std::string svg_of(const LineChart& chart, const std::string& id, double width = kChartWidth);
std::string svg_of(const AreaChart& chart, const std::string& id, double width = kChartWidth);
std::string svg_of(const BarChart& chart, const std::string& id, double width = kChartWidth);
std::string svg_of(const ScatterChart& chart, const std::string& id, double width = kChartWidth);
std::string svg_of(const Chart& chart, const std::string& id, double width = kChartWidth);

/// Returns the numbers of a chart. If all series have the same positions, row i belongs to the i-th
/// position.
TextTable numbers_of(const Chart& chart);

/// Returns whether row i of the numbers belongs to the i-th position on the x axis.
bool share_places(const LineChart& chart);

}  // namespace caucus::report
