// A program that makes the forecasts of pre-trained models. It is started once and answers line by
// line; docs/usage.md describes the lines.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace caucus::cli {

struct ExpertProgram {
  std::string command;             ///< for /bin/sh
  std::vector<std::string> names;  ///< of the experts
  std::chrono::milliseconds timeout{60'000};
};

inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000.0 * seconds));
}

class ExpertCommand {
 public:
  /// Starts the program and writes the header, the names of the fields of a row.
  static Result<std::unique_ptr<ExpertCommand>> start(ExpertProgram program,
                                                      const std::string& header);
  ExpertCommand(const ExpertCommand&) = delete;
  ExpertCommand& operator=(const ExpertCommand&) = delete;
  ExpertCommand(ExpertCommand&&) = delete;
  ExpertCommand& operator=(ExpertCommand&&) = delete;
  /// Closes the program's input, and ends it if that does not.
  ~ExpertCommand();

  /// Asks some experts, by their numbers, for their forecasts of a row; `where` names it in errors.
  /// Header and rows are those of data/row_texts.hpp.
  Result<std::vector<double>> ask(std::span<const std::uint32_t> experts, const std::string& row,
                                  const std::string& where);

 private:
  explicit ExpertCommand(ExpertProgram program) : program_(std::move(program)) {}

  Status spawn();
  Status write_line(const std::string& line, const std::string& where);
  Result<std::string> read_line(const std::string& where);
  [[nodiscard]] Error failure(const std::string& where, const std::string& what) const;
  /// Says how the program has ended.
  Error ended(const std::string& where);

  ExpertProgram program_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string unread_;  ///< what the program has written and nobody has read
};

}  // namespace caucus::cli
