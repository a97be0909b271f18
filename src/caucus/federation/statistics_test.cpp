// Federations whose reports are sums over growing batches.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/test_together.hpp"

namespace caucus {
namespace {

TEST(StatisticsFederation, HasTheBitsOfTheSimulation) {
  const TestSource source({230, 300, 170, 300});
  for (const bool hides_examples : {false, true}) {
    for (const std::size_t rounds_per_upload : {0U, 40U}) {
      auto settings = growing_settings(4, hides_examples);
      settings.plan.rounds_per_upload = settings.problem.rounds_per_upload = rounds_per_upload;
      Together together(settings, source);
      together.play_to_the_end();
      EXPECT_EQ(learned_by(together.federation), simulated(settings, source))
          << hides_examples << " " << rounds_per_upload;
      EXPECT_EQ(together.federation.members()[2].counted, 170U);
    }
  }
}

TEST(StatisticsFederation, OfClassesHasTheBitsOfTheSimulation) {
  const TestSource source({230, 300, 170, 300}, TestSource::kNever, 3);
  for (const bool hides_examples : {false, true}) {
    for (const bool personal : {false, true}) {
      auto settings = growing_settings(4, hides_examples);
      settings.plan.loss = settings.problem.loss = Loss(ClassesLoss{{}, 3});
      settings.plan.personal = settings.problem.personal = personal;
      Together together(settings, source);
      const std::string at_start = together.federation.snapshot();
      together.play_to_the_end();
      EXPECT_EQ(learned_by(together.federation), simulated(settings, source));
      const Telemetry& t = together.federation.telemetry();
      EXPECT_EQ(t.forecasts, 1000U);
      EXPECT_GT(t.correct, 600U);
      EXPECT_EQ(t.of_class[2] + t.of_class[5] + t.of_class[8], t.correct);
      // The server is killed in the middle of the run.
      Federation revived = Federation::make(settings, kRun).value();
      ASSERT_TRUE(revived.restore(at_start).ok());
      for (std::size_t b = 0; b < together.closed.size(); ++b) {
        if (b == together.closed.size() / 2) {
          Federation again = Federation::make(settings, kRun).value();
          ASSERT_TRUE(again.restore(revived.snapshot()).ok());
          revived = std::move(again);
        }
        const ClosedBatch& closed = together.closed[b];
        ASSERT_TRUE(revived.replay(closed.number, closed.reports).ok());
      }
      EXPECT_EQ(revived.snapshot(), together.federation.snapshot());
    }
  }
}

TEST(StatisticsFederation, GoesOnFromASnapshotAndReplay) {
  const TestSource source({230, 300, 170, 300});
  const auto settings = growing_settings(4, true);
  Together whole(settings, source);
  const std::string at_start = whole.federation.snapshot();
  whole.play_to_the_end();
  const std::size_t all = whole.closed.size();
  ASSERT_GE(all, 4U);
  for (const std::size_t batches : {std::size_t{0}, std::size_t{1}, all / 2, all - 1}) {
    Federation revived = Federation::make(settings, kRun).value();
    ASSERT_TRUE(revived.restore(at_start).ok());
    for (std::size_t b = 0; b < batches; ++b) {
      ASSERT_TRUE(revived.replay(whole.closed[b].number, whole.closed[b].reports).ok());
    }
    Federation again = Federation::make(settings, kRun).value();
    ASSERT_TRUE(again.restore(revived.snapshot()).ok());
    for (std::size_t b = batches; b < all; ++b) {
      ASSERT_TRUE(again.replay(whole.closed[b].number, whole.closed[b].reports).ok());
    }
    EXPECT_EQ(learned_by(again), learned_by(whole.federation));
    EXPECT_EQ(again.snapshot(), whole.federation.snapshot());
  }
}

TEST(StatisticsFederation, NoReportTellsOfFewerExamplesThanHideThem) {
  const TestSource source({100, 7});
  const auto settings = growing_settings(2, true);
  const std::size_t least = client_rule(settings.plan, settings.plan.features).least;
  EXPECT_EQ(least, 2U * 5U);
  Together together(settings, source);
  for (std::uint32_t j = 0; j < 2; ++j) {
    const auto report = together.clients[j].play(together.assignment(j));
    ASSERT_TRUE(report);
    for (const std::uint32_t examples : report->reports.examples) EXPECT_GE(examples, least);
    if (j == 1) {  // it has too few examples for ever, so it says nothing but that it has finished
      EXPECT_TRUE(report->reports.empty());
      EXPECT_EQ(report->played, PlayedSums{});
      EXPECT_TRUE(report->last);
    }
  }
}

/// Returns whether every number of a report is about enough examples.
bool hides_its_examples(const ReportRecord& report, std::size_t least) {
  std::size_t examples = 0;
  for (const std::uint32_t part : report.reports.examples) {
    if (part < least) return false;
    examples += part;
  }
  // The sums over the predictions are over those of the parts, so their differences tell nothing.
  return examples == report.played.forecasts && (examples > 0 || report.played == PlayedSums{});
}

TEST(StatisticsFederation, LateLabelsAreReportedTogetherOrNotAtAll) {
  const TestSource source({200});
  const auto settings = growing_settings(1, true);
  const std::size_t least = client_rule(settings.plan, settings.plan.features).least;
  for (const std::size_t late : {std::size_t{1}, least - 1, least, 9 * least}) {
    for (const bool last : {false, true}) {
      Together together(settings, source);
      Participant& client = together.clients[0].participant();
      ASSERT_TRUE(client.assign(together.assignment(0)).ok());
      std::vector<std::uint64_t> waiting;
      const auto predict = [&](std::uint32_t row) {
        return client.predict(source.example(0, row).x)->id;
      };
      for (std::uint32_t row = 0; row < late; ++row) waiting.push_back(predict(row));
      for (std::uint32_t row = 0; row < least; ++row) client.observe(predict(100 + row), 0.5);
      const SharedReport prompt = client.take_report(false);
      EXPECT_TRUE(hides_its_examples(*prompt, least));
      EXPECT_EQ(prompt->played.forecasts, least);
      ASSERT_EQ(together.send(0, *prompt), Verdict::accepted) << together.why;
      together.federation.close(together.now);

      ASSERT_TRUE(client.assign(together.assignment(0)).ok());
      for (const std::uint64_t id : waiting) client.observe(id, 0.25);
      const SharedReport report = client.take_report(last);
      EXPECT_TRUE(hides_its_examples(*report, least)) << late;
      EXPECT_EQ(report->played.forecasts, late >= least ? late : 0);
      EXPECT_EQ(client.counts().forgotten, last && late < least ? late : 0);
      EXPECT_EQ(together.send(0, *report), Verdict::accepted) << together.why;
    }
  }
}

TEST(StatisticsFederation, AcceptsReportsThatHideRareValues) {
  const TestSource source({200});
  auto settings = growing_settings(1, true);
  settings.plan.spaces.resize(1);  // so that all coordinates are sent, and the loss is checked
  settings.problem.spaces = settings.plan.spaces;
  for (const char* loss : {"square", "absolute", "huber:0.1"}) {
    settings.plan.loss = settings.problem.loss = parse_loss(loss).value();
    Together together(settings, source);
    Participant& client = together.clients[0].participant();
    std::uint32_t row = 0;
    for (int batch = 0; batch < 4; ++batch) {
      ASSERT_TRUE(client.assign(together.assignment(0)).ok());
      const std::uint32_t begin = row;
      while (!client.ready()) {
        const Example example = source.example(0, row++);
        std::vector<float> x(example.x.begin(), example.x.end());
        x[1] = row == begin + 3 ? 0.9F : 0.1F;
        const auto prediction = client.predict(x);
        ASSERT_TRUE(client.observe(prediction->id, 0.8 * static_cast<double>(x[1] * x[2])));
      }
      EXPECT_EQ(together.send(0, *client.take_report(false)), Verdict::accepted) << together.why;
      together.federation.close(together.now);
    }
  }
}

TEST(StatisticsFederation, PersonalLossesOfFewExamplesWaitForMore) {
  const TestSource source({200});
  auto settings = growing_settings(1, true);
  settings.plan.personal = settings.problem.personal = true;
  const std::size_t least = client_rule(settings.plan, settings.plan.features).least;
  Together together(settings, source);
  Participant& client = together.clients[0].participant();
  std::vector<std::uint64_t> waiting;
  const auto predict = [&](std::uint32_t row) {
    return client.predict(source.example(0, row).x)->id;
  };
  const auto report_after = [&](const std::vector<std::uint64_t>& labels) {
    for (const std::uint64_t id : labels) EXPECT_TRUE(client.observe(id, 0.5));
    SharedReport report = client.take_report(false);
    EXPECT_EQ(together.send(0, *report), Verdict::accepted) << together.why;
    together.federation.close(together.now);
    EXPECT_TRUE(client.assign(together.assignment(0)).ok());
    return report;
  };
  ASSERT_TRUE(client.assign(together.assignment(0)).ok());
  for (std::uint32_t row = 0; row < least; ++row) waiting.push_back(predict(row));
  const std::uint64_t last_one = waiting.back();
  waiting.pop_back();
  EXPECT_TRUE(report_after(waiting)->reports.empty());  // one is missing
  std::vector<std::uint64_t> others;
  for (std::uint32_t row = 0; row < least; ++row) others.push_back(predict(100 + row));
  // The examples of the first batch count in the second one.
  const SharedReport both = report_after(others);
  const std::vector<std::uint32_t> all = {static_cast<std::uint32_t>(2 * least - 1)};
  EXPECT_EQ(both->reports.examples, all);
  EXPECT_EQ(both->played.personal.examples, 2 * least - 1);
  // The last label alone came since.
  const SharedReport late = report_after({last_one});
  EXPECT_TRUE(late->reports.empty());
  EXPECT_EQ(late->played, PlayedSums{});
  EXPECT_EQ(client.counts().observed, 2 * least);
}

TEST(StatisticsFederation, NoReportOfAWholeRunIsAboutFewExamples) {
  for (const std::size_t rows : {9U, 10U, 19U, 20U, 57U, 230U}) {
    const TestSource source({rows, 300});
    Together together(growing_settings(2, true), source);
    const std::size_t least = together.clients[0].participant().plan().features * 2 + 2;
    std::size_t reported = 0;
    while (together.federation.phase() == Federation::Phase::running) {
      for (std::uint32_t j = 0; j < 2; ++j) {
        if (!together.federation.awaits(j)) continue;
        const auto report = together.clients[j].play(together.assignment(j));
        ASSERT_TRUE(report);
        EXPECT_TRUE(hides_its_examples(*report, least)) << rows;
        if (j == 0) reported += report->played.forecasts;
        ASSERT_EQ(together.send(j, *report), Verdict::accepted) << together.why;
      }
      together.federation.close(together.now);
    }
    EXPECT_EQ(reported, rows < least ? 0 : rows);
  }
}

/// The reports of a valid batch, to be spoiled.
struct Spoiled {
  TestSource source{{100, 100}};
  Together together{growing_settings(2, true), source};
  ReportRecord report = *together.clients[0].play(together.assignment(0));

