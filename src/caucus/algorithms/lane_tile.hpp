// The client half of FOMD-OMS for many examples and models that lie side by side (ModelLanes): what
// oms_client does for one, with the same bits. One example for each client, batches of one round.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/aligned.hpp"
#include "caucus/core/feature_tile.hpp"
#include "caucus/core/model_lanes.hpp"

namespace caucus {

/// The J models of a client.
struct HeldSet {
  std::uint32_t first = 0;  ///< the one that predicts
  ModelBits models = 0;
};

/// client -> server: one row for each client, as LaneSums::add has it.
struct LaneReports {
  std::span<const float* const> x;
  std::span<const float> factors, losses;
  ModelBits held = 0;  ///< by any of them
};

class LaneTile {
 public:
  explicit LaneTile(const Plan& plan);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == kExamples; }
  void add(std::uint32_t client, std::size_t round, const HeldSet& held, std::span<const float> x,
           double y) {
    x_[count_] = x.data();
    if (!features_are_x_) {
      features_.begin_example(x);
      x_[count_] = features_.request(0);
    }
    held_[count_].first = held.first;
    held_[count_].models = held.models;
    PlayedExample& played = played_[count_];
    played.client = client;
    played.round = round;
    played.y = y;
    ++count_;
  }

  /// Makes ready what the next two tell; there must be an example.
  void compute(const ModelLanes& models);
  [[nodiscard]] std::span<const PlayedExample> forecasts() const {
    return {played_.data(), count_};
  }
  [[nodiscard]] LaneReports reports() const;
  /// Leaves out the reports of clients of whom lost(client) is true; after the forecasts were seen.
  template <class Lost>
  void drop(Lost&& lost) {
    std::size_t kept = 0;
    for (std::size_t e = 0; e < count_; ++e) {
      if (!lost(static_cast<std::uint32_t>(played_[e].client))) move_report(e, kept++);
    }
    count_ = kept;
  }
  void clear() {
    features_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::size_t kExamples = FeatureTile::kExamples;
  static constexpr std::size_t kLanes = ModelLanes::kLanes;

  template <class AnyLoss>
  void compute_losses(const AnyLoss& loss, ModelBits all);
  void move_report(std::size_t from, std::size_t to);

  const Plan* plan_;
  FeatureTile features_;
  bool features_are_x_;
  std::size_t count_ = 0;
  std::array<const float*, kExamples> x_{};
  std::array<HeldSet, kExamples> held_{};
  std::array<PlayedExample, kExamples> played_{};
  AlignedVector<float> outputs_, factors_, losses_;  ///< 16 for each example
};

}  // namespace caucus
