#include "caucus/engine/participant/participant.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <thread>

#include "caucus/core/base/random.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/participant/test_reports.hpp"

namespace caucus {
namespace {

/// Linear and kernel, two features.
SharedPlan test_plan(std::size_t rounds_per_upload = 1, std::size_t label_delay = 0) {
  SharedPlan plan;
  plan.spaces = {Space{.radius = 1.0},
                 Space{.kind = SpaceKind::gaussian, .radius = 1.0, .width = 2.0, .features = 3}};
  plan.seed = 4;
  plan.rounds_per_upload = rounds_per_upload;
  plan.label_delay = label_delay;
  plan.features = 2;
  return plan;
}

/// Both models, different in every batch.
AssignmentRecord assignment(std::uint64_t batch, std::uint64_t durable = 0) {
  AssignmentRecord record{batch, durable, {{0, 1.0, {}}, {1, 0.0, {}}}};
  Stream stream({2, Purpose::test, 0, static_cast<std::uint32_t>(batch), 0});
  for (std::size_t k = 0; k < 2; ++k) {
    record.held[0].weights.push_back(static_cast<float>(stream.uniform() - 0.5));
  }
  for (std::size_t k = 0; k < 6; ++k) {
    record.held[1].weights.push_back(static_cast<float>(stream.uniform() - 0.5));
  }
  return record;
}

std::vector<float> example(std::uint32_t n) {
  Stream stream({3, Purpose::test, 0, n, 0});
  return {static_cast<float>(stream.uniform()), static_cast<float>(stream.uniform())};
}

std::unique_ptr<Participant> make(const SharedPlan& plan) {
  auto made = Participant::make(plan, 7);
  EXPECT_TRUE(made.ok()) << made.error().line();
  return std::move(made).value();
}

/// What the report of these examples under one assignment must be, by the algorithm's own means.
TestPart by_hand(const SharedPlan& shared, const AssignmentRecord& record,
                 const std::vector<std::pair<std::vector<float>, double>>& examples) {
  auto maps =
      FeatureMaps::make(shared.spaces, {shared.features, 0}, shared.seed, 0, shared.sample_size);
  const Plan plan{std::move(*maps), shared.loss};
  Assignment held{7, {}};
  for (const auto& model : record.held)
    held.held.push_back({model.space, model.weights, model.share});
  BatchMean mean;
  mean.begin(held);
  Forecast forecast(plan.maps);
  for (const auto& [x, y] : examples) {
    predict_with_held(plan, held, x, forecast);
    report_held(plan, forecast, y, mean);
  }
  ReportBatch report;
  report.sampled_in.push_back(record.batch);
  mean.report(report);
  return parts_of(report).front();
}

void expect_same(const TestPart& left, const TestPart& right) { EXPECT_TRUE(left == right); }

/// The n-th part of a report.
TestPart part_of(const ReportRecord& report, std::size_t n = 0) {
  return parts_of(report.reports).at(n);
}

TEST(Participant, NeedsItsCallersExampleNoLongerThanThePrediction) {
  const SharedPlan plan = test_plan(2);
  for (const bool memory_is_used_again : {false, true}) {
    const auto participant = make(plan);
    ASSERT_TRUE(participant->assign(assignment(1)).ok());
    std::vector<float> x = example(1);
    const auto first = participant->predict(x)->id;
    x.assign(2, 77.0F);
    if (memory_is_used_again) (void)participant->predict(x);
    ASSERT_TRUE(participant->observe(first, 0.25));
    expect_same(part_of(*participant->take_report(false)),
                by_hand(plan, assignment(1), {{example(1), 0.25}}));
  }
}

TEST(Participant, ReportsTheMeansOfItsBatch) {
  const SharedPlan plan = test_plan(3);
  const auto participant = make(plan);
  const auto models = assignment(1);
  EXPECT_FALSE(participant->predict(example(0)).ok());  // there are no models yet
  ASSERT_TRUE(participant->assign(models).ok());
  std::vector<std::pair<std::vector<float>, double>> examples;
  PlayedSums played;
  for (std::uint32_t n = 0; n < 3; ++n) {
    EXPECT_FALSE(participant->ready());
    examples.emplace_back(example(n), 0.25 * n);
    const auto prediction = participant->predict(examples.back().first);
    ASSERT_TRUE(prediction.ok());
    EXPECT_EQ(prediction->batch, 1U);
    // The first model has all of the forecast.
    const auto& w = models.held[0].weights;
    const auto& x = examples.back().first;
    EXPECT_FLOAT_EQ(static_cast<float>(prediction->output), w[0] * x[0] + w[1] * x[1]);
    ASSERT_TRUE(participant->observe(prediction->id, examples.back().second));
    played.add(plan.loss, prediction->output, examples.back().second);
  }
  EXPECT_TRUE(participant->ready());
  const auto report = participant->take_report(true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->batch, 1U);
  EXPECT_TRUE(report->last);
  EXPECT_EQ(report->played, played);
  ASSERT_EQ(report->reports.size(), 1U);
  expect_same(part_of(*report, 0), by_hand(plan, models, examples));
  EXPECT_FALSE(participant->ready());
  EXPECT_FALSE(participant->take_report(false));  // it is answered
}

TEST(Participant, CountsLateLabelsForTheModelsThatPredicted) {
  const SharedPlan plan = test_plan(1, 2);
  const auto participant = make(plan);
  std::vector<std::uint64_t> ids;
  for (std::uint32_t batch = 1; batch <= 3; ++batch) {
    ASSERT_TRUE(participant->assign(assignment(batch)).ok());
    for (std::uint32_t n = 0; n < 2; ++n) {
      ids.push_back(participant->predict(example(10 * batch + n))->id);
    }
    if (batch < 3) {
      ASSERT_TRUE(participant->take_report(false));
    }
  }
  // In any order.
  for (const unsigned k : {5U, 0U, 3U, 1U, 2U}) {
    EXPECT_TRUE(participant->observe(ids[k], 0.1 * k));
  }
  const auto report = participant->take_report(false);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->reports.size(), 3U);
  expect_same(part_of(*report, 0),
              by_hand(plan, assignment(1), {{example(10), 0.0}, {example(11), 0.1}}));
  expect_same(part_of(*report, 1),
              by_hand(plan, assignment(2), {{example(21), 0.1 * 3}, {example(20), 0.1 * 2}}));
  expect_same(part_of(*report, 2), by_hand(plan, assignment(3), {{example(31), 0.5}}));
  EXPECT_EQ(report->played.forecasts, 5U);
  // The last one is in time in batch 5, but not in batch 6.
  ASSERT_TRUE(participant->assign(assignment(6)).ok());
  EXPECT_FALSE(participant->observe(ids[4], 0.0));
  EXPECT_EQ(participant->counts().predictions, 6U);
  EXPECT_EQ(participant->counts().observed, 5U);
  EXPECT_EQ(participant->counts().forgotten, 1U);
}

TEST(Participant, DropsWhatBecameTooOldBeforeItWasReported) {
  const auto participant = make(test_plan(5, 1));
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  ASSERT_TRUE(participant->observe(participant->predict(example(1))->id, 0.5));
  ASSERT_TRUE(participant->assign(assignment(2)).ok());  // without having been asked for a report
  ASSERT_TRUE(participant->observe(participant->predict(example(2))->id, 0.5));
  ASSERT_TRUE(participant->assign(assignment(3)).ok());
  const auto report = participant->take_report(false);
  ASSERT_EQ(report->reports.size(), 1U);
  EXPECT_EQ(report->reports.sampled_in[0], 2U);
  EXPECT_EQ(report->played.forecasts, 1U);  // sums and parts are of the same examples
  EXPECT_EQ(participant->counts().forgotten, 1U);
}

TEST(Participant, EndsABatchEarlyWhenItsDataChange) {
  SharedPlan plan = test_plan(0);
  plan.statistics = plan.personal = true;
  for (const std::uint64_t least : {0U, 40U, 70U}) {
    const auto participant = make(plan);
    AssignmentRecord record = assignment(1);
    record.examples = 200;
    record.least_after_change = least;
    ASSERT_TRUE(participant->assign(record).ok());
    std::uint64_t ready_at = 0;
    for (std::uint64_t n = 1; n <= 200 && ready_at == 0; ++n) {
      const auto prediction = participant->predict(example(static_cast<std::uint32_t>(n)));
      const double noise = n % 2 == 0 ? 0.01 : -0.01;
      ASSERT_TRUE(participant->observe(prediction->id, n <= 50 ? noise : 100.0));
      if (participant->ready()) ready_at = n;
    }
    const auto report = participant->take_report(false);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->reports.has_change(0));
    EXPECT_EQ(report->reports.examples[0], ready_at);
    if (least == 0) {
      EXPECT_EQ(ready_at, 200U);
    } else {
      EXPECT_GE(ready_at, std::max<std::uint64_t>(least, 51));
      EXPECT_LE(ready_at, std::max<std::uint64_t>(least, 54));
    }
    // The next report does not say it again.
    record = assignment(2);
    record.examples = 10;
    ASSERT_TRUE(participant->assign(record).ok());
    for (std::uint32_t n = 300; n < 310; ++n) {
      ASSERT_TRUE(participant->observe(participant->predict(example(n))->id, 100.0));
    }
    EXPECT_FALSE(participant->take_report(false)->reports.has_change(0));
  }
}

