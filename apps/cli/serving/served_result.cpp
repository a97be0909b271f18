#include "serving/served_result.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "caucus/data/columns.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus::cli {
namespace {

Scaling unscaled(const SharedPlan& plan) {
  const std::size_t columns = plan.features + plan.experts + 1;
  Scaling scaling;
  const auto assigned = assign_columns(*plan.columns, {{}, columns}, "columns");
  if (assigned.ok() && assigned->feature_columns.size() == plan.features) {
    scaling = *assigned;
  } else {  // the target has a name, and only the clients know whose
    scaling.columns = columns;
    scaling.target_column = columns - 1;
    scaling.feature_columns.resize(plan.features);
    std::iota(scaling.feature_columns.begin(), scaling.feature_columns.end(), std::size_t{0});
    scaling.expert_columns.resize(plan.experts);
    std::iota(scaling.expert_columns.begin(), scaling.expert_columns.end(), plan.features);
  }
  scaling.minimum.assign(columns, 0.0);
  scaling.maximum.assign(columns, 0.0);
  return scaling;
}

std::vector<std::string> feature_names(const SharedPlan& plan, const Scaling& scaling) {
  std::vector<std::string> names;
  if (!plan.columns->ranges || plan.columns->ranges->names.empty()) return names;
  for (const std::size_t column : scaling.feature_columns) {
    names.push_back(plan.columns->ranges->names[column]);
  }
  return names;
}

/// How the clients write their classes, as far as the ranges tell.
LabelConvention labels_of(const SharedPlan& plan, const Scaling& scaling) {
  if (!plan.loss.is_classification()) return LabelConvention::none;
  const bool from_zero = plan.columns->ranges && scaling.target_interval().first == 0.0;
  return from_zero ? LabelConvention::zero_one : LabelConvention::minus_plus;
}

/// As it was: a client may not have said how much it has, and a batch may have closed without it.
RunLength length_of(const Federation& federation) {
  RunLength length = federation.length();
  for (const Member& member : federation.members()) {
    length.rounds = std::max<std::size_t>(length.rounds, member.counted);
  }
  length.batches = federation.batch();
  return length;
}

}  // namespace

Result<Scaling> served_scaling(const SharedPlan& plan) {
  CAUCUS_TRY(auto known, known_scaling(plan));
  return known ? std::move(*known) : unscaled(plan);
}

Result<ServedResult> served_result(const Federation& federation, const ServedRun& run,
                                   std::string name, double seconds) {
  const SharedPlan& plan = federation.settings().plan;
  CAUCUS_TRY(Scaling scaling, served_scaling(plan));
  ServedResult served;
  served.labels = labels_of(plan, scaling);
  served.data = {std::move(name), 0, feature_names(plan, scaling), std::move(scaling)};
  for (const Member& member : federation.members()) {
    served.data.rows += std::max(member.examples, member.counted);
  }
  RepetitionOutcome outcome;
  outcome.length = length_of(federation);
  outcome.played.push_back({federation.telemetry(),
                            seconds,
                            federation.curve().curve,
                            federation.server()->learned(),
                            federation.server()->second_order(),
                            {}});
  std::vector<RepetitionOutcome> outcomes;
  outcomes.push_back(std::move(outcome));
  served.result = summarise(std::move(outcomes), run.options);
  return served;
}

Result<report::StoredModel> served_model(const Federation& federation, const ServedRun& run) {
  const SharedPlan& plan = federation.settings().plan;
  CAUCUS_TRY(Scaling scaling, served_scaling(plan));
  report::StoredModel model;
  model.algorithm = run.options.algorithms.front();
  model.loss = plan.loss;
  model.labels = labels_of(plan, scaling);
  model.seed = plan.seed;
  model.held = plan.held;
  model.feature_names = feature_names(plan, scaling);
  model.scaling = std::move(scaling);
  model.spaces = plan.spaces;
  model.learned = federation.server()->learned();
  return model;
}

}  // namespace caucus::cli
