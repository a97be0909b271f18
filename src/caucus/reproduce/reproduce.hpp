// The findings of `caucus reproduce`: tables with the paper's values beside ours, charts, and a
// verdict on every claim. All experiments have this form, as text, as JSON and for the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caucus/report/json.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus::reproduce {

/// Settings are tuned on repetitions from this number on, and reported on those from 0 on.
inline constexpr std::uint32_t kTuningRepetitions = 1000;

struct ReproduceOptions {
  std::string data_dir;                     ///< may be empty if an experiment has built-in data
  std::optional<std::size_t> repeats = {};  ///< of --repeats
  bool quick = false;
  std::size_t threads = 0;
  std::uint64_t seed = 1;

  /// Returns the number of reported repetitions: the requested number, or 10, or 2 with --quick.
  [[nodiscard]] std::size_t reported() const;
};

struct ReproduceTable {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<report::Json>> rows;  ///< text, numbers, or null
};

struct ChartAxis {
  std::string label;
  std::string scale = "linear";  ///< or "log"
};

struct ChartSeries {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< empty, or a band around y
  std::string style = "line";     ///< or "dashed", "points"

  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
  /// Mean and standard deviation over repetitions.
  void add(double at, const std::vector<double>& values);
};

struct ReproduceChart {
  std::string title, note;
  ChartAxis x, y;
  std::vector<ChartSeries> series;
};

struct Verdict {
  std::string claim;
  std::optional<bool> holds;  ///< absent if it could not be measured
  std::string evidence;
};

struct Reproduction {
  std::vector<ReproduceTable> tables;
  std::vector<ReproduceChart> charts;
  std::vector<Verdict> verdicts;
  std::vector<std::string> skipped;  ///< data sets that are absent or not comparable
};

Result<Reproduction> reproduce_table3(const ReproduceOptions& options, Progress& progress);
Result<Reproduction> reproduce_table4(const ReproduceOptions& options, Progress& progress);
Result<Reproduction> reproduce_lower_bound(const ReproduceOptions& options, Progress& progress);
Result<Reproduction> reproduce_communication(const ReproduceOptions& options, Progress& progress);
Result<Reproduction> reproduce_heterogeneous(const ReproduceOptions& options, Progress& progress);

std::string reproduction_text(const Reproduction& found);
/// Returns the findings as JSON.
report::Json reproduction_json(const Reproduction& found);

/// 100 (value / reference - 1)
double deviation(double value, double reference);
/// "+1.2%"
std::string percent(double value);

/// Formats values that may be unknown.
report::Json number_or_null(const std::optional<double>& value);
report::Json deviation_or_null(double value, const std::optional<double>& reference);

/// Completes a chart of dots with one column for each data set of `names`: orders the columns by x,
/// puts their names into the note, and adds a dashed line at 1 with the name `level` first.
void name_columns(ReproduceChart& chart, const std::vector<std::string>& names,
                  const std::string& level);

}  // namespace caucus::reproduce
