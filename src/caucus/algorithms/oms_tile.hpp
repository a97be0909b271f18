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
  explicit OmsTile(const Plan& plan) : plan_(&plan), features_(plan.maps) {}

  /// The assignment of the client whose examples follow; the caller fills it.
  Assignment& begin_client();
  /// One example of that client; the last one of its batch makes the report.
  void add(std::size_t round, std::span<const float> x, double y, bool last);
  /// Enough for the kernels, and still in the first-level cache.
  [[nodiscard]] bool full() const { return floats_ >= kFloats || examples_.size() >= kExamples; }

  /// on_forecasts(all PlayedExamples), then on_reports(Reports, their Assignments) of the clients
  /// whose last example was added, in order. The tile is empty afterwards, but for the sums of a
  /// client whose batch goes on.
  template <class OnForecasts, class OnReports>
  void flush(OnForecasts&& on_forecasts, OnReports&& on_reports) {
    if (examples_.empty()) return;
    compute();
    on_forecasts(std::span<const PlayedExample>(played_));
    const std::size_t complete = examples_.back().last ? clients_ : clients_ - 1;
    make_reports();
    on_reports(std::span<const Report* const>(reports_).first(complete),
               std::span<const Assignment>(assignments_).first(complete));
    clear();
  }

 private:
  static constexpr std::size_t kFloats = 6144;
  static constexpr std::size_t kExamples = 64;
  struct Example {
    std::span<const float> x;
    std::size_t assignment = 0;
    std::size_t pair = 0;  ///< its first
    bool first = false, last = false;
  };

  void compute();
  void compute_outputs();
  void compute_losses();
  /// reports_ of all clients; that of the last is not complete if its batch goes on.
  void make_reports();
  const Report* direct_report(std::size_t client, std::size_t example);
  const Report* mean_report(std::size_t client, std::size_t example, std::size_t end);
  void clear();

  const Plan* plan_;
  FeatureTile features_;
  std::vector<Assignment> assignments_;  ///< the first clients_ are live; the others keep memory
  std::size_t clients_ = 0;
  bool first_ = false;  ///< the next example is its client's first
  std::vector<Example> examples_;
  std::vector<PlayedExample> played_;  ///< of the examples
  std::size_t floats_ = 0;             ///< of all features asked for

  // By pair:
  std::vector<std::size_t> requests_;
  std::vector<const float*> weights_, directions_;
  std::vector<std::size_t> sizes_;
  std::vector<double> outputs_, losses_;
  std::vector<float> derivatives_;
  std::vector<HeldReport> held_;  ///< of direct_

  // By client:
  std::vector<const Report*> reports_;
  std::vector<Report> direct_;  ///< of batches of one: the gradient stays a factor and a direction
  std::vector<BatchMean> means_;  ///< of longer ones

  std::vector<double> some_losses_;  ///< of one held model, example by example
  std::vector<float> some_derivatives_;
  std::vector<const float*> some_directions_;
};

}  // namespace caucus
