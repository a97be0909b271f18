#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/report/finished_run.hpp"
#include "caucus/report/report.hpp"

namespace caucus::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The result of a small served run, and the texts made of it.
class ServedRun : public testing::Test {
 protected:
  ServedRun() {
    options.spaces = {Space{.radius = 1.0}, Space{.radius = 2.0}};
    facts.name = "federation";
    facts.rows = 2;
    facts.scaling.feature_columns = {0, 1, 2};
    Telemetry telemetry(options.loss, 2);
    PlayedSums sums;
    sums.add(options.loss, 0.5, 1.0);
    telemetry.record(0, sums);
    telemetry.record(1, sums);
    telemetry.end_batch();
    CurveRecorder recorder;
    recorder.finish(1, telemetry.loss, [] { return std::vector<double>{0.25, 0.75}; });
    std::vector<RepetitionOutcome> outcomes(1);
    outcomes[0].length = {2, 1, 1, 2};
    outcomes[0].played.push_back({telemetry, 0.1, recorder.curve, {}, 0, {}});
    result = summarise(std::move(outcomes), options);
  }
  [[nodiscard]] FinishedRun run() const { return {"0.0.0", config, options, facts, result}; }

  Json config = Json::object();
  ExperimentOptions options;
  DataFacts facts;
  ExperimentResult result;
};

TEST_F(ServedRun, IsToldWithoutData) {
  const Json json = result_json(run());
  EXPECT_EQ(json["data"]["rows"], 2);
  EXPECT_EQ(json["data"]["used"], 2);
  EXPECT_EQ(json["data"]["features"], 3);
  EXPECT_EQ(json["results"][0]["mse"]["mean"], 0.25);
  EXPECT_EQ(json["results"][0]["curve"]["loss"], Json({0.5}));
  EXPECT_TRUE(report_html(json).ok());
  EXPECT_THAT(result_table(run()), HasSubstr("federation: 2 of 2 rows, 3 features"));
}

TEST_F(ServedRun, HasTheBestConstantOnlyIfItIsKnown) {
  const Json without = result_json(run());
  EXPECT_TRUE(without["yardsticks"].is_object());
  EXPECT_FALSE(without["yardsticks"].contains("mean_predictor"));
  EXPECT_THAT(result_table(run()), Not(HasSubstr("best constant")));
  result.mean_predictor = 0.125;
  EXPECT_EQ(result_json(run())["yardsticks"]["mean_predictor"], 0.125);
  EXPECT_THAT(result_table(run()), HasSubstr("best constant"));
}

}  // namespace
}  // namespace caucus::report
