// The local steps of the KOFL family once more, as they are written, in doubles.
#pragma once

#include <utility>

#include "caucus/algorithms/baselines/baseline_reference_test.hpp"

namespace caucus::conformance {

/// K local models of each client.
class PlainKofl {
 public:
  explicit PlainKofl(Problem to_play)
      : problem(std::move(to_play)), plan(problem.plan()), K(plan->maps.size()) {
    for (std::size_t j = 0; j < problem.clients; ++j) W.push_back(zero_models(plan->maps));
  }

  /// f_1 .. f_K of client j in round t.
  [[nodiscard]] Vector outputs(std::uint32_t j, std::size_t t) const {
    const PlainExample e = plain_example(problem, plan->maps, j, t);
    Vector f;
    for (std::size_t i = 0; i < K; ++i) f.push_back(product(W[j][i], e.z[i]));
    return f;
  }

  /// One local step of client j; gives the K squares of the residuals and adds the regularized
  /// losses to `losses`.
  Vector step(std::uint32_t j, std::size_t t, Vector& losses) {
    const PlainExample e = plain_example(problem, plan->maps, j, t);
    const Vector f = outputs(j, t);
    const double eta = problem.lambda;
    const double lambda = problem.regularization;
    Vector squares;
    for (std::size_t i = 0; i < K; ++i) {
      squares.push_back((f[i] - e.y) * (f[i] - e.y));
      losses[i] += squares[i] + lambda * product(W[j][i], W[j][i]);
      for (std::size_t k = 0; k < W[j][i].size(); ++k) {
        W[j][i][k] = (1.0 - 2.0 * eta * lambda) * W[j][i][k] - 2.0 * eta * (f[i] - e.y) * e.z[i][k];
      }
    }
    return squares;
  }

  /// The mean over these clients of their model i.
  [[nodiscard]] Vector mean(std::size_t i, const std::vector<std::uint32_t>& clients) const {
    Vector sum(W[0][i].size(), 0.0);
    for (const auto j : clients) {
      for (std::size_t k = 0; k < sum.size(); ++k) {
        sum[k] += W[j][i][k] / static_cast<double>(clients.size());
      }
    }
    return sum;
  }

  Problem problem;
  std::shared_ptr<const Plan> plan;
  std::size_t K;
  std::vector<Matrix> W;
};

inline Batch next_batch(const Batch& batch, std::size_t per_batch, std::size_t rounds) {
  return {batch.number + 1, batch.last, std::min(batch.last + per_batch, rounds)};
}

/// Four spaces of different kinds and dimensions, forty rounds.
inline Problem kofl_problem() {
  Problem problem;
  problem.rounds = 40;
  problem.regularization = 0.01;
  return problem;
}

}  // namespace caucus::conformance
