// The personal layer for targets that are classes: it mixes five distributions over the classes by
// Bayes' rule, so that their weights are proportional to the probabilities that they gave to the
// classes that came. F are the outputs of the federated models, and x is divided by sqrt(d):
//   federated     F
//   corrected     F + ridge on (x, 1)
//   alone         ridge on (x, 1), of the client's own rows
//   frequencies   how often each class came
//   repeated      the last class again as often as classes were repeated, else the frequencies
// A temperature turns outputs into probabilities (core/losses/classes.hpp); each of the first three
// has its own, which follows the losses of these probabilities by Newton's method.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/personal/recursive_ridge.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Turns outputs into probabilities, and learns how sharp these may be.
class Temperature {
 public:
  explicit Temperature(std::size_t classes) : classes_(classes) {}

  void probabilities(std::span<const double> outputs, std::span<double> into) const;
  /// Learns from the class that came, for which these were the probabilities.
  void observe(std::span<const double> outputs, std::span<const double> probabilities,
               std::size_t y);

  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  [[nodiscard]] double factor() const;

  std::size_t classes_;
  double squares_ = 0.5, examples_ = 1.0;  ///< the errors of the outputs
  double corrected_ = 1.0;                 ///< by which the usual factor is multiplied
  double curvature_ = 20.0;
};

class ClassLayer {
 public:
  static constexpr std::size_t kCandidates = 5;

  ClassLayer(std::size_t dimension, std::size_t classes);

  /// Writes the probabilities for x. `outputs` are those of the federated models; there are none
  /// before the first models.
  void predict(std::span<const float> x, std::span<const double> outputs,
               std::optional<double> last, std::span<double> into);
  /// Losses of the distributions: the sums of squared errors.
  struct Losses {
    double federated = 0.0, alone = 0.0;
  };
  /// Learns the class of the last prediction, whose arguments are given again.
  Losses observe(std::span<const double> outputs, std::optional<double> last, std::size_t y);

  [[nodiscard]] std::span<const double, kCandidates> weights() const { return weights_; }

  /// restore() needs an object that was constructed alike; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  [[nodiscard]] std::span<double> candidate(std::size_t i) {
    return std::span(candidates_).subspan(i * classes_, classes_);
  }
  /// The first two candidates need the outputs of federated models.
  [[nodiscard]] static std::size_t first_of(std::span<const double> outputs) {
    return outputs.empty() ? 2 : 0;
  }

  std::size_t classes_;
  double feature_scale_;
  RecursiveRidge own_;  ///< on (x, 1) -> the classes, and what the federated outputs miss
  std::array<Temperature, 3> temperatures_;
  std::vector<double> counts_;  ///< of the classes
  double rows_ = 0.0, repeated_ = 0.0;
  bool has_federated_ = false;
  std::array<double, kCandidates> weights_;
  // These belong to the last prediction:
  std::vector<double> features_, targets_;
  std::vector<double> outputs_;     ///< of the first three candidates
  std::vector<double> candidates_;  ///< their probabilities
  RecursiveRidge::Projection of_own_;
};

}  // namespace caucus
