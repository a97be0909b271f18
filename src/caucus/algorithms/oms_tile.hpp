// The client half of FOMD-OMS and NCO-OMS for many examples at once: what oms_client does for one,
// with the same bits. Examples are added client by client; compute() then works stage by stage,
// each for all of them: features, outputs, losses. An example and one of the J models that its
// client holds are a pair; pairs lie one after another, J for each example.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/features/feature_tile.hpp"

namespace caucus {

class OmsTile {
 public:
  /// Every client holds J = sampled models, of which the first predicts alone or all by shares.
  OmsTile(const Plan& plan, std::size_t sampled, bool first_predicts);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// For so many clients with one example each.
  [[nodiscard]] std::size_t room() const { return most_ - std::min(count_, most_); }
  /// For a client with so many examples.
  [[nodiscard]] bool has_room(std::size_t examples) const {
    return (count_ + examples <= kExamples && count_ < most_) || count_ == 0;
  }
  /// Whether a client's batch of so many examples is never cut.
  [[nodiscard]] bool keeps_whole(std::size_t examples) const {
    return examples <= kExamples && examples <= 3 * most_;
  }
  /// The models of clients one after another, whose examples follow; the caller fills them in.
  HeldPlaces begin_clients(std::uint32_t first_client, std::size_t count) {
    const std::size_t models = clients_ * sampled_;
    const std::size_t end = models + count * sampled_;
    if (spaces_.size() < end) make_room_for_models(end);
    for (std::size_t c = 0; c < count; ++c) {
      client_names_[clients_ + c] = first_client + static_cast<std::uint32_t>(c);
      client_examples_[clients_ + c] = 0;
    }
    begins_[clients_] = static_cast<std::uint32_t>(count_);
    clients_ += count;
    return {spaces_.data() + models, weights_.data() + models, shares_.data() + models};
  }
  /// One example for each of the last `count` clients: example_of(client) for the first one and
  /// those after it.
  template <class ExampleOf>
  void add_singles(std::uint32_t first_client, std::size_t count, std::size_t round,
                   ExampleOf&& example_of) {
    const std::size_t before = clients_ - count;
    const float** const inputs = inputs_.data() + count_;
    PlayedExample* played = played_.data() + count_;
    for (std::size_t c = 0; c < count; ++c, ++played) {
      const auto [x, y] = example_of(first_client + c);
      // Field by field, here and elsewhere: g++ 12 builds a record on the stack and copies it in
      // pieces of other sizes, for which the CPU waits.
      inputs[c] = x.data();
      played->client = first_client + c;
      played->round = round;
      played->y = y;
      client_examples_[before + c] = 1;
      begins_[before + c] = static_cast<std::uint32_t>(count_ + c);
    }
    count_ += count;
    complete_ = true;
  }
  /// One example of the last client; the last one of its batch makes the report.
  void add(std::size_t round, const float* x, double y, bool last) {
    inputs_[count_] = x;
    PlayedExample& played = played_[count_];
    played.client = client_names_[clients_ - 1];
    played.round = round;
    played.y = y;
    ++client_examples_[clients_ - 1];
    complete_ = last;
    ++count_;
  }
  /// Even within a client's batch, which is not cut without need.
  [[nodiscard]] bool full() const { return count_ >= 4 * most_ || count_ == kExamples; }

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
  /// What the reports say of each pair, or of each client and model.
  struct Said {
    std::vector<float> losses, factors;
    std::vector<const float*> directions;
    void resize(std::size_t size);
  };

  void make_room_for_models(std::size_t models);
  void make_room_for_pairs(std::size_t pairs);
  /// Every client has one example, so that its models are those of the example.
  [[nodiscard]] bool single() const { return count_ == clients_ && complete_ && !continued_; }
  /// The examples [begins_[client], end_of(client)) are a client's.
  [[nodiscard]] std::size_t end_of(std::size_t client) const {
    return client + 1 < clients_ ? begins_[client + 1] : count_;
  }
  /// What belongs to a client's models, for every pair.
  void spread_over_pairs();
  void ask_experts();
  /// Losses and what is reported of each example.
  template <class AnyLoss>
  void evaluate(const AnyLoss& loss);
  void make_forecasts();
  /// J of every client; those of the last are not complete if its batch goes on.
  const Said& make_reports();
  void make_mean_report(std::size_t client);
  void make_report_at_once(std::size_t client);
  [[nodiscard]] std::size_t floats_of(std::size_t models) const;

  const Plan* plan_;
  std::size_t sampled_;
  bool first_predicts_;
  bool same_dimension_ = true;  ///< of all spaces
  bool has_experts_ = false;
  std::size_t most_ = 1;  ///< examples that are computed together, but for the rest of a batch
  FeatureTile features_;

  // By client:
  std::size_t clients_ = 0;
  bool continued_ = false;  ///< the first one's batch began in an earlier tile
  bool complete_ = false;   ///< the last one's batch ends in this one
  std::vector<std::uint32_t> client_names_, begins_;
  std::vector<std::uint32_t> client_examples_;  ///< of those in the report
  std::vector<BatchMean> means_;                ///< of batches of several examples

  // By client and model that it holds:
  std::vector<std::uint32_t> spaces_;
  std::vector<const float*> weights_;
  std::vector<double> shares_;
  Said mean_said_;  ///< if there are batches of several examples

  // By example:
  std::size_t count_ = 0;
  std::vector<const float*> inputs_;
  std::vector<PlayedExample> played_;

  // By pair:
  const std::uint32_t* pair_spaces_ = nullptr;
  const float* const* pair_weights_ = nullptr;
  const double* pair_shares_ = nullptr;
  struct {  ///< where they are if there are batches of several examples
    std::vector<std::uint32_t> spaces;
    std::vector<const float*> weights;
    std::vector<double> shares;
  } spread_;
  std::vector<double> targets_, outputs_, losses_;
  Said said_;  ///< of the one example: the gradient stays factor and direction

  TileReports reports_;
  std::vector<simd::Term> terms_;  ///< of one gradient
  std::vector<HeldModel> held_;    ///< of one client
};

}  // namespace caucus
