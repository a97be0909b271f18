// What `caucus reproduce` finds: tables with the paper's values beside ours, charts, and a verdict
// on every claim. One form for all experiments, as text, as JSON, and for the report.
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

/// Settings are tuned on the repetitions from this one on, and reported on those from 0.
inline constexpr std::uint32_t kTuningRepetitions = 1000;

struct ReproduceOptions {
  std::string data_dir;                     ///< may be empty where an experiment has built-in data
  std::optional<std::size_t> repeats = {};  ///< of --repeats
  bool quick = false;
  std::size_t threads = 0;
  std::uint64_t seed = 1;

  /// How many repetitions are reported: those asked for, else 10, or 2 for a quick look.
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
  std::optional<bool> holds;  ///< none: it could not be measured
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
/// The parts of the JSON that hold the findings.
report::Json reproduction_json(const Reproduction& found);

/// 100 (value / reference - 1)
double deviation(double value, double reference);
/// "+1.2%"
std::string percent(double value);

/// Cells for values that may not be known.
report::Json number_or_null(const std::optional<double>& value);
report::Json deviation_or_null(double value, const std::optional<double>& reference);

/// Ends a chart of dots, one column for each data set in the order of `names`: the columns in the
/// order of x, their names in the note, and first a dashed line at 1 named `level`.
void name_columns(ReproduceChart& chart, const std::vector<std::string>& names,
                  const std::string& level);

}  // namespace caucus::reproduce
