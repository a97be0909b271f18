// The experiments of `caucus reproduce`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caucus/report/reproduction.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus::reproduce {

using report::FoundTable;
using report::LineChart;
using report::LineStyle;
using report::Reproduction;
using report::Scale;
using report::Series;
using report::Verdict;

/// Settings are tuned on repetitions from this number on, and reported on those from 0 on.
inline constexpr std::uint32_t kTuningRepetitions = 1000;

struct Options {
  std::string data_dir;                     ///< may be empty if an experiment has built-in data
  std::optional<std::size_t> repeats = {};  ///< of --repeats
  bool quick = false;
  std::size_t threads = 0;
  std::uint64_t seed = 1;

  /// Returns the number of reported repetitions: the requested number, or 10, or 2 with --quick.
  [[nodiscard]] std::size_t reported() const;
};

Result<Reproduction> table3(const Options& options, Progress& progress);
Result<Reproduction> table4(const Options& options, Progress& progress);
Result<Reproduction> lower_bound(const Options& options, Progress& progress);
Result<Reproduction> communication(const Options& options, Progress& progress);
Result<Reproduction> heterogeneous(const Options& options, Progress& progress);

/// 100 (value / reference - 1)
double deviation(double value, double reference);
/// "+1.2%"
std::string percent(double value);

/// Formats values that may be unknown.
report::Json number_or_null(const std::optional<double>& value);
report::Json deviation_or_null(double value, const std::optional<double>& reference);

/// Completes a chart of dots with one column for each data set of `names`: orders the columns by x,
/// puts their names into the note, and adds a dashed line at 1 with the name `level` first.
void name_columns(LineChart& chart, const std::vector<std::string>& names,
                  const std::string& level);

}  // namespace caucus::reproduce
