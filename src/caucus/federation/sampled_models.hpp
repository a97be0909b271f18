// What the server must remember of the models it gave to clients, to check their reports and to
// learn from labels that come late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "caucus/algorithms/report_batch.hpp"
#include "caucus/engine/any_server.hpp"

namespace caucus {

/// A model as a client got it.
struct SampledModel {
  std::uint32_t space = 0;
  double probability = 0.0;  ///< p_i when it was sampled
  double norm = 0.0;         ///< |w_i|
  SharedWeights weights{};   ///< w_i; none where late gradients need not know it
};

/// What a client was given in one batch.
struct SampledSet {
  std::uint64_t batch = 0;
  std::vector<SampledModel> models;
};

/// Makes them, computing what clients share once.
class SampledModels {
 public:
  /// Late labels: reports may have parts that were sampled in earlier batches.
  SampledModels(AnyServer& server, bool late_labels);

  /// What a client is given in the open batch.
  SampledSet sample(std::uint64_t batch, std::uint32_t client);
  /// Whether sample() comes with the weights of this space: a second-order step must know where a
  /// late gradient was taken.
  [[nodiscard]] bool remembers_weights(std::uint32_t space) const {
    return late_labels_ && server_->is_second_order(space);
  }
  /// These models are about to change; others keep their norms.
  void change(std::span<const std::uint32_t> spaces);

 private:
  double norm_of(std::uint32_t space, std::span<const float> weights);
  SharedWeights shared(std::uint64_t batch, std::uint32_t space, std::span<const float> weights);

  AnyServer* server_;
  bool late_labels_;
  std::vector<double> norms_;    ///< of the models as they are now; negative: not computed yet
  std::uint64_t shared_in_ = 0;  ///< the batch of
  std::unordered_map<std::uint32_t, SharedWeights> shared_;
};

}  // namespace caucus
