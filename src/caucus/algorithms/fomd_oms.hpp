// FOMD-OMS (paper, Algorithms 2 to 4): FOMD-No-LU on the simplex for the probabilities and, for
// each space, on its set for the model, fed with importance-weighted estimates
//   c_i = sum over reporting clients j that hold i of c_ij / (M_r P_i),   and g_i in the same way.
// It divides by all M_r reporting clients; dividing by those that hold i would be biased.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_server.hpp"
#include "caucus/algorithms/robust.hpp"
#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/core/mirror/simplex.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/options.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct OmsSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sample_size = 2;  ///< J
  Schedule schedule = ConstantSchedule{};
  WeightedEntropy entropy{{}};  ///< with the weights C_i, one per space
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  double fixed_share = 0.0;      ///< for drifting data: p <- (1 - A) p + A / K after every step
  Robust robust = Robust::none;  ///< the protection against clients that lie

  /// Checks that 2 <= J <= K (or J = K = 1) and that C_i is positive and finite.
  [[nodiscard]] Status validate() const;
};

/// Checks that 2 <= J <= K, or J = K = 1.
Status validate_sample_size(std::size_t sample_size, std::size_t models);

/// The sums of one batch over the clients, for the models that clients held.
class OmsAggregate {
 public:
  explicit OmsAggregate(const FeatureMaps& maps) : maps_(&maps), sum_of_(maps.size(), kNone) {}
  void clear();

 private:
  friend class FomdOms;
  struct Sums {
    std::uint32_t space = 0;
    double loss = 0.0;              ///< sum of c_ij
    AlignedVector<float> gradient;  ///< sum of g_ij
    std::vector<simd::Term> terms;  ///< products that are to be added to it
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  Sums& sums_of(std::uint32_t space);
  void add(std::uint32_t space, double loss, const simd::Term& gradient) {
    Sums& sums = sums_of(space);
    sums.loss += loss;
    sums.terms.push_back(gradient);
  }
  /// Adds up all terms, whose memory must still exist.
  void add_up();
  [[nodiscard]] std::span<const Sums> touched() const { return {sums_.data(), used_}; }

  const FeatureMaps* maps_;
  std::size_t reporters_ = 0;          ///< M_r
  std::vector<std::uint32_t> sum_of_;  ///< by space: the index of its sums
  std::vector<Sums> sums_;             ///< in the order of first use; the first used_ are in use
  std::size_t used_ = 0;
};

class FomdOms : public OmsServer<FomdOms, OmsSettings> {
 public:
  using Aggregate = OmsAggregate;
  static constexpr bool kFirstPredicts = true;

  [[nodiscard]] Robust robust() const { return settings_->robust; }

  /// The settings must be valid.
  explicit FomdOms(std::shared_ptr<const OmsSettings> settings);

  void aggregate(ReportBatch& reports, OmsAggregate& into) const;
  void step(const Batch& batch, const OmsAggregate& aggregate);
  [[nodiscard]] OmsAggregate new_aggregate() const { return OmsAggregate(plan().maps); }

  /// Writes all that later batches depend on. restore() is for a new server with the same settings,
  /// which must be discarded after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Simplex& probabilities() const { return p_; }

 private:
  /// Adds reports that were sampled in earlier batches, or that are parts of a client's report.
  void aggregate_late(const ReportBatch& reports, OmsAggregate& into) const;

  Simplex p_;
  std::vector<IndexedLoss> losses_;  ///< the estimates c_i, while stepping
};

}  // namespace caucus
