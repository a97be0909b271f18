// A finished run, and the table and the forecasts made of it.
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

/// Facts about the data. A server has no data itself, but knows these of its clients'.
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

/// A finished run, simulated or served.
struct FinishedRun {
  std::string version;  ///< of the program
  Json config;          ///< the complete configuration, with the command line
  const ExperimentOptions& options;
  const DataFacts& data;
  const ExperimentResult& result;
  LabelConvention labels = LabelConvention::none;
};

/// Returns "adaptive", "theory", ..., or "own" for a baseline, which has its own rates.
std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result);

std::string result_table(const FinishedRun& run);
/// Returns CSV with every prediction of the first repetition in original units, and the true
/// values.
std::string forecasts_csv(const FinishedRun& run);

}  // namespace caucus::report
