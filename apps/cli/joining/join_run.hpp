// Takes part in a federation with the rows of a file, in their order. A second file, the state,
// records which rows were used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "caucus/client.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/experiment.hpp"
#include "experts/expert_command.hpp"

namespace caucus::cli {

struct JoinOptions {
  ClientOptions client;  ///< its callbacks are set by JoinRun
  std::string data_file, state_file;
  ExpertProgram experts;  ///< without their names; no command if they are columns of the file
};

/// The rows that this process played.
struct PlayedRows {
  std::uint64_t batches = 0;
  std::size_t rows = 0;
  double loss = 0.0, squared_error = 0.0, log_loss = 0.0;
  std::size_t correct = 0;
};

struct JoinOutcome {
  RunId run{};
  Loss loss;
  std::size_t rows = 0;       ///< rows of the file
  std::size_t clipped = 0;    ///< of these, with a value outside the ranges of the plan
  std::size_t first_row = 0;  ///< the first row that this process played, from 0
  PlayedRows played;
  ClientTraffic traffic;
  bool personal = false;  ///< the state file holds a personal layer
};

class JoinRun {
 public:
  explicit JoinRun(JoinOptions options);
  JoinRun(const JoinRun&) = delete;
  JoinRun& operator=(const JoinRun&) = delete;
  JoinRun(JoinRun&&) = delete;
  JoinRun& operator=(JoinRun&&) = delete;
  ~JoinRun();

  /// Returns when the server has all rows; `progress` counts them. The state file has what --resume
  /// needs.
  Result<JoinOutcome> play(Progress& progress);
  /// Disconnects; play() returns an error that says so. It may be called from any thread.
  void interrupt();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus::cli
