#include "caucus/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caucus::report {
namespace {

using ::testing::HasSubstr;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json algorithm(const std::string& name, std::size_t spaces = 2) {
  Json json = {{"algorithm", name},
               {"schedule", "theory"},
               {"sample", 2},
               {"rounds", 4},
               {"uploads", 4},
               {"mse", {{"mean", 0.25}, {"sd", 0.01}}},
               {"loss", {{"mean", 0.25}, {"sd", 0.01}}},
               {"seconds", {{"mean", 0.5}, {"sd", 0.1}}},
               {"upload_bits_per_client_round", 100},
               {"download_bits_per_client_round", 90},
               {"curve", {{"round", {1, 2, 4}}, {"loss", {4.0, 6.0, 10.0}}}}};
  const double share = 1.0 / static_cast<double>(spaces);
  Json regret = Json::array();
  for (std::size_t i = 0; i < spaces; ++i) {
    const std::string space = "linear U=" + std::to_string(i + 1);
    json["spaces"].push_back(space);
    regret.push_back({{"space", space}, {"best_loss", 3.0}, {"regret", 7.0 + double(i)}});
  }
  json["probabilities"] = std::vector<double>(spaces, share);
  json["regret"] = std::move(regret);
  json["curve"]["regret"] = {1.0, 3.0, 7.0};
  json["curve"]["probabilities"] =
      std::vector<std::vector<double>>(3, std::vector<double>(spaces, share));
  return json;
}

Json run(std::size_t spaces = 2) {
  return {{"version", "1.2.3"},
          {"config",
           {{"data", {{"file", "dir/data.csv"}}},
            {"algorithm", {{"loss", "square"}}},
            {"run", {{"repeats", 10}}},
            {"command", "caucus run --data dir/data.csv"}}},
          {"data", {{"rows", 41}, {"used", 40}, {"features", 3}, {"clients", 10}}},
          {"results", {algorithm("fomd-oms", spaces), algorithm("nco-oms", spaces)}},
          {"yardsticks", {{"mean_predictor", 0.4}}}};
}

std::string page(const Json& json) {
  auto html = report_html(json);
  if (html.ok()) return *html;
  ADD_FAILURE() << html.error().line();
  return {};
}

std::string refusal(const Json& json) {
  auto html = report_html(json);
  if (!html.ok()) return html.error().line();
  ADD_FAILURE() << "was accepted";
  return {};
}

TEST(Report, ARunHasAllItsChartsTablesAndTheCommand) {
  const std::string html = page(run());
  for (const char* title :
       {"Loss per example so far", "Cumulative loss", "Regret over time",
        "Regret against each space", "Probabilities over time: fomd-oms",
        "Probabilities over time: nco-oms", "MSE against communication", "Time"}) {
    EXPECT_TRUE(holds(html, "</span> " + std::string(title) + "</h3>")) << title;
  }
  EXPECT_EQ(count(html, "<svg "), 16U);  // each in two widths
  EXPECT_EQ(count(html, "<details>"), 8U);
  EXPECT_TRUE(holds(html, "<h1>data.csv</h1>"));
  EXPECT_TRUE(holds(html, "0.250 ± 0.010"));
  EXPECT_TRUE(holds(html, "<code>caucus run --data dir/data.csv</code>"));
  EXPECT_TRUE(holds(html, "caucus 1.2.3"));
  EXPECT_EQ(html, page(run()));
}

TEST(Report, LossPerExampleIsTheSumDividedByRoundsTimesClients) {
  // 4 / (1 x 10), 6 / (2 x 10), 10 / (4 x 10)
  const std::string html = page(run());
  for (const char* row : {">1</th><td class=\"number\">0.4<", ">2</th><td class=\"number\">0.3<",
                          ">4</th><td class=\"number\">0.25<"}) {
    EXPECT_TRUE(holds(html, row)) << row;
  }
}

TEST(Report, SpreadsBecomeBandsOfOneStandardDeviation) {
  Json json = run();
  EXPECT_EQ(count(page(json), "class=\"band"), 0U);
  json["results"][0]["curve"]["loss_sd"] = {1.0, 2.0, 4.0};
  json["results"][0]["curve"]["regret_sd"] = {0.5, 0.5, 0.5};
  const std::string html = page(json);
  EXPECT_EQ(count(html, "class=\"band"), 6U);  // three charts, each in two widths
  EXPECT_TRUE(holds(html, "10 (6 to 14)"));
  EXPECT_TRUE(holds(html, "0.25 (0.15 to 0.35)"));
  EXPECT_TRUE(holds(html, "7 (6.5 to 7.5)"));
}

TEST(Report, OneRepetitionHasNoBands) {
  Json json = run();
  json["results"][0]["curve"]["loss_sd"] = {0.0, 0.0, 0.0};
  const std::string html = page(json);
  EXPECT_EQ(count(html, "class=\"band"), 0U);
  EXPECT_FALSE(holds(html, "Bands:"));
}

TEST(Report, AFigureHasMoreThanOnePoint) {
  Json json = run();
  json["results"].erase(1);
  const std::string html = page(json);
  EXPECT_FALSE(holds(html, "against communication"));
  EXPECT_FALSE(holds(html, "</span> Time</h3>"));
  EXPECT_TRUE(holds(html, "Loss per example so far"));
  Json& curve = json["results"][0]["curve"];
  curve = {{"round", {1}}, {"loss", {4.0}}, {"regret", {1.0}}, {"probabilities", {{0.5, 0.5}}}};
  EXPECT_EQ(count(page(json), "so far</h3>") + count(page(json), "over time"), 0U);
}

TEST(Report, BoundsAreDrawnOnceInEachWidthWithTheirMeaning) {
  Json json = run();
  EXPECT_FALSE(holds(page(json), "lower bounds"));
  for (Json& result : json["results"]) {
    result["bounds"] = {{"any", 2.5}, {"noncooperative", 5.5}};
  }
  const std::string html = page(json);
  EXPECT_EQ(count(html, ">bound for any algorithm: 2.5</text>"), 2U);
  EXPECT_EQ(count(html, ">bound without cooperation: 5.5</text>"), 2U);
  EXPECT_TRUE(holds(html, "for losses in [0, 1] and the worst data there can be"));
  json["results"][1]["bounds"]["any"] = 3.5;
  EXPECT_TRUE(holds(page(json), ">bound for any algorithm (nco-oms): 3.5</text>"));
}

TEST(Report, WhatDivergedIsCalledSo) {
  Json json = run();
  json["results"][1]["mse"] = {{"mean", nullptr}, {"sd", nullptr}};
  json["results"][1]["diverged"] = 10;
  json["results"][1]["curve"]["loss"] = {4.0, 1e300, nullptr};
  const std::string html = page(json);
  EXPECT_TRUE(holds(html, "data-name=\"MSE\">diverged</td>"));
  EXPECT_TRUE(holds(html, "Leaving the chart at the top: nco-oms."));
  EXPECT_TRUE(holds(html, "Of 2 algorithms fomd-oms is the best"));
  json["results"][1]["mse"] = {{"mean", 0.5}, {"sd", 0.1}};
  json["results"][1]["diverged"] = 3;
  EXPECT_TRUE(holds(page(json), "0.50 ± 0.10; diverged in 3 of 10"));
}

TEST(Report, NamesFromTheResultCannotBecomeMarkup) {
  const std::string evil = "</title><script>alert(1)</script>\"'>";
  Json json = run();
  json["version"] = evil;
  json["config"]["command"] = json["config"]["data"]["file"] = evil;
  json["config"][evil] = evil;
  json["config"]["algorithm"]["loss"] = evil;
  for (Json& result : json["results"]) {
    result["algorithm"] = result["schedule"] = evil;
    for (Json& space : result["spaces"]) space = evil;
  }
  EXPECT_EQ(count(page(json), "<script"), 1U);  // our own
  json["config"]["data"]["file"] = "\xFF\xFE.csv";
  EXPECT_FALSE(holds(page(json), "\xFF"));
}

TEST(Report, FiveThousandSpacesStayASmallPage) {
  const std::string html = page(run(5000));
  EXPECT_LT(html.size(), 150'000U);
  EXPECT_TRUE(holds(html, "The 20 spaces with the largest regret, of 5,000."));
  EXPECT_TRUE(holds(html, "linear U=5000"));
  EXPECT_TRUE(holds(html, "The 11 likeliest at the end, of 5,000."));
  EXPECT_TRUE(holds(html, "the other 4,989"));
}

TEST(Report, OldResultsWithLittleInThemStillWork) {
  const Json json = {{"results", {{{"algorithm", "fomd-oms"}}}}};
  EXPECT_TRUE(holds(page(json), "fomd-oms"));
}

TEST(Report, NegativeRegretIsShownOnALinearAxis) {
  Json json = run();
  json["results"][0]["curve"]["regret"] = {1.0, -3.0, -7.0};
  const std::string html = page(json);
  EXPECT_TRUE(holds(html, ">−5</text>"));
  EXPECT_FALSE(holds(html, "slope one half"));
}

TEST(Report, WhatDoesNotFitTogetherIsRefusedWithItsPlace) {
  const auto changed = [](const char* path, const Json& value) {
    Json json = run();
    json[Json::json_pointer(path)] = value;
    return refusal(json);
  };
  EXPECT_THAT(changed("/results/1/curve/loss", {1.0}),
              HasSubstr("results[1].curve.loss: has 1 elements where 3 belong; expected"));
  EXPECT_THAT(changed("/results/0/curve/loss_sd", {1.0}), HasSubstr("results[0].curve.loss_sd"));
  EXPECT_THAT(changed("/results/0/curve/probabilities", {{1.0}, {1.0}, {1.0}}),
              HasSubstr("results[0].curve.probabilities"));
  EXPECT_THAT(changed("/results/0/probabilities", {1.0}), HasSubstr("results[0].probabilities"));
  EXPECT_THAT(changed("/results/0/regret", Json::array({Json::object()})), HasSubstr("regret"));
  EXPECT_THAT(changed("/results/0/mse/mean", "much"), HasSubstr("results[0].mse.mean: is not"));
  EXPECT_THAT(changed("/results", Json::array()), HasSubstr("results: are missing"));
  EXPECT_THAT(changed("/results/0", 5), HasSubstr("results[0]: is not an object"));
  EXPECT_THAT(changed("/config", "x"), HasSubstr("config: is not an object"));
  EXPECT_THAT(changed("/yardsticks/best_in_hindsight", {1.0}), HasSubstr("best_in_hindsight"));
  for (const Json& other : {Json(), Json(5), Json::array(), Json::object()}) {
    EXPECT_THAT(refusal(other), HasSubstr("expected a result of caucus run"));
  }
}

Json reproduction() {
  return Json::parse(R"json({
    "version": "1.2.3",
    "reproduce": "table3",
    "config": {"command": "caucus reproduce table3", "repeats": 10},
    "tables": [{"title": "Errors", "note": "in units", "columns": ["data", "ours"],
                "rows": [["bank", 0.02009], ["year", null]]}],
    "charts": [{"title": "Errors over N", "x": {"label": "N", "scale": "log"},
                "y": {"label": "MSE"},
                "series": [{"name": "ours", "x": [1, 10], "y": [2, 3], "low": [1, 2],
                            "high": [3, 4]},
                           {"name": "bound", "x": [1, 10], "y": [5, 6], "style": "dashed"}]}],
    "verdicts": [{"claim": "A", "holds": true, "evidence": "much"},
                 {"claim": "B", "holds": false},
                 {"claim": "C", "holds": null}],
    "skipped": ["twitter"],
    "seconds": 12.5})json");
}

TEST(Report, AReproductionShowsVerdictsInWordsTablesAndCharts) {
  const std::string html = page(reproduction());
  for (const char* part :
       {"Reproduction: Table 3", ">✓ true<", ">✗ false<", ">○ not tested<", ">0.02009<", ">–<",
        "<li>twitter</li>", "Errors over N", "caucus reproduce table3", "12.5 seconds"}) {
    EXPECT_TRUE(holds(html, part)) << part;
  }
  EXPECT_EQ(count(html, "<svg "), 2U);  // in two widths
  EXPECT_EQ(count(html, "class=\"band"), 2U);
  EXPECT_EQ(count(html, "class=\"line dashed"), 2U);
}

TEST(Report, AReproductionThatDoesNotFitTogetherIsRefused) {
  const auto changed = [](const char* path, const Json& value) {
    Json json = reproduction();
    json[Json::json_pointer(path)] = value;
    return refusal(json);
  };
  EXPECT_THAT(changed("/charts/0/series/0/y", {1}), HasSubstr("charts[0].series[0].y: has 1"));
  EXPECT_THAT(changed("/charts/0/series/0/high", {1}), HasSubstr("charts[0].series[0].high"));
  EXPECT_THAT(changed("/charts/0/series/0/style", "wavy"), HasSubstr("style"));
  EXPECT_THAT(changed("/charts/0/x/scale", "cubic"), HasSubstr("charts[0].x.scale"));
  EXPECT_THAT(changed("/tables/0/rows/0", {1}), HasSubstr("tables[0].rows"));
  EXPECT_THAT(changed("/verdicts/0/holds", "maybe"), HasSubstr("verdicts[0].holds"));
  EXPECT_THAT(changed("/skipped", 3), HasSubstr("skipped: is not a list"));
}

}  // namespace
}  // namespace caucus::report
