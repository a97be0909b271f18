// Probabilities that need no rate (de Rooij, van Erven, Grünwald, Koolen, 2014): Hedge on the
// cumulative losses with eta = ln K / Delta, where Delta sums what mixing has cost so far. The
// losses may have any scale, and their common part cancels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

class AdaHedge {
 public:
  explicit AdaHedge(std::size_t models);

  /// One round's losses of all models, or their differences to any common value.
  void update(std::span<const double> losses);

  /// p <- (1 - amount) p + amount / K, for data whose best model changes, and the past counts less:
  /// Delta <- (1 - amount) Delta.
  void share(double amount);

  /// restore() is for one of as many models, which is to be thrown away after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Simplex& probabilities() const { return p_; }
  [[nodiscard]] double mixing_cost() const { return delta_; }  ///< Delta

 private:
  void set_probabilities();

  std::vector<double> cumulative_;
  double delta_ = 0.0;
  Simplex p_;
  std::vector<double> scratch_, probabilities_;  ///< while updating
};

}  // namespace caucus
