// Rejects reports that no data could produce: each number is compared with what the theory allows
// for the models that the client was given. Within these bounds a client can still do great harm.
//   loss      0 <= c <= l(|w_i| b_i, Y)           for the square loss (|w_i| b_i + Y)^2
//   gradient  |g| <= steepest(|w_i| b_i, Y) b_i   and for the square loss |g|^2 <= 4 b_i^2 c
//             |g|^2 >= 4 a_i c                for the square loss and one example, where a_i is the
//                                             least |phi_i(x)|^2: 1 for random features, and an
//                                             intercept adds 1
//             <g, w_i> >= c - max_y l(0, y)       since l(0, y) >= l(f, y) - l'(f, y) f
//             |<g, w_i> - 2 c| <= 2 Y sqrt(c)     for the square loss, which is stronger
// where |w_i| <= U_i is the norm of the model that was held. This implies C_i and G_i. The server
// keeps weights only for a client's open batch, so the two conditions on <g, w_i> are not checked
// for late parts.
// sums_validation.hpp has the conditions for sums over n examples (the adaptive schedule).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/core/statistics/upload_rule.hpp"
#include "caucus/federation/member.hpp"

namespace caucus {

/// Bounds of all honest clients' examples.
struct ExampleBounds {
  double target = 1.0;                  ///< Y >= |y|
  std::vector<double> features;         ///< b_i >= |phi_i(x)|; for an expert its largest prediction
  std::uint32_t examples = 1000;        ///< the most examples in one part of a report
  std::optional<UploadRule> sums = {};  ///< if reports are sums: how much is sent with how many
};

class ReportRules {
 public:
  ReportRules(const Plan& plan, ExampleBounds bounds) : plan_(&plan), bounds_(std::move(bounds)) {}

  /// Returns what is wrong with a report, or nullopt.
  [[nodiscard]] std::optional<std::string> fault(const TrackedMember& member,
                                                 const ReportRecord& report) const;
  /// Does the same for one part, whose models are `sampled`.
  [[nodiscard]] std::optional<std::string> fault(const ReportBatch& reports, std::size_t report,
                                                 const SampledSet& sampled) const;
  /// Does the same for the sums over the predictions, which models in `recent` made.
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
  /// Returns the largest |f_i(x)|.
  [[nodiscard]] double reach(const SampledModel& model) const;
  /// One model of a part.
  struct Reported {
    const ReportBatch* reports;
    std::size_t place;
    const SampledModel* model;
    std::span<const float> weights;  ///< empty if they are not known
    std::uint32_t examples;

    [[nodiscard]] double loss() const { return static_cast<double>(reports->losses[place]); }
    [[nodiscard]] std::span<const float> direction() const { return reports->direction(place); }
  };

  [[nodiscard]] std::optional<std::string> fault_of_model(const Reported& one,
                                                          std::size_t floats) const;
  [[nodiscard]] std::optional<std::string> fault_of_gradient(const Reported& one) const;
  /// Returns how many numbers a model is reported with in addition to its loss; if they are sums,
  /// there may be fewer. `sums` is the number of models in the report that have sums, or 0 if this
  /// model has none.
  [[nodiscard]] std::size_t most_floats(std::uint32_t space, std::size_t sums,
                                        std::uint32_t examples) const;
  /// Returns what is wrong with the sums of (y, z)(y, z)' over some examples.
  [[nodiscard]] std::optional<std::string> fault_of_triangle(const Reported& one) const;
  [[nodiscard]] std::optional<std::string> fault_of_classes(const PlayedSums& played) const;
  [[nodiscard]] std::optional<std::string> fault_of_sums(const PlayedSums& played,
                                                         double largest) const;
  [[nodiscard]] double least_loss(double largest) const;

  const Plan* plan_;
  ExampleBounds bounds_;
};

}  // namespace caucus
