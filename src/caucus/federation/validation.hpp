// Whether a report can be true. Every number of it is held against what the theory allows for the
// models that the client was given, so that a broken or hostile client cannot move the others'
// models by more than an honest one could.
//   loss      0 <= c <= l(|w_i| b_i, Y)           for the square loss (|w_i| b_i + Y)^2
//   gradient  |g| <= steepest(|w_i| b_i, Y) b_i   and for the square loss |g|^2 <= 4 b_i^2 c
// where |w_i| <= U_i is the norm of the very model that was held: this implies C_i and G_i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/sampled_models.hpp"

namespace caucus {

/// What is known of all honest clients' examples.
struct ExampleBounds {
  double target = 1.0;            ///< Y >= |y|
  std::vector<double> features;   ///< b_i >= |phi_i(x)|; of an expert, its largest forecast
  std::uint32_t examples = 1000;  ///< that one part of a report may be made of
};

class ReportRules {
 public:
  ReportRules(const Plan& plan, ExampleBounds bounds) : plan_(&plan), bounds_(std::move(bounds)) {}

  /// What is wrong with a report that answers `sampled`, or nothing.
  [[nodiscard]] std::optional<std::string> fault(const ReportBatch& reports, std::size_t report,
                                                 const SampledSet& sampled) const;
  /// The same for the forecasts given, which came from some of the models of `recent`.
  template <class Sets>
  [[nodiscard]] std::optional<std::string> fault(const PlayedSums& played,
                                                 const Sets& recent) const {
    double largest = 0.0;  // |f_i| of any of them
    for (const SampledSet& set : recent) {
      for (const SampledModel& model : set.models) largest = std::max(largest, reach(model));
    }
    return fault_of_sums(played, largest);
  }

 private:
  /// The largest |f_i(x)|.
  [[nodiscard]] double reach(const SampledModel& model) const;
  [[nodiscard]] std::optional<std::string> fault_of_model(const ReportBatch& reports,
                                                          std::size_t reported,
                                                          const SampledModel& model) const;
  [[nodiscard]] std::optional<std::string> fault_of_sums(const PlayedSums& played,
                                                         double largest) const;
  [[nodiscard]] double least_loss(double largest) const;

  const Plan* plan_;
  ExampleBounds bounds_;
};

}  // namespace caucus
