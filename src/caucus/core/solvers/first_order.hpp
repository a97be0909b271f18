// A model learned by gradient steps whose length needs no constants: it is limited by the observed
// curvature and by the distance that the model has covered. It takes O(d) memory and work, and
// needs only sums over clients. It is a heuristic; docs/adaptive.md has the measurements.
#pragma once

#include <cstddef>
#include <span>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/region.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The sums over the clients that held a model in one round. Late reports and parts of reports are
/// multiplied by their weight s_ij in all sums; for others s_ij = 1.
struct RoundSums {
  std::size_t reporters = 0;        ///< M_r, including clients that did not hold the model
  double holders = 0.0;             ///< n_i
  double inclusion = 1.0;           ///< P_i
  double losses = 0.0;              ///< sum of c_ij
  double squared_gradients = 0.0;   ///< sum of |g_ij|^2
  std::span<const float> gradient;  ///< sum of g_ij
  double squared_sum = 0.0;         ///< the squared norm of `gradient`
  std::size_t examples = 1;         ///< in each report, which is their mean
  double largest_size = 0.0;  ///< the largest |g_ij|^2 / (4 c_ij); only a guarded model uses it
};

class FirstOrderModel {
 public:
  /// known_size: |z|^2 of every example if it is known, otherwise 0.
  /// A guarded model does not let clients that lie about the curvature choose the length of steps:
  ///   |g|^2 / (4c) counts as at least 1/N of the largest that any report showed;
  ///   unless |z|^2 is known, the model stays where it is for its first six rounds;
  ///   r is at least the length of a step of the mean size of g_i and curvature so far.
  explicit FirstOrderModel(double known_size = 0.0, bool guarded = false)
      : largest_(known_size), is_guarded_(guarded), first_(guarded && known_size == 0.0 ? 7 : 1) {}

  /// w <- project(w - lambda g_i), g_i = sum g_ij / (M_r P_i), with
  ///   H = (n_i / (M_r P_i)) sum |g_ij|^2 / (2 sum c_ij),  Hbar its mean over rounds,
  /// for means over N examples multiplied by sqrt(min(N, largest |z|^2 / |z|^2)), since the mean of
  /// gradients hides a part of the curvature,
  ///   lambda = min(1 / max(H, Hbar), 1.4 r / sqrt(sum over rounds of |g_i|^2)),
  /// where r is the largest |w| so far, at first the length of the first step.
  void step(const RoundSums& sums, const Region& region, std::span<float> w) {
    move(next_rate(sums), sums.gradient, region, w);
  }
  // step() in two parts. The divisions and roots of the first part depend on each other, but not on
  // those of other models, so a caller computes the rates of several models first.
  /// Returns lambda / (M_r P_i), or 0 if the model should not move.
  double next_rate(const RoundSums& sums);
  void move(double rate, std::span<const float> gradient, const Region& region, std::span<float> w);

  /// restore() needs an object with the same settings; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  double largest_;  ///< the largest |z|^2 = |g|^2 / (4c)
  bool is_guarded_;
  double first_;  ///< the first round in which the model moves
  double curvature_sum_ = 0.0;
  double rounds_ = 0.0;
  double gradient_sum_ = 0.0;
  double reach_ = 0.0;  ///< r
};

}  // namespace caucus
