// Some examples of one client, with their features and the outputs of the models that it holds. As
// models are fixed while a batch lasts, sixteen examples are computed together. The bits are those
// of oms_client.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/core/base/float_arena.hpp"
#include "caucus/core/features/feature_tile.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {

class ExampleBlock {
 public:
  static constexpr std::size_t kExamples = RowSums::kRows;  ///< the most examples at once
  static_assert(kExamples <= FeatureTile::kExamples);

  explicit ExampleBlock(const Plan& plan)
      : plan_(&plan), tile_(plan.maps), outputs_of_(plan.loss.outputs()) {}

  /// Computes the outputs of the models of an assignment for these examples. Frozen experts need
  /// their predictions after x.
  void compute(const Assignment& assignment, std::span<const std::span<const float>> examples);

  [[nodiscard]] std::size_t size() const { return forecasts_.size(); }
  /// Returns the mean of the outputs for an example, by the shares of the models.
  [[nodiscard]] double forecast(std::size_t example) const { return forecasts_[example]; }
  /// Returns these means of each class, if each has an output.
  [[nodiscard]] std::span<const double> classes(std::size_t example) const {
    return std::span(classes_).subspan(example * outputs_of_, outputs_of_);
  }
  /// Returns the outputs of a model: one, or one for each class.
  [[nodiscard]] std::span<const double> outputs(std::size_t model, std::size_t example) const {
    return std::span(outputs_).subspan((model * kExamples + example) * outputs_of_, outputs_of_);
  }
  [[nodiscard]] std::span<const float> features(std::size_t model, std::size_t example) const {
    return {features_[example * models_ + model], dimensions_[model]};
  }

 private:
  void multiply(std::size_t model, std::span<const float> weights, std::size_t count);
  void compute_classes(std::size_t model, const HeldModel& held, std::size_t count);

  const Plan* plan_;
  FeatureTile tile_;
  FloatArena memory_;
  std::size_t models_ = 0;
  std::size_t outputs_of_;               ///< the outputs of a model
  std::vector<std::size_t> dimensions_;  ///< of the models
  std::vector<std::uint32_t> spaces_;    ///< of every example and model
  std::vector<const float*> examples_, features_;
  std::vector<double> outputs_, forecasts_, classes_;
};

}  // namespace caucus
