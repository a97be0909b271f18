// What a served run has learned and measured, in the form in which a simulated one tells it.
#pragma once

#include "caucus/federation/federation.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/result.hpp"
#include "serving/served_run.hpp"

namespace caucus::cli {

struct ServedResult {
  report::DataFacts data;
  ExperimentResult result;
  LabelConvention labels = LabelConvention::none;
};

/// Of a run that has begun; `name` is what the data are called.
Result<ServedResult> served_result(const Federation& federation, const ServedRun& run,
                                   std::string name, double seconds);

/// The same, as far as a model file needs it: also of a run that goes on.
Result<report::StoredModel> served_model(const Federation& federation, const ServedRun& run);

/// How a file's columns become an example. Where nobody knows the columns: features, forecasts of
/// experts, target.
Result<Scaling> served_scaling(const SharedPlan& plan);

}  // namespace caucus::cli
