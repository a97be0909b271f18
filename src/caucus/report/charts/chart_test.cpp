#include "caucus/report/charts/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

namespace caucus::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Point = std::pair<double, double>;

struct Element {
  std::map<std::string, std::string> attributes;
  std::string text;

  [[nodiscard]] double number(const std::string& name) const {
    return std::stod(attributes.at(name));
  }
};

/// The elements of an SVG with this tag and a class that contains `css`.
std::vector<Element> elements(const std::string& svg, const std::string& tag,
                              const std::string& css) {
  const std::regex element("<" + tag + "( [^>]*?)/?>(?:([^<]*)</" + tag + ">)?");
  const std::regex attribute(R"RE( ([a-z0-9-]+)="([^"]*)")RE");
  std::vector<Element> found;
  for (std::sregex_iterator it(svg.begin(), svg.end(), element), end; it != end; ++it) {
    Element e;
    e.text = (*it)[2];
    const std::string list = (*it)[1];
    for (std::sregex_iterator a(list.begin(), list.end(), attribute); a != end; ++a) {
      e.attributes[(*a)[1]] = (*a)[2];
    }
    if ((" " + e.attributes["class"] + " ").find(" " + css + " ") != std::string::npos) {
      found.push_back(e);
    }
  }
  return found;
}

/// Coordinates of a path of M and L; `moves` counts the M.
std::vector<Point> points(const std::string& d, int* moves = nullptr) {
  const std::regex point("([ML])(-?[0-9.]+) (-?[0-9.]+)");
  std::vector<Point> list;
  for (std::sregex_iterator it(d.begin(), d.end(), point), end; it != end; ++it) {
    list.emplace_back(std::stod((*it)[2]), std::stod((*it)[3]));
    if (moves != nullptr && (*it)[1] == "M") ++*moves;
  }
  return list;
}

/// Returns the position of a label of the x axis, which is the position of its tick.
double tick_x(const std::string& svg, const std::string& label) {
  for (const Element& e : elements(svg, "text", "mid")) {
    if (e.text == label) return e.number("x");
  }
  ADD_FAILURE() << "no tick " << label;
  return 0.0;
}

double tick_y(const std::string& svg, const std::string& label) {
  for (const Element& e : elements(svg, "text", "end")) {
    if (e.text == label) return e.number("y") - 4.0;  // the baseline lies below the middle
  }
  ADD_FAILURE() << "no tick " << label;
  return 0.0;
}

LineChart line_chart(std::vector<double> x, std::vector<double> y) {
  LineChart chart;
  chart.text = {"Title", "note"};
  chart.x.label = "time";
  chart.y.label = "loss";
  chart.series.push_back({"a", std::move(x), std::move(y), {}, {}, LineStyle::line, 0});
  return chart;
}

AreaChart area_chart(const std::string& text, std::vector<double> at,
                     std::vector<std::string> names, std::vector<std::vector<double>> shares) {
  AreaChart chart;
  chart.text.title = chart.x.label = text;
  chart.at = std::move(at);
  chart.names = std::move(names);
  chart.shares = std::move(shares);
  return chart;
}

TEST(LineChart, EveryValueHasItsPointAtItsPlace) {
  const std::vector<double> x = {0.0, 1.0, 2.5, 7.0, 10.0};
  const std::vector<double> y = {0.0, 3.0, 10.0, 4.5, 1.0};
  const std::string svg = svg_of(line_chart(x, y), "c");
  const auto lines = elements(svg, "path", "line");
  ASSERT_EQ(lines.size(), 1U);
  const auto drawn = points(lines[0].attributes.at("d"));
  ASSERT_EQ(drawn.size(), x.size());
  const double x0 = tick_x(svg, "0");
  const double x10 = tick_x(svg, "10");
  const double y0 = tick_y(svg, "0");
  const double y10 = tick_y(svg, "10");
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(drawn[i].first, x0 + (x10 - x0) * x[i] / 10.0, 0.11);
    EXPECT_NEAR(drawn[i].second, y0 + (y10 - y0) * y[i] / 10.0, 0.11);
  }
}

TEST(LineChart, LogAxesPlaceLogarithms) {
  LineChart chart = line_chart({1.0, 10.0, 50.0, 1000.0}, {0.01, 0.2, 1.0, 10.0});
  chart.x.scale = chart.y.scale = Scale::log;
  const std::string svg = svg_of(chart, "c");
  const auto drawn = points(elements(svg, "path", "line").at(0).attributes.at("d"));
  ASSERT_EQ(drawn.size(), 4U);
  const double decade_x = (tick_x(svg, "1,000") - tick_x(svg, "1")) / 3.0;
  const double decade_y = (tick_y(svg, "10") - tick_y(svg, "0.01")) / 3.0;
  EXPECT_NEAR(drawn[2].first, tick_x(svg, "1") + decade_x * std::log10(50.0), 0.15);
  EXPECT_NEAR(drawn[1].second, tick_y(svg, "0.01") + decade_y * std::log10(20.0), 0.15);
}

TEST(LineChart, UnknownValuesLeaveGaps) {
  int moves = 0;
  LineChart chart = line_chart({1, 2, 3, 4, 5, 6}, {1.0, std::nan(""), 3.0, HUGE_VAL, 5.0, 6.0});
  auto drawn =
      points(elements(svg_of(chart, "c"), "path", "line").at(0).attributes.at("d"), &moves);
  EXPECT_EQ(drawn.size(), 4U);
  EXPECT_EQ(moves, 3);
  chart = line_chart({1, 2, 3}, {1.0, -1.0, 2.0});
  chart.y.scale = Scale::log;
  drawn = points(elements(svg_of(chart, "c"), "path", "line").at(0).attributes.at("d"));
  EXPECT_EQ(drawn.size(), 2U);
}

TEST(LineChart, WhatRisesTooHighLeavesAtTheTop) {
  LineChart chart = line_chart({0, 1, 2, 3, 4}, {1.0, 2.0, 1e9, 1e12, 1e15});
  chart.series[0].low = {1.0, 1.0, -1e9, -1e12, -1e16};  // its band must not set the axis
  chart.series[0].high = {1.0, 3.0, 3e9, 3e12, 3e15};
  chart.series.push_back({"b", {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {}, {}, LineStyle::line, 1});
  chart.y_most = 8.0;
  const std::string svg = svg_of(chart, "c");
  const auto lines = elements(svg, "path", "line");
  const auto leaving = points(lines.at(0).attributes.at("d"));
  ASSERT_EQ(leaving.size(), 3U);
  EXPECT_NEAR(leaving[2].second, tick_y(svg, "4"), 0.11);  // the axis ends there
  EXPECT_EQ(points(lines.at(1).attributes.at("d")).size(), 5U);
}

TEST(LineChart, ABandIsOneOutlineThereAndBack) {
  LineChart chart = line_chart({0, 5, 10}, {2, 4, 6});
  chart.series[0].low = {1, 2, 3};
  chart.series[0].high = {3, 6, 10};
  const std::string svg = svg_of(chart, "c");
  const auto bands = elements(svg, "path", "band");
  ASSERT_EQ(bands.size(), 1U);
  const auto outline = points(bands[0].attributes.at("d"));
  ASSERT_EQ(outline.size(), 6U);
  const double y0 = tick_y(svg, "0");
  const double y10 = tick_y(svg, "10");
  const std::vector<double> expected = {3, 6, 10, 3, 2, 1};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(outline[i].second, y0 + (y10 - y0) * expected[i] / 10.0, 0.11) << i;
  }
  chart.series[0].high[1] = std::nan("");
  int moves = 0;
  points(elements(svg_of(chart, "c"), "path", "band").at(0).attributes.at("d"), &moves);
  EXPECT_EQ(moves, 2);
}

/// So many lines that end almost at the same place.
LineChart crowded_chart(std::size_t lines) {
  LineChart chart;
  for (std::size_t k = 0; k < lines; ++k) {
    chart.series.push_back({"series " + std::to_string(k),
                            {1, 2},
                            {1.0, 1.0 + 1e-4 * double(k)},
                            {},
                            {},
                            LineStyle::line,
                            k});
  }
  chart.references.push_back({"reference", 1.0});
  return chart;
}

TEST(LineChart, NamesAtTheEndsOfLinesDoNotOverlap) {
  const auto names = elements(svg_of(crowded_chart(6), "c"), "text", "label");
  ASSERT_EQ(names.size(), 7U);
  std::vector<double> y;
  y.reserve(names.size());
  for (const Element& name : names) y.push_back(name.number("y"));
  std::sort(y.begin(), y.end());
  for (std::size_t i = 1; i < y.size(); ++i) EXPECT_GE(y[i] - y[i - 1], 14.0);
}

TEST(LineChart, ManyLinesHaveALegendBelowThePlotWithoutOverlaps) {
  const std::string svg = svg_of(crowded_chart(30), "c");
  const auto names = elements(svg, "text", "label");
  ASSERT_EQ(names.size(), 31U);
  double bottom = 0.0;
  for (const Element& tick : elements(svg, "text", "tick")) {
    bottom = std::max(bottom, tick.number("y"));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_GT(names[i].number("y"), bottom + 12.0);
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_TRUE(std::abs(names[i].number("y") - names[k].number("y")) >= 14.0 ||
                  std::abs(names[i].number("x") - names[k].number("x")) >= 100.0)
          << names[i].text << " meets " << names[k].text;
    }
  }
}

