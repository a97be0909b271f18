// The reports of clients on the models they held, column by column: the only input that a server
// aggregates. A tile of a thousand simulated clients, one client, or the wire may have filled it.
//
// One report is the mean, or has the sums, over a client's examples. A client whose labels came
// late sends several reports, one for each batch in which the models were sampled; they follow one
// another (docs/decisions/0005-late-reports.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "caucus/core/base/float_arena.hpp"

namespace caucus {

struct ReportColumns {
  // One entry for each report.
  std::vector<std::uint32_t> clients;
  std::vector<std::uint32_t> examples;
  std::vector<std::uint32_t> ends;  ///< where its models end in the columns below
  /// Whether the client's forecasts have become worse; entries missing at the end mean no.
  std::vector<std::uint8_t> changes;

  // One entry for each model of each report. The gradient is factor * direction, each product
  // rounded to a float: the mean over several examples has the factor 1, that of one example is the
  // loss's derivative times the features, and need not be written out. In a report of sums the
  // direction is the lower triangle of their matrix (core/statistics/row_sums.hpp), or empty.
  std::vector<std::uint32_t> spaces;
  std::vector<float> losses, factors;
  /// Each lies in `memory`, or is an example itself, which lasts until the batch is closed.
  std::vector<const float*> directions;
  std::vector<std::uint32_t> sizes;  ///< sizes of the directions

  // Used only if labels may come late. Entries missing at the end mean models sampled now.
  std::vector<std::uint64_t> sampled_in;  ///< for each report: the batch of its models
  std::vector<double> sampled_with;       ///< for each model: p_i when it was sampled, or kNow

  /// Used only by baselines whose clients choose models themselves: their K probabilities per
  /// report, for measurements. They are not part of the protocol.
  std::vector<double> selections;
};

struct ReportBatch : ReportColumns {
  /// The value of sampled_with for models that were sampled with the present p.
  static constexpr double kNow = -1.0;

  ReportBatch() = default;
  /// A copy has the directions in its own memory.
  ReportBatch(const ReportBatch& other);
  ReportBatch& operator=(const ReportBatch& other) { return *this = ReportBatch(other); }
  ReportBatch(ReportBatch&&) noexcept = default;
  ReportBatch& operator=(ReportBatch&&) noexcept = default;
  ~ReportBatch() = default;

  FloatArena memory;

  [[nodiscard]] std::size_t size() const { return clients.size(); }
  [[nodiscard]] bool empty() const { return clients.empty(); }
  [[nodiscard]] std::size_t begin_of(std::size_t report) const {
    return report > 0 ? ends[report - 1] : 0;
  }
  [[nodiscard]] std::span<const float> direction(std::size_t model) const {
    return {directions[model], sizes[model]};
  }
  /// Returns M_r, the number of clients that these reports come from.
  [[nodiscard]] std::size_t reporters() const;
  [[nodiscard]] bool has_change(std::size_t report) const {
    return report < changes.size() && changes[report] != 0;
  }
  /// Marks that the forecasts of the last report's client have become worse.
  void mark_change() {
    changes.resize(size(), 0);
    changes.back() = 1;
  }
  [[nodiscard]] bool is_late(std::size_t model) const {
    return model < sampled_with.size() && sampled_with[model] != kNow;
  }
  /// Returns the number of floats of all directions together.
  [[nodiscard]] std::size_t floats() const;
  /// Returns whether each report is the only one of its client, with models sampled now.
  [[nodiscard]] bool is_prompt() const { return sampled_with.empty() && reporters() == size(); }
  /// Returns a report's share of its client's examples in this batch.
  [[nodiscard]] double share_of(std::size_t report) const;

  void clear();
  /// Begins a report, whose models are added next.
  void add_report(std::uint32_t client, std::uint32_t example_count) {
    clients.push_back(client);
    examples.push_back(example_count);
    ends.push_back(static_cast<std::uint32_t>(spaces.size()));
  }
  /// Adds a model to the last report, with a gradient that the caller writes.
  std::span<float> add_model(std::uint32_t space, float loss, std::size_t size) {
    float* const gradient = memory.take(size);
    add_model(space, loss, 1.0F, {gradient, size});
    return {gradient, size};
  }
  /// Adds a model to the last report, with a direction that lasts as long as this batch.
  void add_model(std::uint32_t space, float loss, float factor, std::span<const float> direction) {
    spaces.push_back(space);
    losses.push_back(loss);
    factors.push_back(factor);
    directions.push_back(direction.data());
    sizes.push_back(static_cast<std::uint32_t>(direction.size()));
    ++ends.back();
  }
  /// Marks that a model was sampled in an earlier batch, with this p_i.
  void mark_late(std::size_t model, double probability);
  /// Adds a report of another batch, which must outlive this one: the directions stay there.
  void add_report_of(const ReportBatch& other, std::size_t report);
  /// Removes the last report.
  void remove_last();
  /// Removes the reports for which lost(client) is true.
  template <class Lost>
  void drop(Lost&& lost) {
    ReportBatch kept;
    for (std::size_t n = 0; n < size(); ++n) {
      if (!lost(clients[n])) kept.add_report_of(*this, n);
    }
    if (kept.size() == size()) return;
    kept.memory = std::move(memory);
    *this = std::move(kept);
  }
};

/// The reports of one batch as they arrived. It takes ownership of their memory.
class KeptReports {
 public:
  /// Leaves an empty batch, with memory to be used again.
  void keep(ReportBatch& reports);
  void clear();

  [[nodiscard]] std::span<const ReportBatch> batches() const { return {batches_.data(), used_}; }
  [[nodiscard]] std::size_t reporters() const { return reporters_; }  ///< M_r
  /// Returns whether no report is late or one of several of its client.
  [[nodiscard]] bool is_prompt() const { return prompt_; }

 private:
  std::size_t reporters_ = 0, used_ = 0;
  bool prompt_ = true;
  std::vector<ReportBatch> batches_;  ///< the first used_ are in use
};

/// Returns a mean loss as it is reported: a float, and finite.
inline float reported_loss(double loss) {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const double capped = loss < kLargest ? loss : kLargest;  // not std::clamp: that is a branch
  return static_cast<float>(capped > -kLargest ? capped : -kLargest);
}

}  // namespace caucus
