// Plays the rows of a client's file one after another: every batch is answered with the next
// rounds_per_upload rows, and a batch that comes again with the same rows as before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "caucus/client.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/result.hpp"
#include "joining/join_state.hpp"

namespace caucus::cli {

/// What this process played.
struct PlayedRows {
  std::uint64_t batches = 0;
  std::uint64_t again = 0;  ///< reports that the server had lost
  std::size_t rows = 0;
  double loss = 0.0, squared_error = 0.0, log_loss = 0.0;
  std::size_t correct = 0;

  void add(const PlayedSums& sums);
};

/// Differs for other data.
std::uint64_t fingerprint_of(const Dataset& data);

class RowPlayer {
 public:
  /// All must outlive it. `done` counts the rows that were used, to be read by other threads.
  RowPlayer(const Dataset& data, const SharedPlan& plan, Client& client, JoinState& state,
            std::atomic<std::size_t>& done);

  /// Notes in the state's file which rows answer the batch, then plays and reports them.
  Status answer(const OpenBatch& batch);

  [[nodiscard]] const PlayedRows& played() const { return played_; }

 private:
  [[nodiscard]] UsedRows next_rows() const;
  Result<PlayedSums> play(const UsedRows& rows);

  const Dataset& data_;
  const Loss loss_;
  const std::size_t rounds_per_upload_;
  Client& client_;
  JoinState& state_;
  std::atomic<std::size_t>& done_;
  PlayedRows played_;
};

}  // namespace caucus::cli
