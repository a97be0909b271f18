// Reports of models that were drawn in an earlier batch, and clients that report in parts.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "caucus/algorithms/test_play.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus::conformance {
namespace {

/// One report of a client, with the models it is about.
struct OwnReport {
  BatchMean mean;
  Assignment assignment;
  ReportBatch report;
};

/// Fills a client's report of the rounds of a batch, with the models that it holds.
template <class Server>
void fill(const Server& server, const Problem& problem, const Batch& batch, OwnReport& own) {
  NoMemory memory;
  auto forecast = server.new_forecast();
  own.mean.begin(own.assignment);
  for (std::size_t round = batch.first; round < batch.last; ++round) {
    const TestExample example =
        problem.example(own.assignment.client, static_cast<std::uint32_t>(round));
    server.predict(memory, own.assignment, example.x, forecast);
    server.report(memory, forecast, example.y, own.mean);
  }
  own.report.clear();
  own.mean.report(own.report);
}

/// With models that the server draws.
template <class Server>
void fill_drawn(Server& server, const Problem& problem, const Batch& batch, std::uint32_t client,
                OwnReport& own) {
  server.assign(batch, client, own.assignment);
  fill(server, problem, batch, own);
}

/// Says when it was drawn.
template <class Server>
void mark(const Server& drawn_by, OwnReport& own) {
  for (std::size_t a = 0; a < own.report.spaces.size(); ++a) {
    own.report.mark_late(a, drawn_by.probabilities()[own.report.spaces[a]]);
  }
}

/// One client's report in two parts, with memory of its own.
ReportBatch parts_of(const OwnReport& first, const OwnReport& second) {
  ReportBatch parts;
  parts.add_report_of(first.report, 0);
  parts.add_report_of(second.report, 0);
  return ReportBatch(static_cast<const ReportBatch&>(parts));
}

/// A server as it was when late reports were drawn, and as it is now. Client 0 reports both a late
/// example and two of now, client 1 a late one, the others one of now.
template <class Server>
struct Times {
  static constexpr Batch kThen{900, 5, 6};
  static constexpr Batch kNow{1, 6, 7};
  static constexpr Batch kBoth{1, 6, 8};

  Times(const Problem& of, Server then, Server now)
      : problem(of), was(std::move(then)), is(std::move(now)) {}

  /// What the reports of draw number n add up to; `marked`: late ones say that they are late.
  typename Server::Aggregate draw(std::uint32_t n, bool marked) {
    const auto at = [&](Batch batch) {
      batch.number = 1000 + n;  // names the stream of draws
      return batch;
    };
    auto aggregate = is.new_aggregate();
    OwnReport late;
    OwnReport present;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      if (j <= 1) {
        fill_drawn(was, problem, at(kThen), j, late);
        if (marked) mark(was, late);
      }
      if (j != 1) fill_drawn(is, problem, at(j == 0 ? kBoth : kNow), j, present);
      if (j == 0) {
        ReportBatch parts = parts_of(late, present);
        is.aggregate(parts, aggregate);
      } else {
        is.aggregate(j == 1 ? late.report : present.report, aggregate);
      }
    }
    return aggregate;
  }

  /// The mean over clients of loss and of the gradient's first number, of every model.
  void exact(std::vector<double>& losses, std::vector<double>& gradients) {
    losses.assign(problem.spaces.size(), 0.0);
    gradients.assign(problem.spaces.size(), 0.0);
    const auto add = [&](const Server& server, std::uint32_t client, const Batch& batch,
                         double share) {
      OwnReport own;
      own.assignment.client = client;
      for (std::uint32_t i = 0; i < problem.spaces.size(); ++i) {
        own.assignment.held.push_back({i, server.weights(i), i == 0 ? 1.0 : 0.0});
      }
      fill(server, problem, batch, own);
      const double weight = share / static_cast<double>(problem.clients);
      const ReportBatch& report = own.report;
      for (std::size_t m = 0; m < report.spaces.size(); ++m) {
        losses[report.spaces[m]] += weight * static_cast<double>(report.losses[m]);
        gradients[report.spaces[m]] += weight * static_cast<double>(report.factors[m]) *
                                       static_cast<double>(report.directions[m][0]);
      }
    };
    add(was, 0, kThen, 1.0 / 3.0);
    add(is, 0, kBoth, 2.0 / 3.0);
    add(was, 1, kThen, 1.0);
    for (std::uint32_t j = 2; j < problem.clients; ++j) add(is, j, kNow, 1.0);
  }

  Problem problem;
  Server was, is;
};

