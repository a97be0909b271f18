// One client's part in a federation, with the rows of a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/log.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/experiment.hpp"
#include "joining/row_player.hpp"

namespace caucus::cli {

struct JoinOptions {
  Address server;
  TlsTexts tls;
  std::string client, token;
  std::string data_file, state_file;
  bool resume = false;
  std::chrono::seconds patience{300};
  Log log;
};

/// How it ended.
struct JoinOutcome {
  RunId run{};
  Loss loss;
  std::size_t rows = 0;       ///< of the file
  std::size_t first_row = 0;  ///< that this process began at, from 0
  PlayedRows played;
  std::uint64_t bytes_up = 0, bytes_down = 0;
  std::uint64_t connections = 0;
};

class JoinRun {
 public:
  explicit JoinRun(JoinOptions options);
  JoinRun(const JoinRun&) = delete;
  JoinRun& operator=(const JoinRun&) = delete;
  JoinRun(JoinRun&&) = delete;
  JoinRun& operator=(JoinRun&&) = delete;
  ~JoinRun();

  /// Until the server has all; progress counts rows. What --resume needs stays in the state's file.
  Result<JoinOutcome> play(Progress& progress);
  /// Leaves; play() returns an error that says so. From any thread.
  void interrupt();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus::cli
