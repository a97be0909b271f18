// Selects the charts of a run: one for each question that its numbers answer.
#pragma once

#include <string>
#include <vector>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/finished_run.hpp"

namespace caucus::report {

struct ChartSection {
  std::string heading;
  std::vector<Chart> charts;
};

std::vector<ChartSection> run_charts(const RunRecord& run);

/// The loss divided by rounds and clients, with the best losses in hindsight for comparison.
LineChart loss_per_example(const RunRecord& run);
LineChart cumulative_loss(const RunRecord& run);
LineChart regret_curve(const RunRecord& run);

}  // namespace caucus::report
