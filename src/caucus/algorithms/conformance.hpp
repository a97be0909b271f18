// What every algorithm is put through. A new algorithm adds a Subject below its own and its name to
// the list in conformance_test.cpp; where an invariant does not apply, its Subject says so.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "caucus/algorithms/algorithm.hpp"
#include "caucus/algorithms/any_algorithm.hpp"

namespace caucus::conformance {

struct TestExample {
  std::vector<float> x;
  double y = 0.0;
};

/// A small problem: its data, and everything that an algorithm is made of.
struct Problem {
  std::vector<Space> spaces = {Space{.radius = 0.5}, Space{.radius = 1.0},
                               Space{.kind = SpaceKind::gaussian, .radius = 2.0, .features = 8},
                               Space{.kind = SpaceKind::gaussian,
                                     .radius = 1.5,
                                     .constraint = Constraint::box,
                                     .width = 2.0,
                                     .features = 8}};
  std::size_t inputs = 3;
  std::size_t clients = 5;
  std::size_t rounds = 12;
  std::size_t sampled = 2;
  Loss loss;
  double eta = 0.5, lambda = 0.2, loss_bound = 4.0;
  std::uint64_t seed = 7;
  std::uint32_t repetition = 0;
  float scale = 1.0F;

  [[nodiscard]] TestExample example(std::uint32_t client, std::uint32_t round) const {
    Stream stream({99, Purpose::test, 0, round, client});
    TestExample example;
    double sum = 0.0;
    for (std::size_t l = 0; l < inputs; ++l) {
      const double value = 2.0 * stream.uniform() - 1.0;
      example.x.push_back(scale * static_cast<float>(value));
      sum += value / static_cast<double>(l + 1);
    }
    example.y = loss.is_classification() ? (sum > 0.0 ? 1.0 : -1.0) : 0.5 + 0.3 * sum;
    return example;
  }

  [[nodiscard]] std::shared_ptr<const OmsSettings> settings() const {
    auto maps = FeatureMaps::make(spaces, {inputs, 0}, seed, repetition);
    auto plan = std::make_shared<const Plan>(Plan{std::move(maps).value(), loss});
    return std::make_shared<const OmsSettings>(OmsSettings{
        plan, sampled, ConstantSchedule{eta, lambda, spaces.size()},
        WeightedEntropy(std::vector<double>(spaces.size(), loss_bound)), seed, repetition});
  }
};

/// Plays batches by calling the five verbs one by one; `order` is the order of the reports.
template <Algorithm A>
void play(A& server, const Problem& problem, const Batch& batch,
          const std::vector<std::uint32_t>& order) {
  auto aggregate = server.new_aggregate();
  auto forecast = server.new_forecast();
  typename A::Assignment assignment;
  typename A::BatchMean mean;
  typename A::ClientState memory;
  for (const std::uint32_t client : order) {
    server.assign(batch, client, assignment);
    mean.begin(assignment);
    for (std::size_t round = batch.first; round < batch.last; ++round) {
      const TestExample example = problem.example(client, static_cast<std::uint32_t>(round));
      server.predict(memory, assignment, example.x, forecast);
      server.report(memory, forecast, example.y, mean);
    }
    server.aggregate(mean.report(), aggregate);
  }
  server.step(batch, aggregate);
}

inline std::vector<std::uint32_t> in_order(std::size_t clients) {
  std::vector<std::uint32_t> order(clients);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

template <Algorithm A>
void play_all(A& server, const Problem& problem, std::size_t per_batch = 1) {
  Batch batch{0, 0, 0};
  while (batch.last < problem.rounds) {
    batch = {batch.number + 1, batch.last, std::min(batch.last + per_batch, problem.rounds)};
    play(server, problem, batch, in_order(problem.clients));
  }
}

/// All numbers of a state, one after another: p, then all weights, for every separate copy.
template <class A>
struct Subject;

template <>
struct Subject<FomdOms> {
  static FomdOms make(const Problem& problem) { return FomdOms(problem.settings()); }
  static std::size_t copies(const FomdOms&) { return 1; }
  static const FomdOms& copy(const FomdOms& server, std::size_t) { return server; }
};

template <>
struct Subject<NcoOms> {
  static NcoOms make(const Problem& problem) { return {problem.settings(), problem.clients}; }
  static std::size_t copies(const NcoOms& server) { return server.clients(); }
  static const FomdOms& copy(const NcoOms& server, std::size_t j) { return server.copy(j); }
};

template <class A>
std::vector<double> state_of(const A& server) {
  std::vector<double> numbers;
  for (std::size_t c = 0; c < Subject<A>::copies(server); ++c) {
    const auto& copy = Subject<A>::copy(server, c);
    for (const double p : copy.probabilities().probabilities()) numbers.push_back(p);
    for (std::size_t i = 0; i < copy.models(); ++i) {
      for (const float w : copy.weights(i)) numbers.push_back(static_cast<double>(w));
    }
  }
  return numbers;
}

}  // namespace caucus::conformance
