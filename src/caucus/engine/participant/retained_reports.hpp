// Reports that a client has sent but the server may still lose. The client keeps them, to send them
// again, until the server says that they are stored. Number and memory are bounded; the oldest are
// dropped first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "caucus/engine/participant/records.hpp"

namespace caucus {

/// A report is shared between keeping and sending, since it is large and never changes.
using SharedReport = std::shared_ptr<const ReportRecord>;

class RetainedReports {
 public:
  /// The most batches that a server may make durable together.
  static constexpr std::size_t kMostInGroup = 4'096;
  /// Room for such a group, for as many reports while it is stored, and for those on their way.
  static constexpr std::size_t kMost = 2 * kMostInGroup + 8;
  static constexpr std::size_t kMostBytes = 128U << 20U;

  /// A report with the fingerprint of its assignment: a server that lost batches may assign other
  /// models.
  struct Retained {
    std::uint64_t fingerprint = 0;
    SharedReport report;
  };

  void keep(std::uint64_t fingerprint, SharedReport report);
  /// Drops reports that are stored.
  void drop_up_to(std::uint64_t batch);
  /// Drops reports on batches that the server has never opened.
  void drop_after(std::uint64_t batch);
  /// Returns null if there is none.
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