TEST(LineChart, LinesOfOneColourDifferInDashesAndMarkers) {
  const std::string svg = svg_of(crowded_chart(24), "c");
  const auto lines = elements(svg, "path", "line");
  const auto markers = elements(svg, "path", "marker");
  ASSERT_EQ(lines.size(), 48U);  // each with its sample
  for (std::size_t k = 8; k < 24; ++k) {
    EXPECT_NE(lines[k].attributes.at("class"), lines[k - 8].attributes.at("class"));
    EXPECT_EQ(lines[k].attributes.at("class"), lines[k + 24].attributes.at("class"));
    EXPECT_NE(markers[2 * k].attributes.at("d"), markers[2 * (k - 8)].attributes.at("d"));
    EXPECT_EQ(markers[2 * k].attributes.at("d"), markers[48 + k].attributes.at("d"));
  }
}

TEST(LineChart, ALineThatEndsInsideThePlotIsNamedBelowIt) {
  LineChart chart = line_chart({0, 10}, {1, 2});
  chart.series.push_back({"short", {0, 5}, {1, 1.5}, {}, {}, LineStyle::line, 1});
  const std::string svg = svg_of(chart, "c");
  for (const Element& name : elements(svg, "text", "label")) {
    EXPECT_GT(name.number("y"), tick_y(svg, "1.0") + 30.0) << name.text;
  }
}

