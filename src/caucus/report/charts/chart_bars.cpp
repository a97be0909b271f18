// Horizontal bars. With several groups they are thin and end in the marker of their group.
#include <algorithm>
#include <cmath>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/charts/svg.hpp"
#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

/// The positions of all parts. Heights depend on the number of bars in a row.
struct Layout {
  Plot plot;
  double row_height = 0.0, bar_height = 0.0;
};

std::size_t groups_of(const BarChart& chart) {
  return std::max<std::size_t>(chart.groups.size(), 1);
}

double base_of(const BarChart& chart) { return chart.scale == Scale::log ? 1.0 : 0.0; }

std::size_t look_of(const BarChart& chart, std::size_t group) {
  return group < chart.looks.size() ? chart.looks[group] : group;
}

/// Breaks group names into lines as wide as the chart; calls `visit` for each name and returns the
/// number of lines.
template <class Visit>
std::size_t lay_out_legend(const BarChart& chart, double left, double right, const Visit& visit) {
  double x = left;
  std::size_t line = 0;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const std::string name = shortened(chart.groups[g], kMostLetters);
    const double width = text_width(name) + 26.0;
    if (x > left && x + width > right) {
      x = left;
      ++line;
    }
    visit(g, x, line, name);
    x += width;
  }
  return line + 1;
}

std::string value_text(const BarRow& row) {
  return figure_with_spread(row.values.front(), row.spread(0));
}

Layout layout_of(const BarChart& chart, double width) {
  Extent extent(chart.scale);
  extent.add(base_of(chart));
  std::vector<std::string> names;
  double value_width = 0.0;
  const bool single = groups_of(chart) == 1;
  for (const BarRow& row : chart.rows) {
    for (std::size_t g = 0; g < row.values.size(); ++g) {
      extent.add(row.values[g]);
      extent.add(row.values[g] + row.spread(g));
    }
    names.push_back(row.name);
    if (single) value_width = std::max(value_width, text_width(value_text(row)));
  }
  for (const Reference& reference : chart.references) extent.add(reference.value);
  Layout layout;
  Plot& plot = layout.plot;
  plot.x = roomy_axis(chart.scale, extent, 5);
  plot.left = widest_label(names, chart.name_letters) + 10.0;
  plot.width = width;
  plot.right = width - (single ? value_width + 8.0 : 20.0);
  std::size_t lines = chart.references.size();
  if (!single) lines += lay_out_legend(chart, plot.left, width, [](auto&&...) {});
  plot.top = 8.0 + kLineHeight * static_cast<double>(lines);
  layout.bar_height = single ? 13.0 : 3.0;
  layout.row_height =
      single ? 22.0 : std::max(22.0, 9.0 * static_cast<double>(groups_of(chart)) + 9.0);
  plot.bottom = plot.top + layout.row_height * static_cast<double>(chart.rows.size());
  return layout;
}

void draw_legend(Svg& svg, const BarChart& chart, const Layout& layout) {
  if (groups_of(chart) == 1) return;
  lay_out_legend(chart, layout.plot.left, layout.plot.width,
                 [&](std::size_t g, double x, std::size_t line, const std::string& name) {
                   const double y = 14.0 + kLineHeight * static_cast<double>(line);
                   svg.marker(look_of(chart, g), x + 5.0, y - 4.0);
                   svg.text("label", x + 13.0, y, name);
                 });
}

void draw_axis(Svg& svg, const BarChart& chart, const Plot& plot) {
  for (const Tick& tick : plot.x.ticks) {
    const double x = plot.at_x(tick.value);
    svg.line(tick.value == base_of(chart) ? "axis" : "grid", x, plot.top, x, plot.bottom);
    svg.text("tick mid", x, plot.bottom + 16.0, tick.label);
  }
  svg.text("name mid", (plot.left + plot.right) / 2.0, plot.bottom + 35.0, chart.label);
}

void draw_bar(Svg& svg, const BarChart& chart, const Layout& layout, const BarRow& row,
              std::size_t group, double middle) {
  const Plot& plot = layout.plot;
  const double value = row.values[group];
  const double spread = row.spread(group);
  if (!std::isfinite(value)) return;
  const double zero = plot.at_x(base_of(chart));
  const double end = plot.at_x(value);
  const std::size_t look = look_of(chart, group);
  svg.rectangle("bar " + look_class(look), std::min(zero, end), middle - layout.bar_height / 2.0,
                std::abs(end - zero), layout.bar_height);
  if (spread > 0.0) {
    svg.line("error", plot.at_x(value - spread), middle, plot.at_x(value + spread), middle);
  }
  if (groups_of(chart) == 1) {
    const double reach = std::max(zero, spread > 0.0 ? plot.at_x(value + spread) : end);
    svg.text("value", reach + 6.0, middle + 4.0, value_text(row));
  } else {
    svg.marker(look, end, middle);
  }
}

void draw_rows(Svg& svg, const BarChart& chart, const Layout& layout) {
  const std::size_t groups = groups_of(chart);
  double middle = layout.plot.top + layout.row_height / 2.0;
  for (const BarRow& row : chart.rows) {
    svg.text("label end", layout.plot.left - 8.0, middle + 4.0,
             shortened(row.name, chart.name_letters));
    for (std::size_t g = 0; g < std::min(groups, row.values.size()); ++g) {
      const double shift = 9.0 * (static_cast<double>(g) - static_cast<double>(groups - 1) / 2.0);
      draw_bar(svg, chart, layout, row, g, middle + shift);
    }
    middle += layout.row_height;
  }
}

/// Each name has its own line above the plot, so that names do not overlap.
void draw_references(Svg& svg, const BarChart& chart, const Plot& plot) {
  double baseline = plot.top - 6.0 - kLineHeight * static_cast<double>(chart.references.size() - 1);
  for (const Reference& reference : chart.references) {
    if (!std::isfinite(reference.value)) continue;
    const double x = plot.at_x(reference.value);
    const bool before = x > (plot.left + plot.right) / 2.0;
    svg.line("reference", x, baseline - 9.0, x, plot.bottom);
    svg.text(before ? "label end" : "label", before ? x - 5.0 : x + 5.0, baseline, reference.label);
    baseline += kLineHeight;
  }
}

std::string description(const BarChart& chart) {
  std::string text = "Bars of " + chart.label + ".";
  for (const BarRow& row : chart.rows) {
    text += " " + row.name + ":";
    for (std::size_t g = 0; g < row.values.size(); ++g) {
      text += (g == 0 ? " " : ", ") + figure(row.values[g]);
    }
    text += ".";
  }
  for (const Reference& reference : chart.references) {
    text += " " + reference.label + ": " + figure(reference.value) + ".";
  }
  return text;
}

}  // namespace

std::string svg_of(const BarChart& chart, const std::string& id, double width) {
  const Layout layout = layout_of(chart, width);
  Svg svg;
  draw_legend(svg, chart, layout);
  draw_axis(svg, chart, layout.plot);
  draw_rows(svg, chart, layout);
  if (!chart.references.empty()) draw_references(svg, chart, layout.plot);
  return svg.finished(id, width, layout.plot.bottom + 42.0, chart.text.title, description(chart));
}

}  // namespace caucus::report
