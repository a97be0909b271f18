#include "caucus/report/run_curves.hpp"

#include <algorithm>
#include <cmath>

namespace caucus::report {
namespace {

constexpr const char* kBandNote = " Bands: one standard deviation over repetitions to either side.";

/// Returns the curve of one algorithm, with y ± sd if it is known, divided by `divisor(t)`.
template <class Divisor>
Series curve_series(const AlgorithmRecord& result, std::size_t look, const std::vector<double>& y,
                    const std::vector<double>& sd, const Divisor& divisor) {
  Series series{result.label, result.curve.round, {}, {}, {}, LineStyle::line, look};
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double d = divisor(t);
    series.y.push_back(y[t] / d);
    if (sd.empty()) continue;
    series.low.push_back((y[t] - sd[t]) / d);
    series.high.push_back((y[t] + sd[t]) / d);
  }
  return series;
}

bool has_band(const LineChart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(),
                     [](const Series& s) { return !s.low.empty(); });
}

/// The range of the values that the chart shows.
Extent extent_of_lines(const LineChart& chart) {
  Extent extent;
  for (const Series& series : chart.series) {
    for (const double y : series.y) {
      if (y <= chart.y_most) extent.add(y);
    }
  }
  return extent;
}

/// If one line is `factor` times as high as the lowest one, it would flatten all others. The chart
/// then ends above the others, and its note says so.
void cut_what_diverges(LineChart& chart, double factor) {
  std::vector<double> tops;
  for (const Series& series : chart.series) {
    Extent extent;
    extent.add(series.y);
    tops.push_back(extent.empty() ? 0.0 : extent.high);
  }
  double lowest = HUGE_VAL;
  for (const double top : tops) {
    if (top > 0.0) lowest = std::min(lowest, top);
  }
  double most = 0.0;
  std::string leaving;
  for (std::size_t k = 0; k < tops.size(); ++k) {
    const bool leaves = tops[k] > factor * lowest;
    if (!leaves) most = std::max(most, tops[k]);
    if (leaves) leaving += (leaving.empty() ? "" : ", ") + chart.series[k].name;
  }
  if (leaving.empty()) return;
  chart.y_most = 2.0 * most;
  chart.text.note += " Leaving the chart at the top: " + leaving + ".";
}

}  // namespace

LineChart loss_per_example(const RunRecord& run) {
  const bool examples = run.all_take_part();
  LineChart chart;
  chart.text.title = examples ? "Loss per example so far" : "Loss per client and round so far";
  chart.x = {"round", Scale::log};
  chart.y.label = (run.loss.empty() ? "" : run.loss + " ") + std::string("loss per ") +
                  (examples ? "example" : "client and round");
  for (std::size_t a = 0; a < run.results.size(); ++a) {
    const CurveRecord& curve = run.results[a].curve;
    chart.series.push_back(
        curve_series(run.results[a], a, curve.loss, curve.loss_sd,
                     [&](std::size_t t) { return curve.round[t] * run.clients; }));
  }
  chart.text.note = "Summed loss of all clients, divided by rounds × clients.";
  const double best =
      run.best_in_hindsight.empty()
          ? kUnknown
          : *std::min_element(run.best_in_hindsight.begin(), run.best_in_hindsight.end());
  if (examples && std::isfinite(run.best_constant)) {
    chart.references.push_back({"best constant", run.best_constant});
    chart.text.note += " Dotted: losses over the whole run, known only afterwards.";
  }
  if (examples && std::isfinite(best)) chart.references.push_back({"best in hindsight", best});
  if (has_band(chart)) chart.text.note += kBandNote;
  cut_what_diverges(chart, 1000.0);
  const Extent extent = extent_of_lines(chart);
  if (extent.low > 0.0 && extent.high > 30.0 * extent.low) chart.y.scale = Scale::log;
  return chart;
}

LineChart cumulative_loss(const RunRecord& run) {
  LineChart chart;
  chart.text = {"Cumulative loss", "Summed over all clients."};
  chart.x.label = "round";
  chart.y.label = "summed " + (run.loss.empty() ? "" : run.loss + " ") + "loss";
  for (std::size_t a = 0; a < run.results.size(); ++a) {
    const CurveRecord& curve = run.results[a].curve;
    chart.series.push_back(curve_series(run.results[a], a, curve.loss, curve.loss_sd,
                                        [](std::size_t) { return 1.0; }));
  }
  if (has_band(chart)) chart.text.note += kBandNote;
  cut_what_diverges(chart, 30.0);
  return chart;
}

LineChart regret_curve(const RunRecord& run) {
  LineChart chart;
  chart.text = {"Regret over time",
                "Summed loss so far, less that of the best model of the best space for the rounds "
                "so far."};
  chart.x.label = "round";
  chart.y.label = "regret, summed over all clients";
  for (std::size_t a = 0; a < run.results.size(); ++a) {
    const CurveRecord& curve = run.results[a].curve;
    if (curve.regret.empty()) continue;
    chart.series.push_back(curve_series(run.results[a], a, curve.regret, curve.regret_sd,
                                        [](std::size_t) { return 1.0; }));
  }
  if (has_band(chart)) chart.text.note += kBandNote;
  cut_what_diverges(chart, 1000.0);
  if (extent_of_lines(chart).low > 0.0) {
    chart.x.scale = chart.y.scale = Scale::log;
    chart.text.note += " On these axes growth like √T has slope one half.";
  }
  return chart;
}

}  // namespace caucus::report
