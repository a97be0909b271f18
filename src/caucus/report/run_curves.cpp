// Charts of a run over its rounds: lines of loss and regret with bands over repetitions.
#include <algorithm>
#include <cmath>

#include "caucus/report/run_charts.hpp"
#include "caucus/report/statistics.hpp"

namespace caucus::report {
namespace {

using Values = std::vector<double>;

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
  double lowest = HUGE_VAL;
  for (const Series& series : chart.series) {
    if (const double top = largest(series.y); top > 0.0) lowest = std::min(lowest, top);
  }
  double most = 0.0;
  std::string leaving;
  for (const Series& series : chart.series) {
    const double top = largest(series.y);
    if (top > factor * lowest) {
      leaving += (leaving.empty() ? "" : ", ") + series.name;
    } else {
      most = std::max(most, top);
    }
  }
  if (leaving.empty()) return;
  chart.y_most = 2.0 * most;
  chart.text.note += " Leaving the chart at the top: " + leaving + ".";
}

/// Adds the curve y ± sd of each algorithm that has one, divided by rounds × `clients` if these are
/// given. Lines `factor` times as high as the lowest leave the chart.
void add_curves(LineChart& chart, const RunRecord& run, Values CurveRecord::*y,
                Values CurveRecord::*sd, double factor, double clients = 0.0) {
  bool has_band = false;
  for (const AlgorithmRecord& result : run.results) {
    const CurveRecord& curve = result.curve;
    // One repetition, or ones that do not differ, have no band.
    const bool has_spread = std::any_of((curve.*sd).begin(), (curve.*sd).end(),
                                        [](double spread) { return spread > 0.0; });
    Series series{result.label, curve.round, {}, {}, {}, LineStyle::line, result.look};
    for (std::size_t t = 0; t < (curve.*y).size(); ++t) {
      const double divisor = clients > 0.0 ? curve.round[t] * clients : 1.0;
      series.y.push_back((curve.*y)[t] / divisor);
      if (!has_spread) continue;
      series.low.push_back(((curve.*y)[t] - (curve.*sd)[t]) / divisor);
      series.high.push_back(((curve.*y)[t] + (curve.*sd)[t]) / divisor);
    }
    has_band = has_band || !series.low.empty();
    if (!series.y.empty()) chart.series.push_back(std::move(series));
  }
  if (has_band) {
    chart.text.note += " Bands: one standard deviation over repetitions to either side.";
  }
  cut_what_diverges(chart, factor);
}

}  // namespace

LineChart loss_per_example(const RunRecord& run) {
  const bool examples = run.all_take_part();
  LineChart chart;
  chart.text = {examples ? "Loss per example so far" : "Loss per client and round so far",
                "Summed loss of all clients, divided by rounds × clients."};
  chart.x = {"round", Scale::log};
  chart.y.label = (run.loss.empty() ? "" : run.loss + " ") + std::string("loss per ") +
                  (examples ? "example" : "client and round");
  const double best = least(run.best_in_hindsight);
  if (examples && std::isfinite(run.best_constant)) {
    chart.references.push_back({"best constant", run.best_constant});
    chart.text.note += " Dotted: losses over the whole run, known only afterwards.";
  }
  if (examples && std::isfinite(best)) chart.references.push_back({"best in hindsight", best});
  add_curves(chart, run, &CurveRecord::loss, &CurveRecord::loss_sd, 1000.0, run.clients);
  const Extent extent = extent_of_lines(chart);
  if (extent.low > 0.0 && extent.high > 30.0 * extent.low) chart.y.scale = Scale::log;
  return chart;
}

LineChart cumulative_loss(const RunRecord& run) {
  LineChart chart{{"Cumulative loss", "Summed over all clients."},
                  {"round"},
                  {"summed " + (run.loss.empty() ? "" : run.loss + " ") + "loss"}};
  add_curves(chart, run, &CurveRecord::loss, &CurveRecord::loss_sd, 30.0);
  return chart;
}

LineChart regret_curve(const RunRecord& run) {
  LineChart chart{{"Regret over time",
                   "Summed loss so far, less that of the best model of the best space for the "
                   "rounds so far."},
                  {"round"},
                  {"regret, summed over all clients"}};
  add_curves(chart, run, &CurveRecord::regret, &CurveRecord::regret_sd, 1000.0);
  if (extent_of_lines(chart).low > 0.0) {
    chart.x.scale = chart.y.scale = Scale::log;
    chart.text.note += " On these axes growth like √T has slope one half.";
  }
  return chart;
}

}  // namespace caucus::report
