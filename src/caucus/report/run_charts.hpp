// Selects the charts of a run: one for each question that its numbers answer.
#pragma once

#include <string>
#include <vector>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/result_json.hpp"

namespace caucus::report {

struct ChartSection {
  std::string heading;
  std::vector<Chart> charts;
};

std::vector<ChartSection> run_charts(const RunRecord& run);

}  // namespace caucus::report
