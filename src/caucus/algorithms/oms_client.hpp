// The client half of FOMD-OMS and NCO-OMS: predict with the held models' shares, then take loss and
// gradient of all that are held. O(J) work, no memory from batch to batch.
#pragma once

#include <span>

#include "caucus/algorithms/round.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/losses/bounds.hpp"
#include "caucus/loss.hpp"

namespace caucus {

/// What server and clients agree on before the first round.
struct Plan {
  FeatureMaps maps;
  Loss loss;
};

/// A forecast is finite whatever the model and the example, and its square fits a float: what is
/// larger is cut off there, and NaN becomes that too. So one diverging model cannot take the others
/// along, and whoever sees the forecast can tell.
inline constexpr double kLargestForecast = 1e18;
inline double finite_forecast(double value) {
  const double capped = value < kLargestForecast ? value : kLargestForecast;  // one instruction
  return capped > -kLargestForecast ? capped : -kLargestForecast;
}

/// f_i(x) of a held model, from its features at x; x itself is for frozen experts.
double held_output(const Plan& plan, const HeldModel& model, std::span<const float> x,
                   std::span<const float> features);

/// f_i(x) for every held model; the output is their mean by shares.
void predict_with_held(const Plan& plan, const Assignment& assignment, std::span<const float> x,
                       Forecast& into);

/// Adds loss and gradient of every held model at (x, y) to the batch.
void report_held(const Plan& plan, const Forecast& forecast, double y, BatchMean& into);

/// What some clients hold together.
struct HeldSize {
  std::size_t clients = 0, models = 0, floats = 0;
};
inline HeldSize size_of(const Assignment& assignment) {
  HeldSize size{1, assignment.held.size(), 0};
  for (const HeldModel& model : assignment.held) size.floats += model.weights.size();
  return size;
}

inline HeldSize size_of(const ReportBatch& reports) {
  return {reports.size(), reports.spaces.size(), reports.floats()};
}

/// Bits of their exchanges. Down: the held models as floats, ceil(log2 K) bits for each index. Up:
/// the gradients, which are as long, and the losses. (The paper's formula counts J twice.)
inline std::size_t held_download_bits(const HeldSize& held, std::size_t models) {
  return held.models * index_bits(models) + 32 * held.floats;
}
inline std::size_t held_upload_bits(const HeldSize& held, std::size_t models) {
  return held_download_bits(held, models) + 32 * held.models;
}

}  // namespace caucus
