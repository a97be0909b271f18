// The algorithm on the server, whichever of the two that can be served: its state is a
// deterministic fold of the accepted reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/validation.hpp"

namespace caucus {

/// A report that was found to be in order, with what its client was given for each part.
struct AcceptedReport {
  std::uint32_t client = 0;
  const ReportRecord* report = nullptr;
  std::vector<const SampledSet*> sampled;  ///< one per part
};

class Learner {
 public:
  /// The settings must be valid and those of fomd-oms. Late labels: reports may have parts that
  /// were sampled in earlier batches.
  Learner(const AnySettings& settings, bool late_labels);

  [[nodiscard]] const Plan& plan() const;
  /// The models of a client in the open batch; they last until the next call or fold.
  const Assignment& assign(std::uint64_t batch, std::uint32_t client);
  /// The same as the server must remember them.
  SampledSet sampled(std::uint64_t batch, std::uint32_t client);
  /// aggregate and step; the reports are in the order of their clients.
  void fold(std::uint64_t batch, std::span<const AcceptedReport> reports);

  [[nodiscard]] std::vector<double> probabilities() const;
  [[nodiscard]] LearnedModel learned() const;
  /// By the formula, for one client and batch.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const;
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const;
  /// Spaces that learn by second-order steps.
  [[nodiscard]] std::size_t second_order() const { return second_order_; }
  /// Whether sampled() comes with the weights of this space: a second-order step must know where a
  /// late gradient was taken.
  [[nodiscard]] bool remembers_weights(std::uint32_t space) const { return remembers_[space]; }

  void save(StateWriter& into) const;
  Status restore(StateReader& from);

 private:
  double norm_of(std::uint32_t space, std::span<const float> weights);
  SharedWeights remembered(std::uint64_t batch, std::uint32_t space,
                           std::span<const float> weights);

  AnyAlgorithm algorithm_;  ///< FomdOms or AdaptiveOms
  std::size_t second_order_ = 0;
  std::vector<bool> remembers_;  ///< one per space
  Assignment assignment_;
  std::vector<double> norms_;   ///< of the models as they are now; negative: not computed yet
  std::uint64_t given_in_ = 0;  ///< batch of
  std::unordered_map<std::uint32_t, SharedWeights> given_;
};

}  // namespace caucus