TEST(Participant, ForgetsAPredictionThatGetsNoTrueValue) {
  const auto participant = make(test_plan());
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  const auto id = participant->predict(example(0))->id;
  participant->forget(id);
  participant->forget(id);
  EXPECT_FALSE(participant->observe(id, 0.5));
  EXPECT_EQ(participant->counts().forgotten, 1U);
}

TEST(Participant, ContinuesABatchThatAnotherBegan) {
  const SharedPlan plan = test_plan(3);
  const auto play = [](Participant& participant, std::uint32_t n) {
    ASSERT_TRUE(participant.observe(participant.predict(example(n))->id, 0.25 * n));
  };
  const auto whole = make(plan);
  ASSERT_TRUE(whole->assign(assignment(1)).ok());
  play(*whole, 0);
  play(*whole, 1);
  StateWriter to;
  whole->save(to);
  const auto other = make(plan);
  ASSERT_TRUE(other->assign(assignment(1)).ok());
  StateReader from(to.bytes());
  ASSERT_TRUE(other->restore(from).ok());
  EXPECT_TRUE(from.done().ok());
  EXPECT_EQ(other->counts().observed, 2U);
  for (const auto& participant : {whole.get(), other.get()}) {
    play(*participant, 2);
    EXPECT_TRUE(participant->ready());
  }
  expect_same(part_of(*other->take_report(false)), part_of(*whole->take_report(false)));
}

