// The fast form of oms_client.hpp: the client's half for many examples at once, with the same bits.
// Examples are added client by client. compute() then computes all features of the examples, then
// all outputs, then all losses. An example and one of the J models that its client holds are a
// pair; the pairs are stored one after another, J for each example.
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
  /// Every client holds J = `sample_size` models, of which the first predicts alone or all by
  /// shares.
  OmsTile(const Plan& plan, std::size_t sample_size, bool first_predicts);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Returns the number of clients with one example each that fit.
  [[nodiscard]] std::size_t room() const { return most_ - std::min(count_, most_); }
  /// Returns whether a client with this many examples fits.
  [[nodiscard]] bool has_room(std::size_t examples) const {
    return (count_ + examples <= kExamples && count_ < most_) || count_ == 0;
  }
  /// Returns whether a client's batch of this many examples is never split over several tiles.
  [[nodiscard]] bool keeps_whole(std::size_t examples) const {
    return examples <= kExamples && examples <= 3 * most_;
  }
  /// Adds clients whose models the caller fills in and whose examples follow.
  HeldPlaces begin_clients(std::uint32_t first_client, std::size_t count);
  /// Adds one example for each of the last `count` clients: example_of(client) for the first one
  /// and those after it.
  template <class ExampleOf>
  void add_singles(std::uint32_t first_client, std::size_t count, std::size_t round,
                   ExampleOf&& example_of) {
    const std::size_t before = reports_.size() - count;
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
      reports_.examples[before + c] = 1;
      begins_[before + c] = static_cast<std::uint32_t>(count_ + c);
    }
    count_ += count;
    complete_ = true;
  }
  /// Adds one example of the last client; the last one of its batch makes the report.
  void add(std::size_t round, const float* x, double y, bool last) {
    inputs_[count_] = x;
    PlayedExample& played = played_[count_];
    played.client = reports_.clients.back();
    played.round = round;
    played.y = y;
    ++reports_.examples.back();
    complete_ = last;
    ++count_;
  }
  /// Returns whether the tile has no room, even for the rest of a client's batch, which is split
  /// only if it must be. A client whose batch continues is begun again after clear(), with the same
  /// models.
  [[nodiscard]] bool full() const { return count_ >= 4 * most_ || count_ == kExamples; }

  /// Computes what the next two functions return; there must be an example.
  void compute();
  [[nodiscard]] std::span<const PlayedExample> forecasts() const {
    return {played_.data(), count_};
  }
  /// Returns the reports of the clients whose last example was added. The caller may take them.
  [[nodiscard]] ReportBatch& reports() { return reports_; }

  /// Empties the tile, except for the sums of a client whose batch continues.
  void clear();

 private:
  static constexpr std::size_t kFloats = 16384;  ///< features that fit the first-level cache
  static constexpr std::size_t kExamples = FeatureTile::kExamples;
  /// The results of each pair if a report is the mean over several.
  struct PairColumns {
    std::vector<float> losses, factors;
    std::vector<const float*> directions;
  };
  [[nodiscard]] std::size_t clients() const { return reports_.size(); }
  /// Returns whether every client has one example, so that client and example have the same models.
  [[nodiscard]] bool single() const { return count_ == clients() && complete_ && !continued_; }
  /// The examples [begins_[client], end_of(client)) are a client's.
  [[nodiscard]] std::size_t end_of(std::size_t client) const {
    return client + 1 < clients() ? begins_[client + 1] : count_;
  }
  void make_room(std::size_t pairs);
  /// Repeats what belongs to a client's models for every pair.
  void spread_over_pairs();
  void ask_experts();
  /// Computes the losses and what is reported of each pair.
  void evaluate(float* losses, float* factors);
  void make_forecasts();
  /// Makes the reports of clients from the results of pairs.
  void make_reports();
  void add_to_mean(std::size_t client);
  void make_mean_report(std::size_t client);

  const Plan* plan_;
  std::size_t sample_size_;
  bool first_predicts_;
  bool has_experts_ = false;
  std::size_t most_ = 1;  ///< examples computed together, not counting the rest of a batch
  FeatureTile features_;
  ReportBatch reports_;

  // By client:
  bool continued_ = false;  ///< the first one's batch began in an earlier tile
  bool complete_ = false;   ///< the last one's batch ends in this one
  BatchMean cut_mean_;      ///< the mean of a client whose batch is in several tiles
  std::vector<std::uint32_t> begins_;

  // By client and model that it holds:
  std::vector<const float*> weights_;
  std::vector<double> shares_;

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
  PairColumns columns_;  ///< if there are batches of several examples
  std::vector<simd::Term> terms_;
  std::vector<HeldModel> held_;
};

}  // namespace caucus
