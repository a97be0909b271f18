// Points with names.
#include <algorithm>
#include <cmath>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/charts/svg.hpp"
#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

constexpr double kScatterHeight = 210.0;

struct Box {
  double left = 0.0, right = 0.0, middle = 0.0;

  [[nodiscard]] bool meets(const Box& other) const {
    return left < other.right && other.left < right &&
           std::abs(middle - other.middle) < kLineHeight - 1.0;
  }
};

Plot plot_of(const ScatterChart& chart, double width) {
  Extent x(chart.x.scale);
  Extent y(chart.y.scale);
  for (const ScatterPoint& point : chart.points) {
    x.add(point.x);
    y.add(point.y);
    if (std::isfinite(point.spread)) {
      y.add(point.y + point.spread);
      y.add(point.y - point.spread);
    }
  }
  return make_plot(roomy_axis(chart.x.scale, x, 6), roomy_axis(chart.y.scale, y, 5), 28.0,
                   kScatterHeight, width);
}

/// Places a label to the right of its point, or to the left near the edge, and moves it up or down
/// until it overlaps no other.
Box free_place(const Plot& plot, double x, double y, double width, const std::vector<Box>& taken) {
  const bool to_the_left = x + 12.0 + width > plot.width;
  const double left = to_the_left ? x - 10.0 - width : x + 10.0;
  Box box{left, left + width, y};
  const auto is_free = [&] {
    return box.middle > plot.top - 6.0 && box.middle < plot.bottom - 4.0 &&
           std::none_of(taken.begin(), taken.end(), [&](const Box& b) { return b.meets(box); });
  };
  for (int step = 0; step < 60; ++step) {
    const int steps_away = (step + 1) / 2;
    const double away = 7.0 * steps_away;
    box.middle = step % 2 == 0 ? y + away : y - away;
    if (is_free()) return box;
  }
  box.middle = y;
  return box;
}

std::string description(const ScatterChart& chart) {
  std::string text = chart.y.label + " against " + chart.x.label + ".";
  for (const ScatterPoint& point : chart.points) {
    text += " " + point.name + ": " + figure(point.y) + " at " + figure(point.x) + ".";
  }
  return text;
}

}  // namespace

std::string svg_of(const ScatterChart& chart, const std::string& id, double width) {
  const Plot plot = plot_of(chart, width);
  Svg svg;
  plot.draw_frame(svg, chart.x.label, chart.y.label);
  std::vector<Box> taken;
  for (const ScatterPoint& point : chart.points) {
    if (!plot.shows(point.x, point.y)) continue;
    const double x = plot.at_x(point.x);
    taken.push_back({x - 6.0, x + 6.0, plot.at_y(point.y)});
  }
  for (const ScatterPoint& point : chart.points) {
    if (!plot.shows(point.x, point.y)) continue;
    const double x = plot.at_x(point.x);
    const double y = plot.at_y(point.y);
    if (point.spread > 0.0 && std::isfinite(point.spread)) {
      svg.line("whisker " + look_class(point.look), x, plot.at_y(point.y - point.spread), x,
               plot.at_y(point.y + point.spread));
    }
    svg.marker(point.look, x, y);
    const std::string name = shortened(point.name, kMostLetters);
    const Box box = free_place(plot, x, y, text_width(name), taken);
    taken.push_back(box);
    const bool before = box.right < x;
    if (std::abs(box.middle - y) > 1.0) {
      svg.line("leader", x, y, before ? box.right + 2.0 : box.left - 2.0, box.middle);
    }
    svg.text(before ? "label end" : "label", before ? box.right : box.left, box.middle + 4.0, name);
  }
  return svg.finished(id, width, plot.bottom + 44.0, chart.text.title, description(chart));
}

}  // namespace caucus::report
