#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
    outcomes[0].played.push_back({telemetry, 0.1, recorder.curve, {}, {2, 1, 1, 2}, true});
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
  EXPECT_THAT(result_text(run()), HasSubstr("federation: 2 of 2 rows, 3 features"));
}

TEST_F(ServedRun, ReadsBackAsItWasWritten) {
  options.regret = true;
  AlgorithmResult& only = result.results.front();
  only.regret = {0.5, -0.25};
  only.best_loss = {1.0, 2.0};
  only.best_gap = {0.0, 0.0};
  only.curve.regret = {0.125};
  only.curve.regret_sd = {0.0625};
  result.best_loss = {1.0, 2.0};
  result.mean_predictor = 0.125;
  config["data"]["file"] = "folder/name.csv";
  config["run"]["repeats"] = 1;
  const RunRecord read = read_run(result_json(run())).value();
  EXPECT_EQ(read.version, "0.0.0");
  EXPECT_EQ(read.data_name, "name.csv");
  EXPECT_EQ(read.rows, 2);
  EXPECT_EQ(read.used, 2);
  EXPECT_EQ(read.features, 3);
  EXPECT_EQ(read.clients, 2);
  EXPECT_EQ(read.repeats, 1);
  EXPECT_EQ(read.best_constant, 0.125);
  EXPECT_EQ(read.best_in_hindsight, (std::vector{0.5, 1.0}));
  ASSERT_EQ(read.results.size(), 1U);
  const AlgorithmRecord& r = read.results.front();
  EXPECT_EQ(r.algorithm, only.algorithm);
  EXPECT_EQ(r.schedule, "adaptive");
  EXPECT_EQ(r.sample_size, 2);
  EXPECT_EQ(r.rounds, result.rounds);
  EXPECT_EQ(r.uploads, result.results[0].uploads);
  EXPECT_EQ(r.mse.mean, only.mse.front());
  EXPECT_EQ(r.loss.mean, only.loss.front());
  EXPECT_EQ(r.seconds.mean, only.seconds.front());
  EXPECT_EQ(r.upload_bits, only.upload_bits_per_client_round);
  EXPECT_EQ(r.download_bits, only.download_bits_per_client_round);
  EXPECT_EQ(r.spaces, (std::vector<std::string>{"linear U=1", "linear U=2"}));
  EXPECT_EQ(r.probabilities, only.probabilities);
  EXPECT_EQ(r.regret, only.regret);
  EXPECT_EQ(r.curve.loss, only.curve.loss);
  EXPECT_EQ(r.curve.loss_sd, only.curve.loss_sd);
  EXPECT_EQ(r.curve.regret, only.curve.regret);
  EXPECT_EQ(r.curve.regret_sd, only.curve.regret_sd);
  EXPECT_EQ(r.curve.probabilities, only.curve.probabilities);
  EXPECT_GT(r.bound_any, 0.0);
}

TEST_F(ServedRun, TellsTheRegretAgainstTheSpacesOfWhichItIsKnown) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  AlgorithmResult& only = result.results.front();
  only.regret = {0.5, kUnknown};
  only.best_loss = result.best_loss = {0.75, kUnknown};
  only.best_gap = {0.0, kUnknown};
  only.regret_examples = {2.0, 1.0};
  facts.rows = 7;
  only.regret_exact = false;
  const Json json = result_json(run());
  EXPECT_EQ(json["results"][0]["regret"][0]["regret"], 0.5);
  EXPECT_EQ(json["results"][0]["regret"][0]["exact"], false);
  EXPECT_EQ(json["results"][0]["regret"][1]["examples"], 1.0);
  EXPECT_FALSE(json["yardsticks"].contains("best_in_hindsight"));
  const RunRecord read = read_run(Json::parse(json.dump())).value();
  EXPECT_TRUE(std::isnan(read.results.front().regret[1]));
  const std::string page = report_html(json).value();
  EXPECT_THAT(page, HasSubstr("Regret against each space"));
  EXPECT_THAT(page, Not(HasSubstr("best model of all spaces")));
  EXPECT_THAT(result_text(run()), HasSubstr("over 2 of 7 examples"));
  EXPECT_THAT(result_text(run()), Not(HasSubstr("best in hindsight")));
  only.regret_exact = true;
  EXPECT_EQ(result_json(run())["results"][0]["regret"][0]["exact"], true);
  EXPECT_EQ(result_json(run())["results"][0]["regret"][1]["exact"], false);
  EXPECT_THAT(result_text(run()), HasSubstr("regret: exact"));
}

TEST_F(ServedRun, ShowsWhatCollaborationGaveEachClient) {
  EXPECT_THAT(result_text(run()), Not(HasSubstr("alone")));
  auto& clients = result.results.front().clients;
  clients = {{"first", 10, 2.0, 0.5, 0.25, 0.75, 0.125, {}},
             {"second", 12, 2.0, 0.25, 0.5, 1.0, 2.0, {}}};
  const std::string table = result_text(run());
  EXPECT_THAT(table, testing::ContainsRegex("client +examples +RMSE +federated +alone"));
  EXPECT_THAT(table, testing::ContainsRegex("first +10 +0.7071 +0.50* +0.866 +18% lower"));
  const std::string page = report_html(result_json(run())).value();
  EXPECT_THAT(page, HasSubstr("Losses of each client"));
  clients.assign(30, clients[1]);  // gains 0.25 of 1
  clients[28] = {"poor", 10, 2.0, 3.0, 3.0, 0.5, 1.0, {}};
  clients[29] = {"rich", 12, 2.0, 0.01, 0.5, 1.0, 1.0, {}};
  EXPECT_THAT(result_text(run()), HasSubstr("clients that gain least"));
  for (const std::string& text : {result_text(run()), report_html(result_json(run())).value()}) {
    EXPECT_THAT(text, HasSubstr("poor"));
    EXPECT_THAT(text, Not(testing::ContainsRegex("rich(<| +12)")));  // in a row of a table
  }
}

TEST_F(ServedRun, KnowsTheMeanOfItsTargetsAndTheOtherConstantsOnlyFromData) {
  const Json without = result_json(run());
  EXPECT_TRUE(without["yardsticks"].is_object());
  EXPECT_FALSE(without["yardsticks"].contains("mean_predictor"));
  const auto& constant = without["results"][0]["baselines"]["constant"];
  EXPECT_EQ(constant, 0.0);  // both targets are 1
  result.mean_predictor = 0.125;
  EXPECT_EQ(result_json(run())["yardsticks"]["mean_predictor"], 0.125);
  EXPECT_THAT(result_text(run()), HasSubstr("best constant"));
}

}  // namespace
}  // namespace caucus::report
