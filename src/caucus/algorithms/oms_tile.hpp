// The client half of FOMD-OMS and NCO-OMS for many examples at once: what oms_client does for one,
// with the same bits. Examples are added client by client; flush() then computes stage by stage,
// each for all of them: features, outputs, losses. What is asked of an example and one of the
// models that its client holds is a pair; pairs lie one after another, J for each example.
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
  explicit OmsTile(const Plan& plan);

  /// The assignment of the client whose examples follow; the caller fills it.
  Assignment& begin_client();
  /// One example of that client; the last one of its batch makes the report.
  void add(std::size_t round, std::span<const float> x, double y, bool last);
  /// Enough for the kernels, and still in the first-level cache.
  [[nodiscard]] bool full() const { return floats_ >= kFloats || count_ == kExamples; }

  /// on_forecasts(all PlayedExamples), then on_reports(Reports, their Assignments) of the clients
  /// whose last example was added, in order. The tile is empty afterwards, but for the sums of a
  /// client whose batch goes on.
  template <class OnForecasts, class OnReports>
  void flush(OnForecasts&& on_forecasts, OnReports&& on_reports) {
    if (count_ == 0) return;
    features_.compute();
    compute_outputs();
    compute_losses();
    on_forecasts(std::span<const PlayedExample>(played_.data(), count_));
    const std::size_t complete = examples_[count_ - 1].last ? clients_ : clients_ - 1;
    make_reports();
    on_reports(std::span<const Report* const>(reports_).first(complete),
               std::span<const Assignment>(assignments_).first(complete));
    clear();
  }

 private:
  static constexpr std::size_t kFloats = 6144;
  static constexpr std::size_t kExamples = FeatureTile::kExamples;
  struct Example {
    std::span<const float> x;
    std::size_t assignment = 0;
    std::size_t pair = 0;  ///< its first
    bool first = false, last = false;
  };

  void make_room(std::size_t pairs);
  void compute_outputs();
  void compute_losses();
  /// reports_ of all clients; that of the last is not complete if its batch goes on.
  void make_reports();
  const Report* direct_report(const Example& example);
  const Report* mean_report(std::size_t client, std::size_t example, std::size_t end);
  void clear();

  const Plan* plan_;
  FeatureTile features_;
  std::vector<Assignment> assignments_;  ///< the first clients_ are live; the others keep memory
  std::size_t clients_ = 0;
  bool first_ = false;  ///< the next example is its client's first
  bool same_dimension_ = true;  ///< of all spaces
  std::size_t floats_ = 0;      ///< of all features asked for

  // By example, the first count_ of them:
  std::size_t count_ = 0;
  std::vector<Example> examples_;
  std::vector<PlayedExample> played_;

  // By pair, the first pairs_ of them:
  std::size_t pairs_ = 0;
  std::vector<const float*> weights_, directions_;
  std::vector<double> outputs_, losses_;
  std::vector<HeldReport> held_;  ///< of the one example: the gradient stays factor and direction

  // By client:
  std::vector<const Report*> reports_;
  std::vector<Report> direct_;    ///< of batches of one, made of held_
  std::vector<BatchMean> means_;  ///< of longer ones

  std::vector<double> some_losses_;  ///< of one held model, example by example
  std::vector<float> some_derivatives_;
  std::vector<const float*> some_directions_;
};

}  // namespace caucus
