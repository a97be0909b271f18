// FedOMD (Mitra et al., "Online federated learning", CDC 2021) with the Euclidean mirror map, for
// one space: every round a client moves w <- project(w - eta_l l'(f, y) z) on its own, and every
// batch the server averages.
#pragma once

#include "caucus/algorithms/baselines/baseline.hpp"

namespace caucus {

/// The server of the baselines with one space: clients move on their own during a batch, and at its
/// end all continue from the mean of those that reported.
class OneModel : public Baseline {
 public:
  /// The plan has one space.
  explicit OneModel(std::shared_ptr<const BaselineSettings> settings);
  void step(const Batch&, const KeptReports& reports) { average_models(reports); }

  /// Counts one model up and one down.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const {
    return 32 * HeldSize(assignment).floats;
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return upload_bits(assignment);
  }

 protected:
  /// Ends an example: the client would report its model as it is now.
  static void end_example(LocalModels& memory, BaselineBatch& into);
};

class FedOmd : public OneModel {
 public:
  using OneModel::OneModel;
  void report(LocalModels& memory, const Forecast& forecast, double y, BaselineBatch& into) const;
};

}  // namespace caucus
