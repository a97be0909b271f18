// FOMD-No-LU: federated online mirror descent without local updating (paper, Algorithm 1), for any
// mirror map. All clients hold the decision u_r during batch r; at its end each sends the mean of
// its gradients (or unbiased estimates) over the batch, and the server takes one mirror step along
// the mean over the clients. There are no local steps, so all clients always hold the same point.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "caucus/mirror_map.hpp"

namespace caucus {

/// Takes the server's mirror step at the end of a batch, along the sum of what the clients sent.
/// The caller has divided the rate by the number of clients, or multiplied it by the weight that
/// makes the sum an unbiased estimate of the mean.
template <MirrorMap Map, class Decision, class Sum>
void fomd_no_lu_step(const Map& map, Decision&& u, const Sum& sum, double rate) {
  map.descend(u, sum, rate);
}

template <MirrorMap Map>
class FomdNoLu {
 public:
  using Decision = typename Map::Decision;
  using Scalar = typename Map::Scalar;

  FomdNoLu(Map map, Decision first)
      : map_(std::move(map)), decision_(std::move(first)), sum_(decision_.size()) {}

  /// Returns u_r, the decision of every client in this batch.
  [[nodiscard]] const Decision& decision() const { return decision_; }

  /// Adds the batch mean of one client. Call it in client order, on which the sum depends.
  void receive(std::span<const Scalar> gradient) {
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += gradient[k];
    ++clients_;
  }

  /// Ends the batch and computes u_{r+1}. Without reports the decision stays.
  void step(double rate) {
    if (clients_ > 0) {
      fomd_no_lu_step(map_, decision_, sum_, rate / static_cast<double>(clients_));
    }
    std::fill(sum_.begin(), sum_.end(), Scalar{0});
    clients_ = 0;
  }

 private:
  Map map_;
  Decision decision_;
  std::vector<Scalar> sum_;
  std::size_t clients_ = 0;
};

}  // namespace caucus
