// The probability simplex with the weighted negative entropy psi(p) = sum_i (C_i / rate) p_i ln p_i
// (paper, updating sampling probabilities):
//   p_i <- p_i exp(-rate (c_i + nu) / C_i),  nu in [-max c, -min c] such that the sum is 1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace caucus {

/// A probability vector that also keeps its logarithms, so that nothing underflows for good.
/// A raw vector is not a Simplex: the constructors normalise.
class Simplex {
 public:
  static Simplex uniform(std::size_t size);
  /// Proportional to exp(log_weight_i); at least one must be above -infinity.
  static Simplex from_log_weights(std::vector<double> log_weights);

  /// p <- (1 - amount) p + amount / K: no model falls below amount / K.
  void share(double amount);

  [[nodiscard]] std::size_t size() const { return p_.size(); }
  double operator[](std::size_t i) const { return p_[i]; }
  [[nodiscard]] std::span<const double> probabilities() const { return p_; }
  [[nodiscard]] std::span<const double> log_probabilities() const { return log_p_; }

 private:
  friend class WeightedEntropy;
  void normalise();

  std::vector<double> log_p_, p_;
};

class WeightedEntropy {
 public:
  using Decision = Simplex;
  using Scalar = double;

  /// The weights C_i > 0, bounds on the losses.
  explicit WeightedEntropy(std::vector<double> weights) : weights_(std::move(weights)) {}

  /// Safeguarded Newton in log space for nu, until the sum is within max(1e-14, K eps) of 1.
  void descend(Simplex& p, std::span<const double> losses, double rate) const;

  [[nodiscard]] std::span<const double> weights() const { return weights_; }

 private:
  std::vector<double> weights_;
};

}  // namespace caucus
