// Charts of a run over its rounds: lines of loss and regret with bands over repetitions.
#pragma once

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/result_json.hpp"

namespace caucus::report {

/// The loss divided by rounds and clients, with the best losses in hindsight for comparison.
LineChart loss_per_example(const RunRecord& run);
LineChart cumulative_loss(const RunRecord& run);
LineChart regret_curve(const RunRecord& run);

}  // namespace caucus::report