Problem free_problem(std::size_t sample_size) {
  Problem problem;
  problem.sample_size = sample_size;
  problem.eta = 8.0;
  for (Space& space : problem.spaces) {
    space.radius = std::numeric_limits<double>::infinity();
    space.constraint = Constraint::ball;
  }
  return problem;
}

/// Returns the server after `then` rounds and after `now` rounds.
template <class Server>
Times<Server> times_of(const Problem& problem, Server server, std::uint32_t then,
                       std::uint32_t now) {
  Server was = server;
  for (std::uint32_t r = 1; r <= now; ++r) {
    play(server, problem, {r, r - 1, r}, in_order(problem.clients));
    if (r == then) was = server;
  }
  return Times<Server>(problem, std::move(was), std::move(server));
}

/// A step moves ln(p_i / p_0) by -(eta / C)(c_i - c_0) and the models by -lambda g_i.
void expect_unbiased_steps(std::size_t sample_size) {
  const Problem problem = free_problem(sample_size);
  auto times = times_of(problem, FomdOms(problem.settings()), 2, 8);
  const std::size_t K = problem.spaces.size();
  std::vector<double> losses;
  std::vector<double> gradients;
  times.exact(losses, gradients);
  std::vector<Average> ratios(K);
  std::vector<Average> moves(K);
  std::vector<Average> unmarked(K);
  const auto ratio = [&](const FomdOms& server, std::size_t i) {
    const auto log_p = server.probabilities().log_probabilities();
    return log_p[i] - log_p[0];
  };
  for (std::uint32_t n = 0; n < 40000; ++n) {
    FomdOms server = times.is;
    server.step({1, 6, 7}, times.draw(n, true));
    FomdOms careless = times.is;
    careless.step({1, 6, 7}, times.draw(n, false));
    for (std::size_t i = 0; i < K; ++i) {
      ratios[i].add(ratio(server, i) - ratio(times.is, i));
      unmarked[i].add(ratio(careless, i) - ratio(times.is, i));
      moves[i].add(static_cast<double>(server.weights(i)[0]) -
                   static_cast<double>(times.is.weights(i)[0]));
    }
  }
  double most_bias = 0.0;
  for (std::size_t i = 1; i < K; ++i) {
    const double expected = -problem.eta / problem.loss_bound * (losses[i] - losses[0]);
    EXPECT_NEAR(ratios[i].mean(), expected, 4.5 * ratios[i].error() + 1e-6) << i;
    EXPECT_NEAR(moves[i].mean(), -problem.lambda * gradients[i], 4.5 * moves[i].error() + 1e-7)
        << i;
    most_bias = std::max(most_bias, std::abs(unmarked[i].mean() - expected) / unmarked[i].error());
  }
  EXPECT_GT(most_bias, 10.0) << "p has hardly moved: there is nothing to correct";
}

TEST(LateReports, LeaveTheStepsOfFomdOmsUnbiased) {
  expect_unbiased_steps(2);
  expect_unbiased_steps(3);
}

void expect_unbiased_differences(std::size_t sample_size) {
  const Problem problem = free_problem(sample_size);
  auto times = times_of(problem, FirstOrderOms(problem.first_order_settings()), 3, 150);
  const std::size_t K = problem.spaces.size();
  std::vector<double> losses;
  std::vector<double> gradients;
  times.exact(losses, gradients);
  double mean_loss = 0.0;
  for (std::size_t i = 0; i < K; ++i) mean_loss += times.is.probabilities()[i] * losses[i];
  std::vector<Average> differences(K);
  std::vector<Average> unmarked(K);
  for (std::uint32_t n = 0; n < 100000; ++n) {
    const auto aggregate = times.draw(n, true);
    const auto estimates = times.is.estimated_differences(aggregate);
    double weighted = 0.0;
    for (std::size_t i = 0; i < K; ++i) {
      differences[i].add(estimates[i]);
      weighted += times.is.probabilities()[i] * estimates[i];
    }
    ASSERT_NEAR(weighted, 0.0, 1e-10);
    const auto careless = times.draw(n, false);
    const auto others = times.is.estimated_differences(careless);
    for (std::size_t i = 0; i < K; ++i) unmarked[i].add(others[i]);
  }
  double most_bias = 0.0;
  for (std::size_t i = 0; i < K; ++i) {
    const double expected = losses[i] - mean_loss;
    EXPECT_NEAR(differences[i].mean(), expected, 4.5 * differences[i].error() + 1e-6) << i;
    most_bias = std::max(most_bias, std::abs(unmarked[i].mean() - expected) / unmarked[i].error());
  }
  EXPECT_GT(most_bias, 6.0) << "p has hardly moved: there is nothing to correct";
}

