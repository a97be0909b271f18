// The client half of FOMD-OMS and NCO-OMS for many examples at once: what oms_client does for one,
// with the same bits. Examples are added client by client; flush() then forecasts and reports in
// the same order.
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
  [[nodiscard]] bool full() const { return features_held_ >= kFloats || examples_.size() >= 64; }

  /// forecast(client, round, output, y) for every example, report(Report, Assignment) for every
  /// client whose last example was added. The tile is empty afterwards, but for the sums of a
  /// client whose batch goes on.
  template <class OnForecast, class OnReport>
  void flush(OnForecast&& on_forecast, OnReport&& on_report) {
    features_.compute();
    for (const Example& example : examples_) {
      const Assignment& assignment = assignments_[example.assignment];
      on_forecast(assignment.client, example.round, evaluate(example, assignment), example.y);
      if (example.last) on_report(finish(), assignment);
    }
    clear();
  }

 private:
  static constexpr std::size_t kFloats = 6144;
  struct Example {
    std::size_t round = 0;
    double y = 0.0;
    std::span<const float> x;
    std::size_t assignment = 0;
    std::size_t request = 0;  ///< of its first held model
    bool first = false, last = false;
  };

  double evaluate(const Example& example, const Assignment& assignment);
  const Report& finish();
  void clear();

  const Plan* plan_;
  FeatureTile features_;
  std::vector<Assignment> assignments_;  ///< the first clients_ are live; the others keep memory
  std::size_t clients_ = 0;
  bool first_ = false;  ///< the next example is its client's first
  std::vector<Example> examples_;
  std::vector<std::size_t> requests_;
  std::size_t features_held_ = 0;
  Report direct_;  ///< of a batch of one: the gradient stays a factor and a direction
  BatchMean mean_;
  bool is_direct_ = false;
};

}  // namespace caucus
