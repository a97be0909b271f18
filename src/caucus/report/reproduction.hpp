// The findings of `caucus reproduce`: tables with the paper's values beside ours, charts, and a
// verdict on every claim. Their JSON is written and read here and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/json.hpp"
#include "caucus/result.hpp"

namespace caucus::report {

struct FoundTable {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;  ///< each cell is a text, a number or null
};

using FoundChart = std::variant<LineChart, BarChart>;

struct Verdict {
  std::string claim;
  std::optional<bool> holds;  ///< empty if it could not be measured
  std::string evidence;
};

struct Reproduction {
  std::vector<FoundTable> tables;
  std::vector<FoundChart> charts;
  std::vector<Verdict> verdicts;
  std::vector<std::string> skipped;  ///< data sets that are absent or not comparable
};

std::string reproduction_text(const Reproduction& found);

/// The members of the result that hold the findings.
Json reproduction_json(const Reproduction& found);
/// Reads them back. An element of "charts" with the kind "bars" has rows in place of series.
Result<Reproduction> read_reproduction(const Json& result);

}  // namespace caucus::report
