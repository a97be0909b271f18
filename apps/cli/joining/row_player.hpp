// The rows of a client's file, played one after another: every assignment is answered with the next
// rounds_per_upload rows, and an assignment that comes again with the same rows as before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "caucus/data/dataset.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/federation/participant.hpp"
#include "caucus/result.hpp"
#include "joining/join_state.hpp"

namespace caucus::cli {

/// What was played, by this process.
struct PlayedRows {
  std::uint64_t batches = 0;
  std::uint64_t again = 0;  ///< reports that the server had lost
  std::size_t rows = 0;
  double loss = 0.0, squared_error = 0.0, log_loss = 0.0;
  std::size_t correct = 0;

  void add(const PlayedSums& sums);
};

/// Tells other data from the one it is made of.
std::uint64_t fingerprint_of(const Dataset& data);

class RowPlayer {
 public:
  /// All must outlive it; `done` counts rows that were used, for whoever looks on.
  RowPlayer(const Dataset& data, Participant& participant, JoinState& state,
            std::atomic<std::size_t>& done);

  /// What to send back; in the state's file before it returns.
  Result<SharedReport> answer(const AssignmentRecord& assignment);

  [[nodiscard]] const PlayedRows& played() const { return played_; }

 private:
  [[nodiscard]] UsedRows next_rows() const;
  Status play(const UsedRows& rows);

  const Dataset& data_;
  Participant& participant_;
  JoinState& state_;
  std::atomic<std::size_t>& done_;
  PlayedRows played_;
};

}  // namespace caucus::cli
