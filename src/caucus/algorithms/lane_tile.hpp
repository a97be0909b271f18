// The client half of FOMD-OMS for many examples and models that lie side by side (ModelLanes): what
// oms_client does for one, with the same bits. One example for each client, batches of one round.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/base/aligned.hpp"
#include "caucus/core/features/feature_tile.hpp"
#include "caucus/core/features/model_lanes.hpp"

namespace caucus {

/// Where the models of several clients are to be written: the one that predicts, and all J as bits.
/// There is room for sixteen more than are asked for.
struct HeldSets {
  std::uint32_t* first = nullptr;
  ModelBits* models = nullptr;
};

/// client -> server.
struct LaneReports {
  simd::LaneRows rows;
  ModelBits held = 0;    ///< by any of them
  bool lasting = false;  ///< all of the batch are here, and their memory lasts until the step
};

class LaneTile {
 public:
  static constexpr std::size_t kExamples = FeatureTile::kExamples;

  explicit LaneTile(const Plan& plan);

  void clear() {
    if (!features_are_x_) features_.clear();
    count_ = 0;
    targets_are_floats_ = true;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == kExamples; }
  [[nodiscard]] std::size_t size() const { return count_; }

  /// Whether add_rows() may be used: features are the examples themselves.
  [[nodiscard]] bool takes_rows() const { return features_are_x_; }
  /// Examples of `count` clients one after another: row_at(c) is that of the c-th, x and then y.
  template <class RowAt>
  void add_rows(std::uint32_t first_client, std::size_t count, std::size_t features,
                RowAt&& row_at) {
    for (std::size_t c = 0; c < count; ++c) {
      const float* const row = row_at(c);
      x_[c] = row;
      y_floats_[c] = row[features];
      y_[c] = static_cast<double>(row[features]);
    }
    if (clients_.front() != first_client || !in_order_) {  // else they are those of before
      std::iota(clients_.begin(), clients_.end(), first_client);
      in_order_ = true;
    }
    count_ = count;
  }
  void add(std::uint32_t client, std::span<const float> x, double y) {
    x_[count_] = x.data();
    if (!features_are_x_) {
      features_.begin_example(x);
      x_[count_] = features_.request(0);
    }
    clients_[count_] = client;
    in_order_ = false;
    y_[count_] = y;
    y_floats_[count_] = static_cast<float>(y);
    targets_are_floats_ &= static_cast<double>(y_floats_[count_]) == y;
    ++count_;
  }

  /// The outputs of all models; then assign(first client, how many, HeldSets) for clients one after
  /// another, and what the following tell.
  template <class Assign>
  void compute(const ModelLanes& models, Assign&& assign) {
    if (!features_are_x_) features_.compute();
    models.outputs({x_.data(), count_}, outputs_);
    for (std::size_t e = 0; e < count_;) {
      std::size_t end = count_;
      if (clients_[end - 1] - clients_[e] != end - 1 - e) {
        for (end = e + 1; end < count_ && clients_[end] == clients_[end - 1] + 1;) ++end;
      }
      assign(clients_[e], end - e, HeldSets{first_.data() + e, held_.data() + e});
      e = end;
    }
    compute_losses();
  }
  [[nodiscard]] RoundForecasts forecasts(std::size_t round) const {
    return {round, {clients_.data(), count_}, {forecasts_.data(), count_}, {y_.data(), count_}};
  }
  [[nodiscard]] LaneReports reports() const;
  /// Leaves out the reports of clients of whom lost(client) is true; after the forecasts were seen.
  template <class Lost>
  void drop(Lost&& lost) {
    std::size_t kept = 0;
    for (std::size_t e = 0; e < count_; ++e) {
      if (!lost(clients_[e])) move_report(e, kept++);
    }
    count_ = kept;
  }

 private:
  static constexpr std::size_t kLanes = ModelLanes::kLanes;
  static constexpr std::size_t kRoom = kExamples + kLanes;  ///< of what comes sixteen at a time

  void compute_losses();
  template <class AnyLoss>
  void compute_losses(const AnyLoss& loss);
  void move_report(std::size_t from, std::size_t to);

  const Plan* plan_;
  FeatureTile features_;
  bool features_are_x_;
  bool targets_are_floats_ = true;
  std::size_t count_ = 0;
  std::array<const float*, kExamples> x_{};
  std::array<double, kExamples> y_{};
  std::array<float, kExamples> y_floats_{};  ///< zeros or old ones beyond those that are there
  std::array<std::uint32_t, kExamples> clients_{};
  bool in_order_ = false;  ///< all clients_ are one after another, also beyond the last example
  std::array<std::uint32_t, kRoom> first_{};
  std::array<ModelBits, kRoom> held_{};
  std::array<double, kExamples> forecasts_{};
  AlignedVector<float> outputs_, factors_, losses_;  ///< 16 for each example
};

}  // namespace caucus
