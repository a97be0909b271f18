#include "caucus/report/reproduction.hpp"

#include <gtest/gtest.h>

#include "caucus/report/report.hpp"

namespace caucus::report {
namespace {

Reproduction findings() {
  Reproduction found;
  found.tables.push_back(
      {"Table", "a note", {"data", "MSE"}, {{"bank", 0.25}, {"slice", nullptr}}});
  LineChart lines{{"Lines", "below"}, {"bits", Scale::log}, {"MSE", Scale::linear}};
  lines.series.push_back(
      {"ours", {1.0, 2.0}, {3.0, 4.0}, {2.5, 3.5}, {3.5, 4.5}, LineStyle::dashed});
  found.charts.emplace_back(lines);
  BarChart bars;
  bars.text = {"Bars", ""};
  bars.label = "times faster";
  bars.row_label = "program";
  bars.scale = Scale::log;
  bars.groups = {"measured", "target"};
  bars.rows.push_back({"loop", {10.0, 2.0}, {}});
  found.charts.emplace_back(bars);
  found.verdicts = {{"it holds", true, "0.1"}, {"it does not", false, "0.2"}, {"unknown", {}, "-"}};
  found.skipped = {"year: there is no year.csv.gz"};
  return found;
}

TEST(Reproduction, IsWrittenAgainAsItWasRead) {
  const Json written = reproduction_json(findings());
  const Reproduction read = read_reproduction(written).value();
  EXPECT_EQ(reproduction_json(read), written);
  EXPECT_EQ(reproduction_text(read), reproduction_text(findings()));
}

TEST(Reproduction, HasFiguresThatStandAlone) {
  Json result = {{"reproduce", "table3"}};
  result.update(reproduction_json(findings()));
  for (const std::size_t number : {1U, 2U}) {
    const std::string svg = figure_svg(result, number).value();
    EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_NE(svg.find("<style>"), std::string::npos);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
  }
  EXPECT_FALSE(figure_svg(result, 0).ok());
  EXPECT_FALSE(figure_svg(result, 3).ok());
}

}  // namespace
}  // namespace caucus::report
