// What a run tells: the JSON of the contract, the table for people, the forecasts.
#pragma once

#include <string>

#include "caucus/data/dataset.hpp"
#include "caucus/simulation/experiment.hpp"
#include "caucus/simulation/labels.hpp"
#include "config.hpp"
#include "settings.hpp"

namespace caucus::cli {

/// A finished run, all of it.
struct FinishedRun {
  const RunConfig& config;
  const ExperimentOptions& options;
  const Dataset& data;
  const ExperimentResult& result;
  LabelConvention labels = LabelConvention::none;
};

/// "adaptive", "theory", ...; "own" for a baseline, whose rates are its own.
std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result);

Json result_json(const FinishedRun& run);
std::string result_table(const FinishedRun& run);
/// CSV: every forecast of the first repetition in original units, and what became true.
std::string forecasts_csv(const FinishedRun& run);

}  // namespace caucus::cli
