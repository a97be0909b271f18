// The client half of FOMD-OMS and NCO-OMS: predict with the held models' shares, then take loss and
// gradient of all that are held. It does O(J) work and keeps nothing from batch to batch.
#pragma once

#include <span>

#include "caucus/algorithms/round.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/losses/bounds.hpp"
#include "caucus/loss.hpp"

namespace caucus {

/// The settings on which server and clients agree before the first round.
struct Plan {
  FeatureMaps maps;
  Loss loss;

  /// Returns f_i(x) of a frozen expert.
  [[nodiscard]] double expert_output(std::size_t i, std::span<const float> x) const {
    return loss.prediction_of(maps.expert_forecast(i, x));
  }
};

/// Makes a prediction finite, with a square that fits a float: larger numbers, and NaN, become that
/// limit. So one diverging model cannot spoil the others, and the size of the prediction shows the
/// divergence.
inline constexpr double kLargestForecast = 1e18;
inline double finite_forecast(double value) {
  const double capped = value < kLargestForecast ? value : kLargestForecast;  // one instruction
  return capped > -kLargestForecast ? capped : -kLargestForecast;
}

/// Returns f_i(x) of a held model, from its features at x; frozen experts use x itself.
double held_output(const Plan& plan, const HeldModel& model, std::span<const float> x,
                   std::span<const float> features);

/// Writes the outputs of a held model for the classes. A frozen expert names one of them.
void class_outputs(const FeatureMaps& maps, const HeldModel& model, std::span<const float> x,
                   std::span<const float> features, std::span<double> into);
/// Writes probabilities that are made from mean outputs without knowing how large their errors are.
void plain_probabilities(std::span<const double> outputs, std::span<double> into);

/// Computes f_i(x) for every held model; the output is their mean by shares. If each class has an
/// output, so are `classes`.
void predict_with_held(const Plan& plan, const Assignment& assignment, std::span<const float> x,
                       Forecast& into);

/// Adds loss and gradient of every held model at (x, y) to the batch.
void report_held(const Plan& plan, const Forecast& forecast, double y, BatchMean& into);

/// The number of some clients and of the models and floats that they hold together.
struct HeldSize {
  std::size_t clients = 0, models = 0, floats = 0;

  HeldSize() = default;
  HeldSize(std::size_t of_clients, std::size_t of_models, std::size_t of_floats)
      : clients(of_clients), models(of_models), floats(of_floats) {}
  HeldSize(const Assignment& assignment)  // NOLINT(google-explicit-constructor): its size
      : clients(1), models(assignment.held.size()) {
    for (const HeldModel& model : assignment.held) floats += model.weights.size();
  }
  HeldSize(const ReportBatch& reports)  // NOLINT(google-explicit-constructor): its size
      : clients(reports.size()), models(reports.spaces.size()), floats(reports.floats()) {}
};

}  // namespace caucus