  /// Returns the model that has sums.
  std::size_t with_sums() const {
    std::size_t model = 0;
    while (report.reports.sizes[model] == 0) ++model;
    return model;
  }
  float& sum(std::size_t place) {
    // The report owns the memory that its directions point to.
    return const_cast<float*>(report.reports.directions[with_sums()])[place];  // NOLINT
  }
  Verdict send() { return together.send(0, report); }
};

TEST(StatisticsFederation, AcceptsWhatDataCanGive) {
  EXPECT_EQ(Spoiled().send(), Verdict::accepted);
}

TEST(StatisticsFederation, RejectsSumsThatNoDataHave) {
  {
    Spoiled negative;
    negative.sum(0) = -1.0F;
    EXPECT_EQ(negative.send(), Verdict::rejected);
    EXPECT_NE(negative.together.why.find("semidefinite"), std::string::npos);
  }
  {
    Spoiled not_finite;
    not_finite.sum(0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(not_finite.send(), Verdict::rejected);
  }
  {
    Spoiled large_targets;
    large_targets.sum(0) = 1e6F;
    EXPECT_EQ(large_targets.send(), Verdict::rejected);
    EXPECT_NE(large_targets.together.why.find("targets"), std::string::npos);
  }
  {
    Spoiled large_features;
    large_features.sum(triangle_size(2) - 1) = 1e6F;  // the first coordinate of z
    EXPECT_EQ(large_features.send(), Verdict::rejected);
    EXPECT_NE(large_features.together.why.find("features"), std::string::npos);
  }
  {
    Spoiled correlated;  // more than the sums of squares allow
    correlated.sum(1) = 2.0F + std::sqrt(correlated.sum(0) * correlated.sum(2));
    EXPECT_EQ(correlated.send(), Verdict::rejected);
    EXPECT_NE(correlated.together.why.find("semidefinite"), std::string::npos);
  }
}

TEST(StatisticsFederation, RejectsSumsOfAnotherSizeAndOverTooFewExamples) {
  {
    Spoiled small;
    --small.report.reports.sizes[small.with_sums()];
    EXPECT_EQ(small.send(), Verdict::rejected);
    EXPECT_NE(small.together.why.find("instead of"), std::string::npos);
  }
  {
    Spoiled few;
    few.report.reports.examples[0] = 3;
    few.report.played.forecasts = 3;
    EXPECT_EQ(few.send(), Verdict::rejected);
    EXPECT_NE(few.together.why.find("do not hide them"), std::string::npos);
  }
}

TEST(StatisticsFederation, HasNoQuorumOrDeadlineWhereNobodyWaits) {
  auto settings = growing_settings(2, true);
  settings.deadline = std::chrono::milliseconds(100);
  EXPECT_TRUE(Federation::make(settings, kRun).ok());
  settings.problem.mode = Mode::asynchronous;
  const auto made = Federation::make(settings, kRun);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().where, "mode");
}

}  // namespace
}  // namespace caucus
