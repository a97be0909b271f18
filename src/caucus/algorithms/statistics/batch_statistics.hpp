// The client half of the adaptive schedule: while a batch lasts, the sums that least squares
// needs of its examples, for the models that the client holds. They replace losses and gradients of
// single examples, and are sent once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/algorithms/statistics/example_block.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/statistics/rare_rows.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/core/statistics/upload_rule.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// A quadratic weight (f - target)^2 that has the slope and a curvature of a loss at the prediction
/// of a model. For the square loss it is the loss itself: weight 1 and target y. For other losses
/// of real targets it is, up to a constant, the flattest quadratic that is nowhere below the loss,
/// so that the minimum of the sum has a smaller loss.
struct QuadraticLoss {
  double weight = 1.0;
  double target = 0.0;
};
/// `usual` is the model's mean loss so far, which keeps the curvature of losses with a kink finite.
QuadraticLoss quadratic_loss(const Loss& loss, double output, double y, double usual);

/// Returns the largest weight of any quadratic of a loss. For losses with a kink the weight would
/// grow without bound as the error goes to 0, so it is limited.
double largest_weight(const Loss& loss);

/// Returns which of some models that a client holds are reported with sums: not frozen experts, and
/// not a model whose sums are those of another one or, for the square loss, a part of them.
std::vector<bool> models_with_sums(const Plan& plan, std::span<const std::uint32_t> spaces);

class BatchStatistics {
 public:
  BatchStatistics(const Plan& plan, const UploadRule& rule) : plan_(&plan), rule_(rule) {}

  void begin(const Assignment& assignment);
  /// Begins a batch that has at most this many examples: coordinates that will not be sent, or a
  /// batch that will not be sent at all, take no time. The report does not depend on it.
  void begin(const Assignment& assignment, std::size_t most);
  /// Adds an example that was predicted with the models of the assignment.
  void add(const Forecast& forecast, double y);
  /// Adds several, with the same bits.
  void add(const ExampleBlock& block, std::span<const double> y);
  /// Ends the batch: the sums become a report, unless there are too few examples to hide them.
  void report(ReportBatch& into);

  [[nodiscard]] std::uint32_t examples() const { return examples_; }

  /// restore() needs an object that has begun with the same assignment; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  struct Held {
    std::uint32_t space = 0;
    double loss = 0.0;           ///< sum over the examples
    RowSums sums;                ///< empty if the model is reported without sums
    RareRows rare;               ///< used if examples are hidden
    std::vector<float> leading;  ///< weights of the coordinates before random features, by output
  };

  /// Adds an example with a model's output; `before` counts the examples before it.
  void add(Held& held, std::size_t before, std::span<const double> outputs,
           std::span<const float> features, double y);
  void add_class(Held& held, std::span<const double> outputs, std::span<const float> features,
                 std::size_t y);
  /// Returns the targets of a class, which last until the next call.
  std::span<const float> one_hot(std::size_t y);
  /// A quadratic loss as the factor of (target, z).
  struct ScaledLoss {
    float factor, target;
  };
  [[nodiscard]] ScaledLoss scaled_loss(double output, double y, double usual) const;
  /// Returns the number of coordinates before the random features.
  [[nodiscard]] std::size_t leading_of(std::uint32_t space_index) const;
  [[nodiscard]] RareRows rare_rows(std::uint32_t space, std::size_t size) const;
  void hide_rare_rows(Held& held);
  void hide_class(Held& held, const RareRows::Row& row, std::span<const float> z,
                  std::span<const float> targets);

  const Plan* plan_;
  UploadRule rule_;
  std::uint32_t client_ = 0, examples_ = 0;
  std::size_t sums_ = 0;  ///< the number of held models that are reported with sums
  std::vector<Held> held_;
  std::vector<float> targets_;  ///< used while adding an example of a class
};

}  // namespace caucus
