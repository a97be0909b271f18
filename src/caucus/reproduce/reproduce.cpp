#include "caucus/reproduce/reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace caucus::reproduce {
std::size_t Options::reported() const { return repeats.value_or(quick ? 2 : 10); }

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

void name_columns(LineChart& chart, const std::vector<std::string>& names,
                  const std::string& level) {
  const std::vector<double> x = chart.series.front().x;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  for (Series& series : chart.series) {
    const Series unordered = series;
    for (std::size_t k = 0; k < order.size(); ++k) {
      series.x[k] = unordered.x[order[k]];
      series.y[k] = unordered.y[order[k]];
    }
  }
  for (const std::size_t s : order)
    chart.text.note += (chart.text.note.empty() ? "from left to right: " : ", ") + names[s];
  chart.series.insert(chart.series.begin(), {level,
                                             chart.series.front().x,
                                             std::vector<double>(x.size(), 1.0),
                                             {},
                                             {},
                                             LineStyle::dashed});
}

}  // namespace caucus::reproduce
