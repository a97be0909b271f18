// A small problem and a federation that plays it, for the tests of all algorithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "caucus/algorithms/algorithm.hpp"
#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/algorithms/baselines/baseline.hpp"

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
  std::size_t sample_size = 2;
  Loss loss;
  double eta = 0.5, lambda = 0.2, loss_bound = 4.0;
  double fixed_share = 0.0;
  UploadRule uploads;                               ///< statistics only
  bool personal = false;                            ///< statistics only
  double regularization = 1e-3, exploration = 0.5;  ///< baselines only
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

  [[nodiscard]] std::shared_ptr<const Plan> plan() const {
    auto maps = FeatureMaps::make(spaces, {inputs, 0}, seed, repetition);
    return std::make_shared<const Plan>(Plan{std::move(maps).value(), loss});
  }

  [[nodiscard]] std::shared_ptr<const OmsSettings> settings() const {
    return std::make_shared<const OmsSettings>(
        OmsSettings{plan(), sample_size, ConstantSchedule{eta, lambda, spaces.size()},
                    WeightedEntropy(std::vector<double>(spaces.size(), loss_bound)), seed,
                    repetition, fixed_share});
  }

  [[nodiscard]] std::shared_ptr<const FirstOrderSettings> first_order_settings() const {
    return std::make_shared<const FirstOrderSettings>(
        FirstOrderSettings{plan(), sample_size, fixed_share, seed, repetition});
  }

  [[nodiscard]] std::shared_ptr<const StatisticsSettings> statistics_settings() const {
    return std::make_shared<const StatisticsSettings>(StatisticsSettings{
        plan(), sample_size, uploads, personal, fixed_share, clients, seed, repetition});
  }

  [[nodiscard]] std::shared_ptr<const BaselineSettings> baseline_settings() const {
    return std::make_shared<const BaselineSettings>(
        BaselineSettings{plan(), sample_size, clients,
                         BaselineRates{.weight_rate = eta,
                                       .model_rate = lambda,
                                       .regularization = regularization,
                                       .exploration = exploration},
                         seed, repetition});
  }
};

/// The clients of a federation: what they remember from batch to batch, and every forecast they
/// gave.
template <Algorithm A>
struct Clients {
  explicit Clients(const Problem& problem) : memory(problem.clients) {}

  std::vector<typename A::ClientState> memory;
  std::vector<double> forecasts;
};

/// Plays one batch by calling the five steps one by one; `order` is the order of the reports.
template <Algorithm A>
void play(A& server, const Problem& problem, const Batch& batch,
          const std::vector<std::uint32_t>& order, Clients<A>& clients) {
  auto aggregate = server.new_aggregate();
  auto forecast = server.new_forecast();
  typename A::Assignment assignment;
  auto mean = server.new_mean();
  for (const std::uint32_t client : order) {
    server.assign(batch, client, assignment);
    mean.begin(assignment);
    for (std::size_t round = batch.first; round < batch.last; ++round) {
      const TestExample example = problem.example(client, static_cast<std::uint32_t>(round));
      server.predict(clients.memory[client], assignment, example.x, forecast);
      clients.forecasts.push_back(forecast.output);
      server.report(clients.memory[client], forecast, example.y, mean);
    }
    ReportBatch report;
    mean.report(report);
    server.aggregate(report, aggregate);
  }
  server.step(batch, aggregate);
}

/// Plays one batch with clients that remember nothing.
template <Algorithm A>
requires std::is_same_v<typename A::ClientState, NoMemory>
void play(A& server, const Problem& problem, const Batch& batch,
          const std::vector<std::uint32_t>& order) {
  Clients<A> clients(problem);
  play(server, problem, batch, order, clients);
}

inline std::vector<std::uint32_t> in_order(std::size_t clients) {
  std::vector<std::uint32_t> order(clients);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// Plays all rounds of the problem with new clients. Returns their forecasts.
template <Algorithm A>
std::vector<double> play_all(A& server, const Problem& problem, std::size_t per_batch = 1) {
  Clients<A> clients(problem);
  Batch batch{0, 0, 0};
  while (batch.last < problem.rounds) {
    batch = {batch.number + 1, batch.last, std::min(batch.last + per_batch, problem.rounds)};
    play(server, problem, batch, in_order(problem.clients), clients);
  }
  return std::move(clients.forecasts);
}

/// Appends all numbers of a model: p, then all weights.
inline void append_numbers(const LearnedModel& model, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), model.probabilities.begin(), model.probabilities.end());
  for (const auto& weights : model.weights) {
    for (const float w : weights) numbers.push_back(static_cast<double>(w));
  }
}

/// The mean of what is added, and its standard error.
class Average {
 public:
  void add(double value) {
    ++n_;
    const double delta = value - mean_;
    mean_ += delta / n_;
    squares_ += delta * (value - mean_);
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double error() const { return std::sqrt(squares_ / (n_ - 1.0) / n_); }

 private:
  double n_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

/// The saved state of a server.
template <class Server>
std::string saved(const Server& server) {
  StateWriter writer;
  server.save(writer);
  return writer.take();
}

}  // namespace caucus::conformance
