// Lines with bands, and points.
#include <algorithm>
#include <cmath>
#include <optional>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/charts/svg.hpp"
#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

constexpr std::size_t kMostLabels = 40;
constexpr std::size_t kMostEndLabels = 6;  ///< more names are shown in a legend
constexpr double kLinesHeight = 230.0;

/// "M x y L x y ..." with a new M after each gap.
std::string line_path(const Plot& plot, const Series& series) {
  std::string d;
  bool drawing = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool inside = plot.shows(series.x[i], series.y[i]);
    const bool leaves =
        drawing && std::isfinite(series.y[i]) && series.y[i] > plot.y.high;  // drawn up to the edge
    if (!inside && !leaves) {
      drawing = false;
      continue;
    }
    d += (drawing ? "L" : "M") + plot.point(series.x[i], series.y[i]);
    drawing = inside;
  }
  return d;
}

/// Draws a closed outline for each part without a gap: along `high` and back along `low`.
std::string band_path(const Plot& plot, const Series& series) {
  std::string d;
  std::vector<std::string> upper;
  std::vector<std::string> lower;
  for (std::size_t i = 0; i <= series.high.size(); ++i) {
    if (i < series.high.size() && plot.shows(series.x[i], series.y[i]) &&
        std::isfinite(series.high[i]) && std::isfinite(series.low[i])) {
      upper.push_back(plot.point(series.x[i], series.high[i]));
      lower.push_back(plot.point(series.x[i], series.low[i]));
      continue;
    }
    d += outline(upper, lower);
    upper.clear();
    lower.clear();
  }
  return d;
}

/// Points have all their markers. Lines have one at the end and some before it, far enough apart
/// and at different positions for each look.
void draw_markers(Svg& svg, const Plot& plot, const Series& series) {
  constexpr double kApart = 84.0;
  const bool all = series.style == LineStyle::points || series.x.size() <= 12;
  double before = plot.width;  // the next marker must be left of this
  for (std::size_t i = series.x.size(); i-- > 0;) {
    if (!plot.shows(series.x[i], series.y[i])) continue;
    const double x = plot.at_x(series.x[i]);
    if (!all && x > before) continue;
    svg.marker(series.look, x, plot.at_y(series.y[i]));
    const bool is_last = before == plot.width;
    before = x - (is_last ? 42.0 + 17.0 * static_cast<double>(series.look % 5) : kApart);
  }
}

std::string path_class(const Series& series) {
  return (series.style == LineStyle::dashed ? "line dashed " : "line ") + line_class(series.look);
}

void draw_series(Svg& svg, const Plot& plot, const Series& series) {
  const std::string look = look_class(series.look);
  if (series.style == LineStyle::points) {
    for (std::size_t i = 0; i < series.high.size(); ++i) {
      if (!plot.shows(series.x[i], series.high[i]) || !std::isfinite(series.low[i])) continue;
      const double x = plot.at_x(series.x[i]);
      svg.line("whisker " + look, x, plot.at_y(series.low[i]), x, plot.at_y(series.high[i]));
    }
  } else {
    svg.path(path_class(series), line_path(plot, series));
  }
  if (series.style != LineStyle::dashed) draw_markers(svg, plot, series);
}

/// Returns the point where a series ends or leaves the chart, if any of it is shown.
std::optional<EndLabel> last_point(const Plot& plot, const Series& series) {
  for (std::size_t i = series.x.size(); i-- > 0;) {
    const double x = plot.at_x(series.x[i]);
    if (i > 0 && std::isfinite(series.y[i]) && series.y[i] > plot.y.high &&
        plot.shows(series.x[i - 1], series.y[i - 1])) {
      return EndLabel{x, plot.top + 8.0, series.name};
    }
    if (plot.shows(series.x[i], series.y[i])) {
      return EndLabel{x, plot.at_y(series.y[i]), series.name};
    }
  }
  return {};
}

/// Returns the names of all lines, as far as there is room.
std::vector<std::string> names_of(const LineChart& chart) {
  std::vector<std::string> names;
  for (const Series& series : chart.series) names.push_back(series.name);
  for (const Reference& reference : chart.references) names.push_back(reference.label);
  names.resize(std::min(names.size(), kMostLabels));
  return names;
}

/// Names are placed beside the plot if there are few lines and all end at its edge; inside the plot
/// a name would overlap other lines.
bool needs_legend(const LineChart& chart, const Plot& plot) {
  constexpr double kNearTheEdge = 0.9;
  return chart.series.size() > kMostEndLabels ||
         std::any_of(chart.series.begin(), chart.series.end(), [&](const Series& series) {
           const auto end = last_point(plot, series);
           return end && end->x < plot.left + kNearTheEdge * (plot.right - plot.left);
         });
}

/// A legend in columns below the plot, with a sample of each line.
struct Legend {
  static constexpr double kSample = 30.0;
  static constexpr std::size_t kMostLetters = 34;  // a legend has more room
  std::vector<std::string> names;
  double column_width = 0.0;
  std::size_t columns = 1;

