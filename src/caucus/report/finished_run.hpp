// What a run tells: the JSON of the contract, the table for people, the forecasts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/report/json.hpp"
#include "caucus/simulation/labels.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus::report {

/// What is told of the data: a server has none, but knows this of its clients'.
struct DataFacts {
  std::string name;  ///< the file, the directory or the store
  std::size_t rows = 0;
  std::vector<std::string> feature_names;  ///< empty if the file names no columns
  Scaling scaling;

  [[nodiscard]] std::size_t features() const { return scaling.feature_columns.size(); }
};
inline DataFacts facts_of(const Dataset& data) {
  return {data.name(), data.rows(), data.feature_names(), data.scaling()};
}

/// A finished run, all of it.
struct FinishedRun {
  std::string version;  ///< of the program
  Json config;          ///< the complete configuration, with the command line
  const ExperimentOptions& options;
  const DataFacts& data;
  const ExperimentResult& result;
  LabelConvention labels = LabelConvention::none;
};

/// "adaptive", "theory", ...; "own" for a baseline, whose rates are its own.
std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result);

Json result_json(const FinishedRun& run);
std::string result_table(const FinishedRun& run);
/// CSV: every forecast of the first repetition in original units, and what became true.
std::string forecasts_csv(const FinishedRun& run);

}  // namespace caucus::report
