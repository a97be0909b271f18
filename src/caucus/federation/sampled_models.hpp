// The server remembers the models that it gave to clients: to send them again, to check reports,
// and to learn from labels that come late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/engine/any_server.hpp"

namespace caucus {

/// The weights of a model, one copy for all clients that were given it at the same time.
using SharedWeights = std::shared_ptr<const std::vector<float>>;

/// A model as it was given to a client.
struct SampledModel {
  std::uint32_t space = 0;
  double probability = 0.0;  ///< p_i when it was sampled
  double norm = 0.0;         ///< |w_i|
  double share = 0.0;        ///< weight in the prediction
  SharedWeights weights{};   ///< w_i; null once the client was given newer models
};

/// The models that a client was given for one batch.
struct SampledSet {
  std::uint64_t batch = 0;     ///< as the client counts it
  std::uint64_t drawn_in = 0;  ///< the server's batch that was open then
  std::uint64_t examples = 0;  ///< the length of the client's batch
  std::vector<SampledModel> models;
};

/// Makes sampled sets. The weights and norms that several clients share are computed once.
class SampledModels {
 public:
  explicit SampledModels(AnyServer& server) : server_(&server) {}

  /// Returns the models that a client is given for its batch, while the server's batch `drawn_in`
  /// is open.
  SampledSet sample(const Batch& batch, std::uint32_t client, std::uint64_t drawn_in);

 private:
  struct Known {
    double norm = 0.0;
    SharedWeights weights;
  };
  const Known& known(const HeldModel& held);

  AnyServer* server_;
  std::uint64_t drawn_in_ = 0;  ///< the server's batch of known_
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace caucus