  Legend(const LineChart& chart, double width) : names(names_of(chart)) {
    for (std::string& name : names) {
      name = shortened(name, kMostLetters);
      column_width = std::max(column_width, kSample + 6.0 + text_width(name) + 14.0);
    }
    if (!names.empty()) {
      columns = std::max(columns, static_cast<std::size_t>(width / column_width));
    }
  }
  [[nodiscard]] double height() const {
    const std::size_t lines = (names.size() + columns - 1) / columns;
    return kLineHeight * static_cast<double>(lines) + 6.0;
  }
};

void draw_legend(Svg& svg, const LineChart& chart, const Legend& legend, double top) {
  for (std::size_t k = 0; k < legend.names.size(); ++k) {
    const double x = legend.column_width * static_cast<double>(k % legend.columns);
    const std::size_t line = k / legend.columns;
    const double y = top + kLineHeight * (static_cast<double>(line) + 0.5);
    const double end = x + Legend::kSample;
    svg.text("label", end + 6.0, y + 4.0, legend.names[k]);
    if (k >= chart.series.size()) {
      svg.line("reference", x, y, end, y);
      continue;
    }
    const Series& series = chart.series[k];
    if (series.style != LineStyle::points) {
      svg.path(path_class(series),
               "M" + coordinate(x) + " " + coordinate(y) + "H" + coordinate(end));
    }
    if (series.style != LineStyle::dashed) svg.marker(series.look, (x + end) / 2.0, y);
  }
}

void draw_end_names(Svg& svg, const LineChart& chart, const Plot& plot) {
  std::vector<EndLabel> labels;
  for (const Series& series : chart.series) {
    if (const auto end = last_point(plot, series)) labels.push_back(*end);
  }
  for (const Reference& reference : chart.references) {
    if (!plot.shows(plot.x.high, reference.value)) continue;
    labels.push_back({plot.right, plot.at_y(reference.value), reference.label});
  }
  draw_end_labels(svg, plot, labels);
}

Plot plot_of(const LineChart& chart, double width) {
  Extent x(chart.x.scale);
  Extent y(chart.y.scale);
  for (const Series& series : chart.series) {
    x.add(series.x);
    for (const auto* values : {&series.y, &series.high, &series.low}) {
      // A band that reaches 0 would have no end on a log axis.
      if (values == &series.low && chart.y.scale == Scale::log) continue;
      for (std::size_t k = 0; k < values->size(); ++k) {
        const bool leaves = k < series.y.size() && series.y[k] > chart.y_most;  // with its band
        if (!leaves && (*values)[k] <= chart.y_most) y.add((*values)[k]);
      }
    }
  }
  for (const Reference& reference : chart.references) y.add(reference.value);
  Plot plot = make_plot(tight_axis(chart.x.scale, x, 6), roomy_axis(chart.y.scale, y, 5), 12.0,
                        kLinesHeight, width);
  const auto names = names_of(chart);
  if (names.empty() || needs_legend(chart, plot)) return plot;
  return plot_beside(std::move(plot.x), std::move(plot.y), names, kLinesHeight, width);
}

std::string description(const LineChart& chart) {
  std::string text = "Lines of " + chart.y.label + " against " + chart.x.label + ".";
  for (std::size_t k = 0; k < std::min(chart.series.size(), kMostLabels); ++k) {
    const Series& series = chart.series[k];
    if (series.y.empty()) continue;
    text += " " + series.name + " ends at " + figure(series.y.back()) + ".";
  }
  for (const Reference& reference : chart.references) {
    text += " " + reference.label + ": " + figure(reference.value) + ".";
  }
  return text;
}

}  // namespace

bool share_places(const LineChart& chart) {
  return std::all_of(chart.series.begin(), chart.series.end(),
                     [&](const Series& s) { return s.x == chart.series.front().x; });
}

std::string svg_of(const LineChart& chart, const std::string& id, double width) {
  const Plot plot = plot_of(chart, width);
  Svg svg;
  plot.draw_frame(svg, chart.x.label, chart.y.label);
  for (const Series& series : chart.series) {
    if (series.style == LineStyle::points || series.high.empty()) continue;
    svg.path("band " + look_class(series.look), band_path(plot, series));
  }
  for (const Reference& reference : chart.references) {
    if (!plot.shows(plot.x.high, reference.value)) continue;
    const double y = plot.at_y(reference.value);
    svg.line("reference", plot.left, y, plot.right, y);
  }
  for (const Series& series : chart.series) draw_series(svg, plot, series);
  double height = plot.bottom + 44.0;
  if (needs_legend(chart, plot)) {
    const Legend legend(chart, width);
    draw_legend(svg, chart, legend, height + 4.0);
    height += legend.height();
  } else {
    draw_end_names(svg, chart, plot);
  }
  const bool askable = !chart.series.empty() && share_places(chart);
  return svg.finished(id, width, height, chart.text.title, description(chart),
                      askable ? plot.places(chart.series.front().x) : "");
}

}  // namespace caucus::report
