#include "caucus/report/model_score.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "caucus/report/model_file.hpp"

namespace caucus::report {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

ClientResult client(const std::string& name, const ForecastScore& recent) {
  ClientResult result;
  result.name = name;
  result.recent = recent;
  return result;
}

const Loss kSquare{SquareLoss{}};

TEST(ModelScore, WarnsOfEachClientForWhichAConstantIsBetterTheWorstFirst) {
  const auto scores =
      client_scores({client("a", {1200, 0.25, 0.5, 0}), client("b", {1, 2.0, 1.0, 0}),
                     client("c", {10, 3.0, 1.0, 0}), client("d", {})},
                    0.0);
  EXPECT_THAT(score_lines(scores, kSquare),
              ElementsAre(HasSubstr("mean squared error"),
                          "warning: c: 3 on 10 examples, worse than the best constant, 1",
                          "warning: b: 2 on 1 example, worse than the best constant, 1",
                          "  a: 0.25 on 1,200 examples, best constant 0.5",
                          "  d: not known, it has not predicted with learned models"));
}

TEST(ModelScore, WarnsOfClientsThatAreForgotten) {
  const std::vector<ClientResult> clients = {client("a", {100, 0.25, 0.5, 2000}),
                                             client("b", {100, 0.25, 0.5, 0})};
  const auto scores = client_scores(clients, 0.001);
  EXPECT_NEAR(scores[0].forgotten, 1.0 - std::pow(0.999, 1000), 1e-12);
  EXPECT_TRUE(scores[0].is_old);
  EXPECT_THAT(score_lines(scores, kSquare),
              ElementsAre(HasSubstr("mean squared error"),
                          "warning: a: 0.25 on 100 examples, best constant 0.5; 2,000 examples of "
                          "others were learned later; fixed_share has forgotten 63.2% of them",
                          StartsWith("  b: "), HasSubstr("caucus predict")));
  EXPECT_THAT(score_lines(client_scores(clients, 0.0), kSquare)[1], StartsWith("  a: "));
}

TEST(ModelScore, TellsOfAtMostTwentyClients) {
  const std::vector<ClientResult> many(25, client("a", {1, 2.0, 1.0, 0}));
  const auto lines = score_lines(client_scores(many, 0.0), kSquare);
  ASSERT_EQ(lines.size(), 22U);
  EXPECT_EQ(lines.back(), "  and 5 more clients, with 5 more warnings");
  const auto unknown = client_scores({ClientResult{}}, 0.0);
  EXPECT_THAT(score_lines(unknown, kSquare), ElementsAre(EndsWith("is not known")));
}

TEST(ModelScore, IsInTheModelFileWhoseReaderNeedsNone) {
  StoredModel model;
  model.algorithm = "fomd-oms";
  model.scaling.columns = 2;
  model.scaling.target_column = 1;
  model.scaling.feature_columns = {0};
  model.scaling.minimum = model.scaling.maximum = {0.0, 0.0};
  model.spaces = {Space{}};
  model.learned = {{1.0}, {{0.5F}}};
  model.scores = client_scores({client("a", {10, 3.0, 1.0, 5})}, 0.0);
  Json json = model_json(model);
  EXPECT_EQ(json["clients"], Json::parse(R"([{"name": "a", "examples": 10, "error": 3.0,
                                              "constant": 1.0, "since": 5, "forgotten": 0.0}])"));
  EXPECT_TRUE(parse_model(json_text(json), "m").ok());
  json["clients"] = "of a later version";
  json["unknown"] = 1;
  EXPECT_TRUE(parse_model(json_text(json), "m").ok());
  json.erase("clients");
  EXPECT_TRUE(parse_model(json_text(json), "m").ok());
}

}  // namespace
}  // namespace caucus::report
