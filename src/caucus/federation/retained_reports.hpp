// Reports that a client has given but the server may still lose: until it says that they are
// stored, they are kept to be given again. Bounded in number and in memory; the oldest go first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "caucus/federation/records.hpp"

namespace caucus {

/// Kept here and sent from here: a report is large, and nobody changes it.
using SharedReport = std::shared_ptr<const ReportRecord>;

class RetainedReports {
 public:
  /// Batches that a server may make durable together.
  static constexpr std::size_t kMostInGroup = 4'096;
  /// Such a group, as many that come while it is stored, and the answers that are under way.
  static constexpr std::size_t kMost = 2 * kMostInGroup + 8;
  static constexpr std::size_t kMostBytes = 128U << 20U;

  /// What it answers is known by a fingerprint: a server that lost batches may have gone on another
  /// way than before.
  struct Retained {
    std::uint64_t fingerprint = 0;
    SharedReport report;
  };

  void keep(std::uint64_t fingerprint, SharedReport report);
  /// Those up to this batch are stored.
  void drop_up_to(std::uint64_t batch);
  /// Those behind this batch answer what was never asked.
  void drop_after(std::uint64_t batch);
  /// Null if there is none.
  [[nodiscard]] const Retained* find(std::uint64_t batch) const;

  [[nodiscard]] std::size_t size() const { return reports_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  using Reports = std::map<std::uint64_t, Retained>;
  Reports::iterator drop(Reports::iterator one);

  Reports reports_;  ///< by batch
  std::size_t bytes_ = 0;
};

}  // namespace caucus
