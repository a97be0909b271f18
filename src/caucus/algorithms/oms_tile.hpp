// The client half of FOMD-OMS and NCO-OMS for many examples at once: what oms_client does for one,
// with the same bits. Examples are added client by client; compute() then works stage by stage,
// each for all of them: features, outputs, losses. An example and one of the J models that its
// client holds are a pair; pairs lie one after another, J for each example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/feature_tile.hpp"

namespace caucus {

class OmsTile {
 public:
  /// Every client holds J = sampled models.
  OmsTile(const Plan& plan, std::size_t sampled);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// For a client with so many examples.
  [[nodiscard]] bool has_room(std::size_t examples) const {
    return (count_ + examples <= kExamples && floats_ < kFloats) || count_ == 0;
  }
  /// Whether a client's batch of so many examples is never cut.
  [[nodiscard]] bool keeps_whole(std::size_t examples) const {
    return examples <= kExamples && examples * sampled_ * largest_dimension_ <= 3 * kFloats;
  }
  /// The models of the client whose examples follow; the caller fills them in.
  std::span<HeldModel> begin_client(std::uint32_t client) {
    client_names_[clients_] = client;
    client_examples_[clients_] = 0;
    first_ = true;
    const std::size_t models = clients_++ * sampled_;
    if (models_.size() < models + sampled_) models_.resize(2 * (models + sampled_));
    return {models_.data() + models, sampled_};
  }
  /// One example of that client; the last one of its batch makes the report.
  void add(std::size_t round, std::span<const float> x, double y, bool last) {
    const std::size_t client = clients_ - 1;
    // Field by field, here and elsewhere: g++ 12 builds a record on the stack and copies it in
    // pieces of other sizes, for which the CPU waits.
    Example& example = examples_[count_];
    example.x = x;
    example.client = client;
    example.first = first_;
    example.last = last;
    PlayedExample& played = played_[count_];
    played.client = client_names_[client];
    played.round = round;
    played.y = y;
    ++client_examples_[client];
    first_ = false;
    floats_ += sampled_ * largest_dimension_;
    ++count_;
  }
  /// Even within a client's batch, which is not cut without need.
  [[nodiscard]] bool full() const { return floats_ >= 4 * kFloats || count_ == kExamples; }

  /// Makes ready what the next two tell; there must be an example.
  void compute();
  [[nodiscard]] std::span<const PlayedExample> forecasts() const {
    return {played_.data(), count_};
  }
  /// Of the clients whose last example was added.
  [[nodiscard]] const TileReports& reports() const { return reports_; }

  /// Empties the tile, but for the sums of a client whose batch goes on. What the reports refer to
  /// lasts until the next example is added.
  void clear();

 private:
  static constexpr std::size_t kFloats = 16384;  ///< of features: they fit the first-level cache
  static constexpr std::size_t kExamples = FeatureTile::kExamples;
  struct Example {
    std::span<const float> x;
    std::size_t client = 0;  ///< counted in this tile
    bool first = false, last = false;
  };

  void make_room(std::size_t pairs);
  [[nodiscard]] const HeldModel* models_of(const Example& example) const {
    return models_.data() + example.client * sampled_;
  }
  void compute_outputs();
  /// Forecasts, losses and what is reported of each example.
  template <class AnyLoss>
  void evaluate(const AnyLoss& loss);
  /// J of every client; those of the last are not complete if its batch goes on.
  const HeldReport* make_reports();
  void make_mean_report(std::size_t example, std::size_t end);
  void make_report_at_once(std::size_t example, std::size_t end);

  const Plan* plan_;
  std::size_t sampled_;
  bool same_dimension_ = true;  ///< of all spaces
  std::size_t largest_dimension_ = 0;
  FeatureTile features_;
  std::size_t floats_ = 0;  ///< of all features, at most

  // By client:
  std::size_t clients_ = 0;
  bool first_ = false;                                         ///< the next example is its first
  std::vector<std::uint32_t> client_names_, client_examples_;  ///< of those in the report
  std::vector<HeldModel> models_;                              ///< J each
  std::vector<BatchMean> means_;                               ///< of batches of several examples
  std::vector<HeldReport> mean_held_;                          ///< J each, if there are such

  // By example:
  std::size_t count_ = 0;
  std::vector<Example> examples_;
  std::vector<PlayedExample> played_;

  // By pair:
  std::vector<const float*> weights_, directions_;
  std::vector<double> outputs_, losses_;
  std::vector<HeldReport> held_;  ///< of the one example: the gradient stays factor and direction

  TileReports reports_;
  std::vector<simd::Term> terms_;  ///< of one gradient
};

}  // namespace caucus
