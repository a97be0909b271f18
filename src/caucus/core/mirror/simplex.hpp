// The probability simplex with the weighted negative entropy psi(p) = sum_i (C_i / rate) p_i ln p_i
// (paper, updating sampling probabilities):
//   p_i <- p_i exp(-rate (c_i + nu) / C_i),  nu in [-max c, -min c] such that the sum is 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/sum_tree.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// A probability vector. It is stored as weights that need not sum to 1, so that changing a few of
/// them takes little time, and as their logarithms, so that underflow loses nothing.
class Simplex {
 public:
  static Simplex uniform(std::size_t size);
  /// Returns p_i proportional to exp(log_weight_i). At least one must be above -infinity.
  static Simplex from_log_weights(std::vector<double> log_weights);

  /// Replaces the probabilities by those of from_log_weights().
  void set_log_weights(std::span<const double> log_weights);
  /// Multiplies p_i by exp(log_factor_i) for the given indices and normalises.
  void multiply(std::span<const std::uint32_t> indices, std::span<const double> log_factors);
  /// p <- (1 - amount) p + amount / K, so that no model falls below amount / K.
  void share(double amount);

  [[nodiscard]] std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return weights_[i] / weights_.total(); }
  /// Computes p_i for the given indices, divided by their sum, even if all of them underflow.
  void shares(std::span<const std::uint32_t> indices, std::span<double> out) const {
    const double* const weights = weights_.padded_values();
    double sum = 0.0;
    for (const std::uint32_t i : indices) sum += weights[i];
    constexpr double kLeast = 1e-290;  // smaller weights have lost digits
    if (sum < kLeast) return shares_of_logs(indices, out);
    for (std::size_t n = 0; n < indices.size(); ++n) out[n] = weights[indices[n]] / sum;
  }
  [[nodiscard]] std::vector<double> probabilities() const;
  [[nodiscard]] std::vector<double> log_probabilities() const;
  /// Returns the index that u, uniform in [0, 1), draws.
  [[nodiscard]] std::size_t find(double u) const { return weights_.find(u * weights_.total()); }
  /// Proportional to p.
  [[nodiscard]] const SumTree& weights() const { return weights_; }

  /// Saves weights and logarithms, because neither determines the last digits of the other.
  /// restore() needs a Simplex of the same size; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  void weigh_anew();
  void shares_of_logs(std::span<const std::uint32_t> indices, std::span<double> out) const;

  friend class WeightedEntropy;
  static constexpr double kNoWeight = -1e308;  ///< the logarithms of the padding
  /// Beyond these limits, which are far from overflow and underflow, all weights are rescaled.
  static constexpr double kLargestLog = 40.0;
  static constexpr double kLeastTotal = 1e-20;
  std::size_t size_ = 0;
  AlignedVector<double> log_weights_;  ///< padded to a multiple of 8
  SumTree weights_;                    ///< exp(log_weights_)

  std::vector<double> some_, log_factors_, losses_;  ///< scratch, like changed_
  std::vector<std::uint32_t> changed_;
  AlignedVector<double> padded_losses_, moved_;  ///< as long as log_weights_
  AlignedVector<double> new_weights_;            ///< padded like weights_
};

/// The loss of one model. Models that are not listed have the loss 0.
struct IndexedLoss {
  std::uint32_t index = 0;
  double loss = 0.0;
};

class WeightedEntropy {
 public:
  using Decision = Simplex;
  using Scalar = double;

  /// The weights are C_i > 0, bounds on the losses.
  explicit WeightedEntropy(std::vector<double> weights);

  /// Takes the mirror step. nu is found by a safeguarded Newton method in log space until the sum
  /// is within max(1e-14, K eps) of 1. If all C_i are equal, nu is not needed.
  void descend(Simplex& p, std::span<const double> losses, double rate) const;
  /// Takes the mirror step for losses of a few models. For equal C_i and many models the work grows
  /// only with the number of losses.
  void descend(Simplex& p, std::span<const IndexedLoss> losses, double rate) const;

  [[nodiscard]] std::span<const double> weights() const { return weights_; }

 private:
  void multiply_all(Simplex& p, std::span<const double> losses, double rate) const;
  void newton(Simplex& p, std::span<const double> losses, double rate) const;

  static constexpr std::size_t kFew = simd::kLanes;  ///< up to this many models are all updated

  std::vector<double> weights_, inverse_weights_;
  AlignedVector<double> padded_inverse_;  ///< with zeros up to a multiple of 8
  double most_inverse_ = 0.0;
  bool equal_ = true;
};

}  // namespace caucus
