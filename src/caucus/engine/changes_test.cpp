// Clients whose data change.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "caucus/algorithms/statistics/statistics_oms.hpp"
#include "caucus/engine/simulated_clients.hpp"
#include "caucus/engine/test_source.hpp"

namespace caucus::changes {
namespace {

constexpr std::size_t kInputs = 4;  // of TestSource
constexpr std::size_t kRounds = 400;
constexpr std::size_t kChange = 200;

StatisticsOms made(const UploadRule& uploads) {
  const double free = std::numeric_limits<double>::infinity();
  const std::vector<Space> spaces = {Space{.radius = free, .intercept = true},
                                     Space{.kind = SpaceKind::gaussian,
                                           .radius = free,
                                           .intercept = true,
                                           .width = 1.0,
                                           .features = 5}};
  auto maps = FeatureMaps::make(spaces, {kInputs, 0}, 1, 0, 1).value();
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps), Loss()});
  return StatisticsOms(std::make_shared<const StatisticsSettings>(
      StatisticsSettings{plan, 2, uploads, true, 0.0, 1, 0}));
}

struct PlayedBatch {
  std::uint32_t client = 0;
  std::size_t first = 0, last = 0;
  bool change = false;

  bool operator==(const PlayedBatch&) const = default;
};

/// Notes the batches that another backend plays. One client may say in each report that its data
/// have changed.
template <class Backend>
struct Noting {
  template <class Source>
  ReportBatch& play_client(Server<StatisticsOms>& server, Batch& batch, std::uint32_t client,
                           Clients<Source>& clients) {
    ReportBatch& report = backend.play_client(server, batch, client, clients);
    if (client == liar) report.mark_change();
    batches.push_back({client, batch.first, batch.last, report.has_change(0)});
    return report;
  }
  Backend backend;
  std::uint32_t liar = std::numeric_limits<std::uint32_t>::max();
  std::vector<PlayedBatch> batches = {};
};

struct Outcome {
  std::vector<PlayedBatch> batches;
  std::vector<double> squares;  ///< of the errors of all clients, by round
  std::vector<float> weights;   ///< of the linear model

  [[nodiscard]] double mean(std::size_t from, std::size_t to) const {
    double sum = 0.0;
    for (std::size_t t = from; t < to; ++t) sum += squares[t];
    return sum / static_cast<double>(to - from);
  }
};

template <class Backend>
Outcome play(const TestSource& source, const UploadRule& uploads,
             std::uint32_t liar = std::numeric_limits<std::uint32_t>::max()) {
  Server<StatisticsOms> server(made(uploads));
  Telemetry telemetry(Loss(), source.clients());
  Outcome outcome;
  outcome.squares.resize(kRounds);
  Clients<TestSource> clients{
      &source, uploads, {}, &telemetry, [&](std::size_t client, std::size_t round, double output) {
        outcome.squares[round] += std::pow(output - source.example(client, round).y, 2) /
                                  static_cast<double>(source.clients());
      }};
  Noting<Backend> noting{Backend(server.algorithm(), source.clients(), 1), liar};
  AsynchronousClients<StatisticsOms, TestSource, Noting<Backend>>(noting, clients)
      .play(server, [](std::size_t, double) {});
  outcome.batches = std::move(noting.batches);
  const auto w = server.algorithm().weights(0);
  outcome.weights.assign(w.begin(), w.end());
  return outcome;
}

using Blocked = BlockedClients<StatisticsOms>;
using Plain = PlainClients<StatisticsOms>;

UploadRule rule_of(std::size_t least) {
  return {.rounds = 0, .growth = 0.3, .least = least, .follows_changes = true};
}

const TestSource& mirrored() {
  static const TestSource source(std::vector<std::size_t>(10, kRounds), kChange);
  return source;
}

