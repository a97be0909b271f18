// Shares of a whole as stacked areas.
#include <algorithm>
#include <array>
#include <cmath>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/charts/svg.hpp"
#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

constexpr double kAreasHeight = 210.0;

Plot plot_of(const AreaChart& chart, double width) {
  Extent x(chart.x.scale);
  x.add(chart.at);
  Axis y;
  for (const int percent : {0, 25, 50, 75, 100}) {
    y.ticks.push_back({percent / 100.0, std::to_string(percent) + "%"});
  }
  return plot_beside(tight_axis(chart.x.scale, x, 6), std::move(y), chart.names, kAreasHeight,
                     width);
}

std::string area_class(const AreaChart& chart, std::size_t k) {
  if (chart.last_is_rest && k + 1 == chart.names.size()) return "area rest";
  // Neighbours differ in lightness, and so do areas with the same colour.
  static const std::array<const char*, 4> kTones = {"", " pale", " middle", " palest"};
  return "area " + look_class(k) + kTones[k % 2 + (k / 8 % 2) * 2];
}

std::string description(const AreaChart& chart) {
  std::string text = "Stacked shares against " + chart.x.label + ".";
  for (std::size_t k = 0; k < chart.names.size(); ++k) {
    if (chart.shares[k].empty()) continue;
    text += " " + chart.names[k] + " ends at " + figure(100.0 * chart.shares[k].back(), 3) + "%.";
  }
  return text;
}

}  // namespace

std::string svg_of(const AreaChart& chart, const std::string& id, double width) {
  const Plot plot = plot_of(chart, width);
  const std::size_t n = chart.at.size();
  std::vector<double> above(n, 1.0);  // what remains of the whole
  Svg areas;
  std::vector<EndLabel> labels;
  for (std::size_t k = 0; k < chart.names.size(); ++k) {
    std::vector<std::string> upper;
    std::vector<std::string> lower;
    double middle = 0.0;
    for (std::size_t t = 0; t < n; ++t) {
      if (!plot.shows(chart.at[t], 1.0)) continue;
      const double share = chart.shares[k][t];
      const double below = std::max(0.0, above[t] - (std::isfinite(share) ? share : 0.0));
      upper.push_back(plot.point(chart.at[t], above[t]));
      lower.push_back(plot.point(chart.at[t], below));
      middle = (above[t] + below) / 2.0;
      above[t] = below;
    }
    if (upper.empty()) continue;
    areas.path(area_class(chart, k), outline(upper, lower));
    labels.push_back({plot.right - 5.0, plot.at_y(middle), chart.names[k]});
  }
  plot.draw_frame(areas, chart.x.label, "probability", false);
  draw_end_labels(areas, plot, labels);
  return areas.finished(id, width, plot.bottom + 44.0, chart.text.title, description(chart),
                        plot.places(chart.at));
}

}  // namespace caucus::report
