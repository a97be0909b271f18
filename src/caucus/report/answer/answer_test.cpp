#include "caucus/report/answer/answer.hpp"
#include "caucus/report/answer/phrases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace caucus::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A good run of two sites: its RMSE is half of the mean's.
RunRecord good_run() {
  RunRecord run;
  run.target = "NO2";
  run.unit = 10.0;
  run.rows = run.used = 2000.0;
  run.features = 3.0;
  run.clients = 2.0;
  run.repeats = 1.0;
  AlgorithmRecord r;
  r.algorithm = r.label = "fomd-oms";
  r.sample_size = 2.0;
  r.mse.mean = r.loss.mean = 0.01;
  r.rmse = 1.0;
  r.mae = 0.75;
  r.r2 = 0.75;
  r.baselines.constant = 0.04;
  r.baselines.persistence = 0.0225;
  r.spaces = {"linear U=inf", "gaussian width=1", "gaussian width=2"};
  r.probabilities = {0.03, 0.95, 0.02};
  r.clients.resize(2);
  r.clients[0] = {"north", 1000.0, 0.01, 0.011, 0.0144};
  r.clients[1] = {"south", 1000.0, 0.01, 0.011, 0.01};
  for (ClientRecord& client : r.clients) client.constant = 0.04;
  run.results = {r};
  return run;
}

TEST(Answer, SaysWhatWasPredictedHowWellAndByWhichModel) {
  const Answer answer = answer_of(good_run());
  EXPECT_THAT(answer.text, HasSubstr("The target NO2 was predicted for 2,000 rows of 2 sites"));
  EXPECT_THAT(answer.text, HasSubstr("(RMSE) is 1 in the units of the target, 50% below the 2 of"));
  EXPECT_THAT(answer.text, HasSubstr("(MAE) is 0.75 and R2 is 0.750."));
  EXPECT_THAT(answer.text, HasSubstr("gaussian width=1 won, with a final probability of 95%."));
  EXPECT_THAT(answer.text,
              HasSubstr("from the same at site south to 17% lower at site north; 1 of 2"));
  EXPECT_THAT(answer.advice, IsEmpty());
}

TEST(Answer, ComparesWithTheLastValueOnlyInTimeOrder) {
  RunRecord run = good_run();
  EXPECT_THAT(answer_of(run).text, Not(HasSubstr("last value")));
  run.in_order = true;
  EXPECT_THAT(answer_of(run).text, HasSubstr("33% below the 1.5 of repeating the last value"));
}

TEST(Answer, NamesNoWinnerThatIsNotSure) {
  RunRecord run = good_run();
  run.results[0].probabilities = {0.2, 0.3, 0.5};
  run.results[0].wins = {1.0, 0.0, 2.0};
  run.repeats = 3.0;
  EXPECT_THAT(answer_of(run).text,
              HasSubstr("none won for sure: gaussian width=2 (50%) is ahead of gaussian width=1 "
                        "(30%); it ended first in 2 of 3 repetitions."));
}

TEST(Answer, SaysWhatToTryOnlyIfTheErrorIsLessThanAFifthBelowTheMeans) {
  RunRecord run = good_run();
  run.results[0].rmse = 1.59;
  EXPECT_THAT(answer_of(run).advice, IsEmpty());
  run.results[0].rmse = 1.61;
  EXPECT_THAT(answer_of(run).advice, ElementsAre(HasSubstr("--sample 3")));
  run.results[0].mse.mean = 0.03;
  run.in_order = true;
  EXPECT_THAT(answer_of(run).advice, ElementsAre(HasSubstr("--lags 3")));
}

TEST(Answer, NoticesThatTheLossHasRisenLately) {
  RunRecord run = good_run();
  CurveRecord& curve = run.results[0].curve;
  curve.round = {25.0, 50.0, 100.0};
  curve.loss = {25.0, 50.0, 110.0};  // 1 per round, then 1.2
  EXPECT_THAT(answer_of(run).advice, IsEmpty());
  curve.loss = {25.0, 50.0, 120.0};  // then 1.4
  EXPECT_THAT(answer_of(run).advice, ElementsAre(HasSubstr("40% above")));
  EXPECT_THAT(answer_of(run).advice[0], HasSubstr("--fixed-share 0.003"));
}

TEST(Answer, NamesTheSitesThatAreLeftBehind) {
  RunRecord run = good_run();
  run.results[0].clients[1].given = 0.0121;  // its RMSE is 10% higher than alone
  EXPECT_THAT(answer_of(run).advice, ElementsAre(HasSubstr("Site south is left behind")));
  run.results[0].clients[1].examples = 10.0;  // too few to tell
  EXPECT_THAT(answer_of(run).advice, IsEmpty());
}

TEST(Answer, ToClassesIsTheShareOfRightOnes) {
  RunRecord run = good_run();
  run.loss = "logistic";
  AlgorithmRecord& r = run.results[0];
  r.rmse = r.mae = r.r2 = kUnknown;
  r.accuracy = 0.9;
  r.log_loss = 0.25;
  r.baselines = {kUnknown, kUnknown, 0.6, 0.5};
  const Answer answer = answer_of(run);
  EXPECT_THAT(answer.text, HasSubstr("90.0% of the predicted classes are right, 60.0% if one"));
  EXPECT_THAT(answer.text, HasSubstr("the log loss is 0.25, 50% below the 0.5 of"));
  EXPECT_THAT(answer.advice, IsEmpty());
  r.accuracy = 0.65;  // 0.35 wrong of 0.40
  EXPECT_THAT(answer_of(run).advice, ElementsAre(HasSubstr("most frequent class")));
}

TEST(Answer, SaysThatEverythingDiverged) {
  RunRecord run = good_run();
  run.results[0].mse.mean = kUnknown;
  run.results[0].diverged = 1.0;
  EXPECT_THAT(answer_of(run).text, HasSubstr("Every algorithm diverged"));
}

TEST(Answer, ComparesInWholePercent) {
  EXPECT_EQ(beside(1.0, 1.0), "the same as");
  EXPECT_EQ(beside(0.5, 1.0), "50% below");
  EXPECT_EQ(beside(1.25, 1.0), "25% above");
  EXPECT_EQ(beside(0.991, 1.0), "less than 1% below");
  EXPECT_EQ(beside(30.0, 1.0), "30 times");
  EXPECT_EQ(beside(0.0001, 1.0), "over 99.9% below");
  EXPECT_EQ(change_text(0.5, 1.0), "50% lower");
}

}  // namespace
}  // namespace caucus::report
