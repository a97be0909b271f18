// The rates of FOMD-OMS: eta for the probabilities, lambda for the models, and the initial p.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

/// The constants of a space in the theory's rates.
struct SpaceConstants {
  double radius = 1.0;          ///< U_i
  double loss_bound = 1.0;      ///< C_i >= every loss in the space
  double gradient_bound = 1.0;  ///< G_i >= every gradient norm in the space
};

/// The size of the problem in the rates.
struct ProblemSize {
  std::size_t models = 1;       ///< K
  std::size_t sample_size = 1;  ///< J
  double clients = 1;           ///< M, whose reports are averaged; 1 for a noncooperative client
  double horizon = 1;           ///< T in eta and p_1: batches, or examples of all clients
};

/// q = (K - J) / (J - 1), the number of unobserved models per observed one; 0 for J = K.
double unseen_ratio(std::size_t models, std::size_t sample_size);

/// The rates of the paper's Theorem 3 (and 5 for R < T, with R in place of T and r in place of t):
///   eta = min( sqrt(ln(K T)) / (2 sqrt(s T)), 1 / (2 q) ),  s = 1 + q / M
///   lambda_{t,i} = U_i / (2 G_i sqrt(s max(q^2, t)))
///   p_1 = 1 / sqrt(K T) for all models, and the remaining 1 - sqrt(K / T) is divided among
///   argmin C_i. Requires T >= K.
class TheorySchedule {
 public:
  TheorySchedule(const ProblemSize& size, std::vector<SpaceConstants> spaces);

  [[nodiscard]] double probability_rate() const { return eta_; }
  [[nodiscard]] double model_rate(std::size_t batch, std::size_t space) const;  ///< batch from 1
  [[nodiscard]] Simplex first_probabilities() const;

 private:
  ProblemSize size_;
  std::vector<SpaceConstants> spaces_;
  double q_, s_, eta_;
};

/// Rates that the user gives and a uniform p_1 (the paper's third experiment).
struct ConstantSchedule {
  double eta = 1.0;
  double lambda = 1.0;
  std::size_t models = 1;

  [[nodiscard]] double probability_rate() const { return eta; }
  [[nodiscard]] double model_rate(std::size_t, std::size_t) const { return lambda; }
  [[nodiscard]] Simplex first_probabilities() const { return Simplex::uniform(models); }
};

using Schedule = std::variant<TheorySchedule, ConstantSchedule>;

}  // namespace caucus