TEST(LineChart, EveryPointOfASeriesOfPointsHasItsMarker) {
  LineChart chart = line_chart(std::vector<double>(20, 1.0), std::vector<double>(20, 1.0));
  for (std::size_t i = 0; i < 20; ++i) chart.series[0].x[i] = static_cast<double>(i);
  chart.series[0].style = LineStyle::points;
  const std::string svg = svg_of(chart, "c");
  EXPECT_EQ(elements(svg, "path", "marker").size(), 20U);
  EXPECT_TRUE(elements(svg, "path", "line").empty());
}

TEST(LineChart, DashedLinesAreDashed) {
  LineChart chart = line_chart({1, 2}, {1, 2});
  chart.series[0].style = LineStyle::dashed;
  EXPECT_EQ(elements(svg_of(chart, "c"), "path", "dashed").size(), 1U);
}

TEST(LineChart, PlacesForTheReaderMatchTheRowsOfNumbers) {
  const LineChart chart = line_chart({0, 5, 10}, {1, 2, 3});
  const std::string svg = svg_of(chart, "c");
  const auto root = elements(svg, "svg", "chart");
  ASSERT_EQ(root.size(), 1U);
  std::istringstream places(root[0].attributes.at("data-x"));
  const std::vector<double> x((std::istream_iterator<double>(places)), {});
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[1], (tick_x(svg, "0") + tick_x(svg, "10")) / 2.0, 0.11);
  EXPECT_EQ(numbers_of(chart).rows.size(), 3U);
  LineChart apart = chart;
  apart.series.push_back({"b", {1, 2}, {1, 2}, {}, {}, LineStyle::line, 1});
  EXPECT_THAT(svg_of(apart, "c"), Not(HasSubstr("data-x")));
  EXPECT_EQ(numbers_of(apart).rows.size(), 5U);
}

TEST(AnyChart, TextsAreEscapedAndPicturesNamed) {
  const std::string evil = "<script>&\"";
  LineChart lines = line_chart({1, 2}, {1, 2});
  lines.text.title = lines.x.label = lines.y.label = lines.series[0].name = evil;
  lines.references.push_back({evil, 1.5});
  const AreaChart areas = area_chart(evil, {1, 2}, {evil}, {{1, 1}});
  const BarChart bars{{evil, ""}, evil, evil, {evil, evil}, {}, {{evil, {1, 2}, {}}}, {{evil, 1}}};
  const ScatterChart scatter{{evil, ""}, {evil}, {evil}, {{evil, 1, 1, 0, 0}}};
  for (const Chart& chart : {Chart(lines), Chart(areas), Chart(bars), Chart(scatter)}) {
    const std::string svg = svg_of(chart, "c7");
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-labelledby=\"c7-title c7-desc\""));
    EXPECT_THAT(svg, HasSubstr("<title id=\"c7-title\">&lt;script&gt;&amp;&quot;</title>"));
    EXPECT_THAT(svg, HasSubstr("<desc id=\"c7-desc\">"));
  }
}

