// The experiments of `caucus reproduce`.
#pragma once

#include <algorithm>
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

/// Adds a deviation that supports or refutes the claim to the evidence, as in "bank +1.2%, year
/// -0.3%". A deviation that is not finite leaves the claim open.
void add_evidence(Verdict& verdict, const std::string& where, double deviation, bool supports);

/// Begins a chart of dots with one column for each data set: orders the sets by their x, puts their
/// names into the note, and adds a dashed line at 1 with the name `level`.
template <class Measured, class Place>
void begin_columns(LineChart& chart, std::vector<Measured>& sets, const Place& x_of,
                   const char* level) {
  std::sort(sets.begin(), sets.end(),
            [&](const Measured& a, const Measured& b) { return x_of(a) < x_of(b); });
  Series& line = chart.series.emplace_back(Series{.name = level, .style = LineStyle::dashed});
  for (const Measured& set : sets) {
    chart.text.note += (chart.text.note.empty() ? "from left to right: " : ", ") + set.name;
    line.add(x_of(set), 1.0);
  }
}

}  // namespace caucus::reproduce
