// AdaHedge (de Rooij, van Erven, Grünwald, Koolen, 2014): Hedge on the cumulative losses with the
// rate eta = ln K / Delta, where Delta is the accumulated mixing cost. The losses may have any
// scale, and a common part cancels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/simplex.hpp"
#include "caucus/result.hpp"

namespace caucus {

class AdaHedge {
 public:
  explicit AdaHedge(std::size_t models);

  /// Adds the losses of all models in one round, or their differences to any common value.
  void update(std::span<const double> losses);

  /// For data whose best model changes: p <- (1 - amount) p + amount / K, and
  /// Delta <- (1 - amount) Delta.
  void share(double amount);

  /// Multiplies the weight of all losses so far.
  void discount(double factor);

  /// restore() needs an object with the same number of models; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Simplex& probabilities() const { return p_; }
  [[nodiscard]] double mixing_cost() const { return delta_; }  ///< Delta

 private:
  void set_probabilities();

  std::vector<double> cumulative_;
  double delta_ = 0.0;
  Simplex p_;
  std::vector<double> scratch_, probabilities_;  ///< used by update()
};

}  // namespace caucus
