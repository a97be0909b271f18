// A model learned by gradient steps whose length needs no constants: never longer than the observed
// curvature allows, and never longer than how far the model has travelled allows. O(d) memory and
// work, and it needs only sums over clients. A heuristic; docs/adaptive.md has the measurements.
#pragma once

#include <cstddef>
#include <span>

#include "caucus/core/base/result.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/features/space.hpp"

namespace caucus {

/// What the clients that held a model reported in one round. Late reports and parts of reports
/// count s_ij times in all sums, others once.
struct RoundSums {
  std::size_t reporters = 0;        ///< M_r, with those that did not hold it
  double holders = 0.0;             ///< n_i
  double inclusion = 1.0;           ///< P_i
  double losses = 0.0;              ///< sum of c_ij
  double squared_gradients = 0.0;   ///< sum of |g_ij|^2
  std::span<const float> gradient;  ///< sum of g_ij
  double squared_sum = 0.0;         ///< its squared norm
  std::size_t examples = 1;         ///< that a report is the mean of
};

class FirstOrderModel {
 public:
  /// known_size: |z|^2 of every example where that is known, else 0.
  explicit FirstOrderModel(double known_size = 0.0) : largest_(known_size) {}

  /// w <- project(w - lambda g_i), g_i = sum g_ij / (M_r P_i), with
  ///   H = (n_i / (M_r P_i)) sum |g_ij|^2 / (2 sum c_ij),  Hbar its mean over rounds,
  /// for means over N examples times what they hide of it (as SecondOrderModel has it),
  ///   lambda = min(1 / max(H, Hbar), 1.4 r / sqrt(sum over rounds of |g_i|^2)),
  /// r the largest |w| so far, at first the length of the first step.
  void step(const RoundSums& sums, const Region& region, std::span<float> w) {
    move(next_rate(sums), sums.gradient, region, w);
  }
  // The same in two halves, so that several models can do the first one together: its divisions
  // and roots wait for each other, but not for those of another model.
  /// lambda / (M_r P_i), or 0 where the model had better stay where it is.
  double next_rate(const RoundSums& sums);
  void move(double rate, std::span<const float> gradient, const Region& region, std::span<float> w);

  /// restore() is for one of the same settings, which is to be thrown away after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  double largest_;  ///< of |z|^2 = |g|^2 / (4c)
  double curvature_sum_ = 0.0;
  double rounds_ = 0.0;
  double gradient_sum_ = 0.0;
  double reach_ = 0.0;  ///< r
};

}  // namespace caucus
