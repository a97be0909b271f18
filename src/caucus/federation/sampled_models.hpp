// The server remembers the models that it gave to clients, to check their reports and to learn from
// labels that come late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "caucus/algorithms/report_batch.hpp"
#include "caucus/engine/any_server.hpp"

namespace caucus {

/// A model as it was given to a client.
struct SampledModel {
  std::uint32_t space = 0;
  double probability = 0.0;  ///< p_i when it was sampled
  double norm = 0.0;         ///< |w_i|
  SharedWeights weights{};   ///< w_i; null if labels do not come late
};

/// The models that a client was given in one batch.
struct SampledSet {
  std::uint64_t batch = 0;
  std::vector<SampledModel> models;
};

/// Makes sampled sets; parts that several clients share are computed once.
class SampledModels {
 public:
  /// With late labels, reports may have parts that were sampled in earlier batches.
  SampledModels(AnyServer& server, bool late_labels);

  /// Returns the models that a client is given in the open batch.
  SampledSet sample(std::uint64_t batch, std::uint32_t client);
  /// Returns whether sample() comes with the weights: late reports are held against them, and a
  /// second-order step must know where a late gradient was taken.
  [[nodiscard]] bool remembers_weights() const { return late_labels_; }
  /// Forgets the norms of these models, which are about to change.
  void change(std::span<const std::uint32_t> spaces);

 private:
  double norm_of(std::uint32_t space, std::span<const float> weights);
  SharedWeights shared(std::uint64_t batch, std::uint32_t space, std::span<const float> weights);

  AnyServer* server_;
  bool late_labels_;
  std::vector<double> norms_;    ///< |w_i| of the present models; negative if not computed yet
  std::uint64_t shared_in_ = 0;  ///< the batch of shared_
  std::unordered_map<std::uint32_t, SharedWeights> shared_;
};

}  // namespace caucus
