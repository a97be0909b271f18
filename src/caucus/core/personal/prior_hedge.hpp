// AdaHedge (core/mirror/adahedge.hpp) for a few candidates with a prior: weights
//   w_i = prior_i exp(-eta L_i) / sum,  eta = rate / Delta,
// where L are cumulative losses and Delta is the accumulated mixing cost. A share of the weights
// returns to the prior in each round, so that the mixture follows a change of the best candidate.
// Candidates with the prior 0 are asleep.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class PriorHedge {
 public:
  /// Needs a prior that sums to 1 and whose numbers are 0 or at least kLeastPrior.
  explicit PriorHedge(std::vector<double> prior);

  /// Starts anew from a prior, given losses, and a mixing cost >= 0. A small cost makes the mixture
  /// fast and easily deceived; the loss that a good candidate suffers in a round is a fair choice.
  void restart(std::span<const double> prior, std::span<const double> losses, double mixing_cost);
  /// Makes the mixture at least as slow as this mixing cost does.
  void raise_cost(double mixing_cost);
  /// Adds the losses of all candidates in one round; those of sleeping candidates do not count.
  void update(std::span<const double> losses);

  [[nodiscard]] std::span<const double> weights() const { return weights_; }

  /// restore() needs an object with the same number of candidates; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  static constexpr double kLeastPrior = 1e-9;
  static constexpr double kRate = 1.5;
  static constexpr double kShare = 0.001;

 private:
  void set_weights();
  /// factors_i = exp(-eta (losses_i - least)), at most 1.
  void set_factors(std::span<const double> losses, double least);

  std::vector<double> prior_, cumulative_, weights_;
  std::vector<double> factors_;  ///< used while updating
  double delta_ = 0.0;
};

}  // namespace caucus