TEST(Changes, EndBatchesEarlyButNotBelowTheLeastLength) {
  for (const std::size_t least : {1U, 12U, 60U}) {
    const Outcome outcome = play<Blocked>(mirrored(), rule_of(least));
    std::vector<std::size_t> played(10, 0);
    std::vector<std::size_t> changes(10, 0);
    for (const PlayedBatch& batch : outcome.batches) {
      EXPECT_EQ(batch.first, played[batch.client]);  // every round is played once
      played[batch.client] = batch.last;
      EXPECT_TRUE(batch.last - batch.first >= least || batch.last == kRounds);
      if (!batch.change || batch.last < kChange) continue;
      ++changes[batch.client];
      EXPECT_LE(batch.last, std::max(batch.first + least, kChange + 10));
    }
    for (std::size_t client = 0; client < 10; ++client) {
      EXPECT_EQ(played[client], kRounds);
      EXPECT_EQ(changes[client], 1U) << "least " << least;
    }
  }
}

TEST(Changes, BlocksOfExamplesGiveTheBitsOfOneAtATime) {
  for (const std::size_t least : {1U, 12U}) {
    const Outcome blocked = play<Blocked>(mirrored(), rule_of(least));
    const Outcome plain = play<Plain>(mirrored(), rule_of(least));
    EXPECT_EQ(blocked.batches, plain.batches);
    EXPECT_EQ(blocked.squares, plain.squares);
    EXPECT_EQ(blocked.weights, plain.weights);
  }
}

TEST(Changes, AreFollowedByTheModels) {
  UploadRule deaf = rule_of(1);
  deaf.follows_changes = false;
  const Outcome outcome = play<Blocked>(mirrored(), rule_of(1));
  EXPECT_LT(outcome.weights[0], -0.9F);  // 1 - x instead of x
  EXPECT_LT(outcome.mean(kChange + 40, kRounds), 1e-3);
  const Outcome slow = play<Blocked>(mirrored(), deaf);  // its batches end as if nothing had been
  EXPECT_LT(outcome.mean(kChange, kRounds), 0.85 * slow.mean(kChange, kRounds));
}

TEST(Changes, OneClientThatClaimsThemMakesTheOthersForgetNothing) {
  const TestSource still(std::vector<std::size_t>(10, kRounds));
  const Outcome honest = play<Blocked>(still, rule_of(1));
  const Outcome outcome = play<Blocked>(still, rule_of(1), 4);
  EXPECT_NEAR(outcome.weights[0], 1.0F, 1e-2F);
  EXPECT_LE(outcome.mean(20, kRounds), 1.05 * honest.mean(20, kRounds));
  // A real change is followed in spite of it.
  const Outcome changed = play<Blocked>(mirrored(), rule_of(1), 4);
  EXPECT_LT(changed.weights[0], -0.9F);
}

/// Returns a client's report on 40 examples, which the present models predict.
ReportBatch report_of(Server<StatisticsOms>& server, std::uint32_t client, std::size_t first) {
  const UploadRule rule = rule_of(1);
  Assignment assignment;
  server.assign({1, first, first + 40}, client, assignment);
  const Plan& plan = server.algorithm().plan();
  BatchStatistics statistics(plan, rule);
  statistics.begin(assignment, 40);
  Forecast forecast(plan.maps);
  for (std::size_t round = first; round < first + 40; ++round) {
    const Example example = mirrored().example(client, round);
    predict_with_held(plan, assignment, example.x, forecast);
    statistics.add(forecast, example.y);
  }
  ReportBatch reports;
  statistics.report(reports);
  return reports;
}

void learn(Server<StatisticsOms>& server, ReportBatch reports) {
  server.accept(reports);
  server.close({1, 0, 1});
}

TEST(Changes, ALateNoticeDoesNotBringBackWhatTheServerHasForgotten) {
  for (const bool notices : {true, false}) {
    Server<StatisticsOms> server(made(rule_of(1)));
    learn(server, report_of(server, 0, 0));
    ReportBatch late = report_of(server, 1, 40);  // about the time before the change
    ReportBatch first = report_of(server, 0, kChange - 20);
    first.mark_change();
    learn(server, std::move(first));
    for (std::size_t n = 0; n < 3; ++n) learn(server, report_of(server, 0, kChange + 40 * n));
    ASSERT_LT(server.algorithm().weights(0)[0], -0.9F);
    if (notices) late.mark_change();
    learn(server, std::move(late));
    learn(server, report_of(server, 0, kChange + 120));  // the models are computed anew
    EXPECT_EQ(server.algorithm().weights(0)[0] < -0.9F, notices);
  }
}

}  // namespace
}  // namespace caucus::changes