TEST(LateReports, LeaveTheDifferencesOfFirstOrderOmsUnbiased) {
  expect_unbiased_differences(2);
  expect_unbiased_differences(3);
}

/// Reports of now that say so are those that say nothing.
template <class Server>
void expect_same(const Problem& problem, Server server, double tolerance) {
  auto times = times_of(problem, std::move(server), 0, 8);
  Server plain = times.is;
  Server marked = times.is;
  auto plain_sums = plain.new_aggregate();
  auto marked_sums = marked.new_aggregate();
  const Batch batch{9, 8, 9};
  for (std::uint32_t j = 0; j < problem.clients; ++j) {
    OwnReport own;
    fill_drawn(plain, problem, batch, j, own);
    ReportBatch unmarked = own.report;
    plain.aggregate(unmarked, plain_sums);
    mark(plain, own);
    marked.aggregate(own.report, marked_sums);
  }
  plain.step(batch, plain_sums);
  marked.step(batch, marked_sums);
  EXPECT_TRUE(saved(plain) == saved(marked) || tolerance > 0.0);
  for (std::size_t i = 0; i < problem.spaces.size(); ++i) {
    EXPECT_NEAR(plain.probabilities()[i], marked.probabilities()[i], tolerance);
    for (std::size_t k = 0; k < plain.weights(i).size(); ++k) {
      EXPECT_EQ(plain.weights(i)[k], marked.weights(i)[k]);
    }
  }
  EXPECT_NE(saved(plain), saved(times.is));
}

TEST(LateReports, ThatWereDrawnNowAreOrdinaryReports) {
  for (const std::size_t sample_size : {2U, 3U, 4U}) {
    Problem problem;
    problem.sample_size = sample_size;
    expect_same(problem, FomdOms(problem.settings()), 0.0);
    const double tolerance = sample_size == 3 ? 0.0 : 1e-12;  // else P_ik is computed another way
    expect_same(problem, FirstOrderOms(problem.first_order_settings()), tolerance);
    problem.fixed_share = 0.01;
    expect_same(problem, FirstOrderOms(problem.first_order_settings()), tolerance);
  }
}

/// Halves of a batch, with the same models held, say together what the whole says.
template <class Server>
void with_halves(const Problem& problem, Server server,
                 const std::function<void(Server&, typename Server::Aggregate&,
                                          typename Server::Aggregate&)>& compare) {
  auto times = times_of(problem, std::move(server), 0, 8);
  auto whole_sums = times.is.new_aggregate();
  auto half_sums = times.is.new_aggregate();
  for (std::uint32_t j = 0; j < problem.clients; ++j) {
    OwnReport whole;
    OwnReport first;
    OwnReport second;
    fill_drawn(times.is, problem, {9, 8, 12}, j, whole);
    first.assignment = second.assignment = whole.assignment;
    fill(times.is, problem, {9, 8, 9}, first);
    fill(times.is, problem, {9, 9, 12}, second);
    ReportBatch parts = parts_of(first, second);
    times.is.aggregate(whole.report, whole_sums);
    times.is.aggregate(parts, half_sums);
  }
  compare(times.is, whole_sums, half_sums);
}

TEST(LateReports, PartsOfOneClientAreOneReport) {
  const Problem problem;
  with_halves<FomdOms>(problem, FomdOms(problem.settings()),
                       [&](FomdOms& server, OmsAggregate& whole, OmsAggregate& halves) {
                         FomdOms other = server;
                         server.step({9, 8, 12}, whole);
                         other.step({9, 8, 12}, halves);
                         for (std::size_t i = 0; i < problem.spaces.size(); ++i) {
                           EXPECT_NEAR(server.probabilities()[i], other.probabilities()[i], 1e-6);
                           for (std::size_t k = 0; k < server.weights(i).size(); ++k) {
                             EXPECT_NEAR(server.weights(i)[k], other.weights(i)[k], 1e-6);
                           }
                         }
                       });
  with_halves<FirstOrderOms>(problem, FirstOrderOms(problem.first_order_settings()),
                             [&](FirstOrderOms& server, KeptReports& whole, KeptReports& halves) {
                               const auto estimates = server.estimated_differences(whole);
                               const std::vector<double> expected(estimates.begin(),
                                                                  estimates.end());
                               const auto others = server.estimated_differences(halves);
                               for (std::size_t i = 0; i < expected.size(); ++i) {
                                 EXPECT_NEAR(expected[i], others[i], 1e-6);
                               }
                             });
}

}  // namespace
}  // namespace caucus::conformance