TEST(AnyChart, NothingToShowIsStillAPicture) {
  const std::vector<double> none = {std::nan(""), std::nan("")};
  for (const Chart& chart :
       {Chart(LineChart{}), Chart(line_chart(none, none)), Chart(line_chart({}, {})),
        Chart(AreaChart{}), Chart(area_chart("", none, {"a"}, {none})), Chart(BarChart{}),
        Chart(BarChart{{}, "", "", {"a"}, {}, {{"r", {std::nan("")}, {}}}, {}}),
        Chart(ScatterChart{}), Chart(ScatterChart{{}, {}, {}, {{"a", HUGE_VAL, 1, 0, 0}}})}) {
    const std::string svg = svg_of(chart, "c");
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(AreaChart, SharesAreStackedFromTheTopAndFillTheWhole) {
  const AreaChart chart =
      area_chart("t", {0, 10}, {"a", "b", "c"}, {{0.5, 0.1}, {0.25, 0.2}, {0.25, 0.7}});
  const std::string svg = svg_of(chart, "c");
  const auto areas = elements(svg, "path", "area");
  ASSERT_EQ(areas.size(), 3U);
  const double y0 = tick_y(svg, "0%");
  const double y100 = tick_y(svg, "100%");
  const auto at = [&](double share) { return y0 + (y100 - y0) * share; };
  // from left to right above, and back below
  const std::vector<std::vector<double>> expected = {
      {1.0, 1.0, 0.9, 0.5}, {0.5, 0.9, 0.7, 0.25}, {0.25, 0.7, 0.0, 0.0}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto outline = points(areas[k].attributes.at("d"));
    ASSERT_EQ(outline.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(outline[i].second, at(expected[k][i]), 0.11);
  }
}

TEST(BarChart, BarsAreAsLongAsTheirValuesAndReferencesStandAtTheirs) {
  const BarChart chart{
      {"t", ""},        "regret", "space", {}, {}, {{"r1", {50.0}, {}}, {"r2", {-20.0}, {}}},
      {{"bound", 30.0}}};
  const std::string svg = svg_of(chart, "c");
  const double zero = tick_x(svg, "0");
  const double unit = (tick_x(svg, "40") - zero) / 40.0;
  const auto bars = elements(svg, "rect", "bar");
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_NEAR(bars[0].number("x"), zero, 0.11);
  EXPECT_NEAR(bars[0].number("width"), 50.0 * unit, 0.2);
  EXPECT_NEAR(bars[1].number("x"), zero - 20.0 * unit, 0.2);
  EXPECT_NEAR(bars[1].number("width"), 20.0 * unit, 0.2);
  const auto references = elements(svg, "line", "reference");
  ASSERT_EQ(references.size(), 1U);
  EXPECT_NEAR(references[0].number("x1"), zero + 30.0 * unit, 0.2);
}

TEST(BarChart, SeveralGroupsHaveMarkersAndALegend) {
  const BarChart chart{
      {"t", ""}, "regret", "space", {"one", "two"}, {3, 1}, {{"r", {5.0, 6.0}, {}}}, {}};
  const std::string svg = svg_of(chart, "c");
  EXPECT_EQ(elements(svg, "path", "marker").size(), 4U);
  EXPECT_EQ(elements(svg, "path", "s3").size(), 2U);
  EXPECT_EQ(elements(svg, "rect", "s1").size(), 1U);
}

TEST(ScatterChart, PointsLieAtTheirPlacesAndNamesDoNotOverlap) {
  ScatterChart chart{{"t", ""}, {"bits"}, {"MSE"}, {}};
  for (std::size_t k = 0; k < 6; ++k) chart.points.push_back({"name", 50.0, 0.5, 0.1, k});
  chart.points.push_back({"far", 100.0, 1.0, 0.0, 6});
  chart.points.push_back({"zero", 0.0, 0.0, 0.0, 7});
  const std::string svg = svg_of(chart, "c");
  const auto markers = elements(svg, "path", "marker");
  ASSERT_EQ(markers.size(), 8U);
  std::vector<double> y;
  for (const Element& name : elements(svg, "text", "label")) {
    if (name.text == "name") y.push_back(name.number("y"));
  }
  ASSERT_EQ(y.size(), 6U);
  std::sort(y.begin(), y.end());
  for (std::size_t i = 1; i < y.size(); ++i) EXPECT_GE(y[i] - y[i - 1], 13.9);
  const double middle_x = (tick_x(svg, "0") + tick_x(svg, "100")) / 2.0;
  const double middle_y = (tick_y(svg, "0") + tick_y(svg, "1.0")) / 2.0;
  const std::string place = markers[0].attributes.at("transform");
  double x = 0.0;
  double at_y = 0.0;
  ASSERT_EQ(std::sscanf(place.c_str(), "translate(%lf %lf)", &x, &at_y), 2);
  EXPECT_NEAR(x, middle_x, 0.11);
  EXPECT_NEAR(at_y, middle_y, 0.11);
}

}  // namespace
}  // namespace caucus::report