TEST(Participant, TakesATrueValueOnce) {
  const auto participant = make(test_plan());
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  const auto id = participant->predict(example(1))->id;
  EXPECT_FALSE(participant->observe(id + 1, 0.5));
  EXPECT_FALSE(participant->observe(id, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(participant->observe(id, 0.5));
  EXPECT_FALSE(participant->observe(id, 0.5));
  EXPECT_EQ(participant->take_report(false)->played.forecasts, 1U);
}

TEST(Participant, RefusesExamplesAndModelsThatCannotBe) {
  const auto participant = make(test_plan());
  const auto refused = [&](auto change) {
    auto record = assignment(1);
    change(record);
    return !participant->assign(record).ok();
  };
  EXPECT_TRUE(refused([](auto& r) { r.batch = 0; }));
  EXPECT_TRUE(refused([](auto& r) { r.held.clear(); }));
  EXPECT_TRUE(refused([](auto& r) { r.held[0].space = 2; }));
  EXPECT_TRUE(refused([](auto& r) { r.held[0].weights.pop_back(); }));
  EXPECT_TRUE(refused([](auto& r) { r.held[1].weights[3] = NAN; }));
  EXPECT_TRUE(refused([](auto& r) { r.held[0].share = HUGE_VAL; }));
  EXPECT_EQ(participant->batch(), 0U);
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  EXPECT_FALSE(participant->predict(std::vector<float>{1.0F}).ok());
  EXPECT_FALSE(participant->predict(std::vector<float>{1.0F, NAN}).ok());
  EXPECT_EQ(participant->counts().predictions, 0U);
}

TEST(Participant, GivesAReportAgainUntilItIsStored) {
  const auto participant = make(test_plan());
  std::vector<ReportRecord> reports;
  for (std::uint32_t batch = 1; batch <= 5; ++batch) {
    ASSERT_TRUE(participant->assign(assignment(batch, 1)).ok());
    ASSERT_TRUE(participant->observe(participant->predict(example(batch))->id, 0.5));
    reports.push_back(*participant->take_report(false));
  }
  // The server comes back without the batches after the second.
  for (std::uint32_t batch = 3; batch <= 5; ++batch) {
    const auto again = participant->assign(assignment(batch, 2));
    ASSERT_TRUE(again.ok() && *again);
    EXPECT_EQ((*again)->batch, batch);
    expect_same(part_of(**again), part_of(reports[batch - 1]));
    EXPECT_EQ((*again)->played, reports[batch - 1].played);
  }
  EXPECT_EQ(participant->batch(), 5U);  // it went on predicting with the newest
  const auto next = participant->assign(assignment(6, 5));
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(*next);
}

TEST(Participant, GoesOnWithTheSameModelsWhenTheyComeAgain) {
  const SharedPlan plan = test_plan(2);
  const auto participant = make(plan);
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  const auto first = participant->predict(example(1))->id;
  ASSERT_TRUE(participant->observe(first, 0.5));
  const auto second = participant->predict(example(2))->id;
  ASSERT_TRUE(participant->assign(assignment(1)).ok());  // the connection was lost meanwhile
  ASSERT_TRUE(participant->observe(second, 0.25));
  const auto report = participant->take_report(false);
  ASSERT_EQ(report->reports.size(), 1U);
  expect_same(part_of(*report, 0),
              by_hand(plan, assignment(1), {{example(1), 0.5}, {example(2), 0.25}}));
}

TEST(Participant, ForgetsAHistoryThatTheServerLost) {
  const auto participant = make(test_plan(1, 10));
  for (std::uint32_t batch = 1; batch <= 3; ++batch) {
    ASSERT_TRUE(participant->assign(assignment(batch)).ok());
    ASSERT_TRUE(participant->observe(participant->predict(example(batch))->id, 0.5));
    ASSERT_TRUE(participant->take_report(false));
  }
  const auto waiting = participant->predict(example(9))->id;
  // Batch 2 again, but other models: without this client's report the others went another way.
  auto other = assignment(2);
  other.held[0].weights[0] += 0.5F;
  const auto again = participant->assign(other);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(*again);
  EXPECT_FALSE(participant->observe(waiting, 0.5));  // predicted by models that never were
  ASSERT_TRUE(participant->observe(participant->predict(example(4))->id, 0.5));
  const auto report = participant->take_report(false);
  ASSERT_EQ(report->reports.size(), 1U);
  EXPECT_EQ(report->reports.sampled_in[0], 2U);
  const auto third = participant->assign(assignment(3));
  ASSERT_TRUE(third.ok());
  EXPECT_FALSE(*third);  // the old answer to batch 3 is not given
}

/// A report for a batch that is not open would take the place of the one that is asked for.
TEST(Participant, AnswersNothingButTheOpenBatchWhileReportsAreGivenAgain) {
  const auto participant = make(test_plan());
  for (std::uint32_t batch = 1; batch <= 3; ++batch) {
    ASSERT_TRUE(participant->assign(assignment(batch)).ok());
    ASSERT_TRUE(participant->observe(participant->predict(example(batch))->id, 0.5));
    if (batch < 3) {
      ASSERT_TRUE(participant->take_report(false));
    }
  }
  for (std::uint32_t batch = 1; batch <= 2; ++batch) {
    const auto again = participant->assign(assignment(batch));
    ASSERT_TRUE(again.ok() && *again);
    EXPECT_FALSE(participant->ready());
    EXPECT_FALSE(participant->take_report(true));
  }
  ASSERT_TRUE(participant->assign(assignment(3)).ok());
  EXPECT_TRUE(participant->ready());
  const auto report = participant->take_report(true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->batch, 3U);
  EXPECT_EQ(report->played.forecasts, 1U);
}

/// Five batches of a first start of the server, of which the first is durable; then another start.
/// How many of the predictions of batches 2 to 5 are still of use, once these batches were asked
/// for.
std::size_t left_after(std::uint64_t start, std::uint64_t since,
                       const std::vector<std::uint64_t>& batches) {
  const auto participant = make(test_plan(1, 100));
  participant->served_by(1, 0);
  std::vector<std::uint64_t> ids;
  for (std::uint32_t batch = 1; batch <= 5; ++batch) {
    EXPECT_TRUE(participant->assign(assignment(batch, batch > 1 ? 1 : 0)).ok());
    if (batch > 1) ids.push_back(participant->predict(example(batch))->id);
    if (batch < 5) {
      EXPECT_TRUE(participant->take_report(false));
    }
  }
  participant->served_by(start, since);
  EXPECT_FALSE(participant->take_report(true)) << "nothing is asked for on this connection";
  for (const std::uint64_t batch : batches)
    EXPECT_TRUE(participant->assign(assignment(batch)).ok());
  std::size_t left = 0;
  for (const std::uint64_t id : ids) left += participant->observe(id, 0.5) ? 1U : 0U;
  return left;
}

TEST(Participant, UsesWhatALostHistoryDrewOnlyIfItIsDrawnAgain) {
  EXPECT_EQ(left_after(1, 0, {9}), 4U) << "the same server: only the connection was lost";
  EXPECT_EQ(left_after(2, 5, {9}), 4U) << "nothing was lost";
  EXPECT_EQ(left_after(2, 3, {3, 4, 5, 6}), 4U) << "all came again";
  EXPECT_EQ(left_after(2, 3, {4, 5, 6}), 4U) << "batch 3 is drawn from what was durable";
  EXPECT_EQ(left_after(2, 3, {9}), 2U) << "4 and 5 may have been drawn otherwise";
  EXPECT_EQ(left_after(2, 3, {3, 5}), 2U) << "4 may";
  EXPECT_EQ(left_after(3, 5, {9}), 1U) << "who knows what the second start lost behind batch 1";
  EXPECT_EQ(left_after(3, 2, {2, 3, 4, 5, 6}), 4U);
  EXPECT_EQ(left_after(3, 4, {4, 5, 6}), 1U);
}

/// A server as a client sees it: batches are drawn from what happened before, and what is not
/// durable is lost when it is killed.
class ForgetfulServer {
 public:
  [[nodiscard]] std::uint64_t start() const { return start_; }
  [[nodiscard]] std::uint64_t since() const { return since_; }
  [[nodiscard]] std::uint64_t open() const { return drawn_.size(); }
  [[nodiscard]] bool answered() const { return answered_; }
  /// Models that follow from the draw.
  [[nodiscard]] AssignmentRecord models(std::uint64_t batch) const {
    AssignmentRecord record = assignment(drawn_[batch - 1], durable_);
    record.batch = batch;
    return record;
  }

  /// Whether it answers the open batch, with parts of batches as they are drawn now.
  [[nodiscard]] bool take(const SharedPlan& plan, const ReportRecord& report) {
    if (report.batch != open() || answered_) return false;
    for (const TestPart& part : parts_of(report.reports)) {
      if (part.sampled == 0 || part.sampled > open()) return false;
      const auto now = by_hand(plan, models(part.sampled),
                               {{example(static_cast<std::uint32_t>(part.sampled)), 0.5}});
      for (std::size_t a = 0; a < now.held.size(); ++a) {
        if (std::abs(part.held[a].loss - now.held[a].loss) > 1e-5F) return false;
      }
    }
    answered_ = true;
    return true;
  }
  void close() {
    const auto drawn = (drawn_.back() * 31 + (answered_ ? 7 : 11)) % 1'000'003;
    drawn_.push_back(drawn);
    answered_ = false;
  }
  void make_durable() { durable_ = open() - 1; }
  void kill() {
    drawn_.resize(durable_ + 1);  // the next batch is drawn again from what is durable
    answered_ = false;
    ++start_;
    since_ = open();
  }

 private:
  std::vector<std::uint64_t> drawn_ = {1};  ///< by batch, from 1
  std::uint64_t durable_ = 0, start_ = 1, since_ = 0;
  bool answered_ = false;
};

RC_GTEST_PROP(ParticipantProperty, ReportsOnlyWhatThisServerHasDrawn, ()) {
  const SharedPlan plan = test_plan(1, 6);
  const auto participant = make(plan);
  ForgetfulServer server;
  bool connected = false;
  std::deque<std::uint64_t> waiting;
  const auto send = [&](const SharedReport& report) {
    if (report) RC_ASSERT(server.take(plan, *report));
  };
  const auto ask = [&] {
    if (!connected || server.answered()) return;
    const auto again = participant->assign(server.models(server.open()));
    RC_ASSERT(again.ok());
    if (*again) return send(*again);
    // Whatever came before, it can answer this one.
    const auto batch = static_cast<std::uint32_t>(server.open());
    const auto id = participant->predict(example(batch))->id;
    if (*rc::gen::inRange(0, 3) == 0) {
      RC_ASSERT(participant->observe(id, 0.5));
      RC_ASSERT(participant->ready());
      return send(participant->take_report(false));
    }
    waiting.push_back(id);  // comes true later
  };
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int step : steps) {
    if (step < 40) {  // the batch is closed, with this client's report or without
      server.close();
      ask();
    } else if (step < 60 && !waiting.empty()) {
      const auto place =
          static_cast<std::ptrdiff_t>(static_cast<std::size_t>(step) % waiting.size());
      participant->observe(waiting[static_cast<std::size_t>(place)], 0.5);
      waiting.erase(waiting.begin() + place);
      if (connected && participant->ready()) send(participant->take_report(false));
    } else if (step < 70) {
      server.make_durable();
    } else if (step < 77) {
      server.kill();
      connected = false;
    } else if (step < 82) {
      connected = false;
    } else if (!connected) {
      connected = true;
      participant->served_by(server.start(), server.since());
      // True values may come between the welcome and the first assignment.
      if (step % 2 == 0 && participant->ready()) send(participant->take_report(false));
      ask();
    }
  }
}

TEST(Participant, HasNothingToReportOfWhatIsTooOld) {
  const auto participant = make(test_plan(1, 2));
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  const auto id = participant->predict(example(1))->id;
  ASSERT_TRUE(participant->take_report(false));
  ASSERT_TRUE(participant->observe(id, 0.5));
  ASSERT_TRUE(participant->assign(assignment(9)).ok());
  EXPECT_FALSE(participant->ready());
}

TEST(Participant, RemembersOnlySoMuch) {
  const auto participant = make(test_plan(1, 1'000'000));
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  std::vector<std::uint64_t> ids;
  for (std::uint32_t n = 0; n < Participant::kPending + 5; ++n) {
    ids.push_back(participant->predict(example(n))->id);
  }
  EXPECT_EQ(participant->counts().forgotten, 5U);
  EXPECT_FALSE(participant->observe(ids[4], 0.0));
  EXPECT_TRUE(participant->observe(ids[5], 0.0));
  EXPECT_TRUE(participant->observe(ids.back(), 0.0));
}

/// What a prediction waits with is its x: here an expert's forecast and many that nobody uses. When
/// the true value has come there is room again.
TEST(Participant, RemembersNoMoreExamplesThanMemoryHolds) {
  for (const std::size_t fit : {4U, 1U}) {
    SharedPlan plan = test_plan(1, 1000);
    plan.spaces = {Space{.kind = SpaceKind::expert}};
    plan.features = 0;
    // So many and a few bytes; or one that is too large, and is kept all the same.
    plan.experts = Participant::kPendingBytes / sizeof(float) / fit - (fit > 1 ? 200U : 0U);
    const auto participant = make(plan);
    ASSERT_TRUE(participant->assign({1, 0, {{0, 1.0, {}}}}).ok());
    const std::vector<float> x(plan.experts, 0.5F);
    std::vector<std::uint64_t> ids;
    for (std::size_t n = 0; n < fit + 1; ++n) ids.push_back(participant->predict(x)->id);
    EXPECT_EQ(participant->counts().forgotten, 1U);
    EXPECT_FALSE(participant->observe(ids[0], 0.0));
    EXPECT_TRUE(participant->observe(ids.back(), 0.0));
    ids.push_back(participant->predict(x)->id);
    EXPECT_EQ(participant->counts().forgotten, 1U);
    EXPECT_TRUE(participant->observe(ids[fit > 1 ? 1 : 2], 0.0));
  }
}

/// The sums are those of the newest models: an example whose true value comes late needs the
/// forecasts of the experts that are held then.
TEST(Participant, AsksOtherExpertsIfTheTrueValueComesUnderOtherModels) {
  SharedPlan plan = test_plan();
  plan.spaces = {Space{.kind = SpaceKind::expert}, Space{.kind = SpaceKind::expert, .expert = 1}};
  plan.experts = 2;
  plan.statistics = true;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> asked;
  const auto ask = [&](const ExpertQuestion& question, std::span<float> forecasts) -> Status {
    for (std::size_t k = 0; k < forecasts.size(); ++k) {
      asked.emplace_back(question.example, question.experts[k]);
      forecasts[k] = question.experts[k] == 0 ? 0.5F : 0.25F;
    }
    EXPECT_EQ(question.x.size(), 2U);
    return Done{};
  };
  const auto participant = Participant::make(plan, 0, ask).value();
  ASSERT_TRUE(participant->assign({1, 0, {{0, 1.0, {}}}}).ok());
  const auto prediction = participant->predict(example(1), 42);
  ASSERT_TRUE(prediction.ok());
  EXPECT_EQ(prediction->output, 0.5);
  ASSERT_TRUE(participant->assign({2, 0, {{1, 1.0, {}}}}).ok());
  EXPECT_TRUE(participant->observe(prediction->id, 1.25));
  const auto report = participant->take_report(false);
  EXPECT_EQ(report->reports.losses, std::vector<float>{1.0F}) << "of the second expert";
  EXPECT_EQ(report->played.loss, 0.5625) << "of the forecast that was given";
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> both = {{42, 0}, {42, 1}};
  EXPECT_EQ(asked, both);
}

TEST(Participant, ReportsOnlySoManyPartsAtOnce) {
  const auto participant = make(test_plan(1, 1000));
  const std::size_t batches = kPartsPerReport + 10;
  for (std::uint32_t batch = 1; batch <= batches; ++batch) {
    ASSERT_TRUE(participant->assign(assignment(batch)).ok());
    ASSERT_TRUE(participant->observe(participant->predict(example(batch))->id, 0.5));
  }
  const auto report = participant->take_report(true);
  ASSERT_EQ(report->reports.size(), kPartsPerReport);
  EXPECT_EQ(report->reports.sampled_in[0], 1U);
  EXPECT_EQ(report->played.forecasts, kPartsPerReport);
  EXPECT_FALSE(report->last);  // there is more
  ASSERT_TRUE(participant->assign(assignment(batches + 1)).ok());
  const auto rest = participant->take_report(true);
  EXPECT_EQ(rest->reports.size(), 10U);
  EXPECT_TRUE(rest->last);
}

TEST(Participant, TakesNoMoreExamplesThanAReportMayHave) {
  for (const std::size_t label_delay : {0U, 2U}) {
    const auto participant = make(test_plan(5, label_delay));
    ASSERT_TRUE(participant->assign(assignment(1)).ok());
    const std::size_t most = 5 * (label_delay + 1);
    const auto x = example(1);
    for (std::size_t n = 0; n < most; ++n) {
      ASSERT_TRUE(participant->observe(participant->predict(x)->id, 0.5));
    }
    EXPECT_FALSE(participant->observe(participant->predict(x)->id, 0.5));
    EXPECT_EQ(participant->counts().forgotten, 1U);
    EXPECT_EQ(participant->take_report(false)->reports.examples[0], most);
  }
}

TEST(Participant, ClipsNumbersToTheRangesOfThePlan) {
  SharedPlan plan = test_plan(1);
  plan.columns = ReadOptions{};
  plan.columns->feature_range = Interval{0.0, 1.0};
  plan.columns->label_range = Interval{0.0, 1.0};
  const std::vector<double> zeros(plan.features + 1, 0.0);
  const std::vector<double> tens(plan.features + 1, 10.0);
  plan.columns->ranges = Ranges{{}, zeros, tens};
  const auto played = [&](float x, double y) {
    const auto participant = make(plan);
    EXPECT_TRUE(participant->assign(assignment(1)).ok());
    std::vector<float> row(plan.features, 0.5F);
    row[1] = x;
    EXPECT_TRUE(participant->observe(participant->predict(row)->id, y));
    return std::pair(parts_of(participant->take_report(false)->reports),
                     participant->counts().clipped);
  };
  EXPECT_EQ(played(1e9F, -1e9).first, played(1.0F, 0.0).first);
  EXPECT_EQ(played(1e9F, -1e9).second, 2U);
  EXPECT_EQ(played(1.0F, 0.0).second, 0U);
}

TEST(ParticipantThreads, LoseNothing) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kEach = 2'000;
  const auto participant = make(test_plan(5, 1'000'000));
  ASSERT_TRUE(participant->assign(assignment(1)).ok());
  std::atomic<std::uint64_t> reported{0};
  std::mutex reporting;
  const auto report_if_ready = [&] {
    const std::lock_guard lock(reporting);
    if (!participant->ready()) return;
    const auto report = participant->take_report(false);
    ASSERT_TRUE(report);
    for (const std::uint32_t examples : report->reports.examples) reported += examples;
    ASSERT_TRUE(participant->assign(assignment(report->batch + 1, report->batch)).ok());
  };
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::uint64_t> ids;
      for (std::uint32_t n = 0; n < kEach; ++n) {
        ids.push_back(participant->predict(example(t * kEach + n))->id);
        if (ids.size() < 3) continue;
        EXPECT_TRUE(participant->observe(ids[ids.size() - 3], 0.5));  // two behind
        report_if_ready();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (const auto rest = participant->take_report(true)) {
    for (const std::uint32_t examples : rest->reports.examples) reported += examples;
  }
  EXPECT_EQ(reported, kThreads * (kEach - 2));
  EXPECT_EQ(participant->counts().observed, kThreads * (kEach - 2));
  EXPECT_EQ(participant->counts().forgotten, 0U);
}

}  // namespace
}  // namespace caucus
