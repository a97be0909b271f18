// A progress line on a terminal, and nothing elsewhere: drawn by a thread of its own while the work
// runs, gone when it is done.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "caucus/simulation/experiment.hpp"

namespace caucus::cli {

class ProgressLine {
 public:
  /// `at_end` says what is done when all is counted.
  explicit ProgressLine(const Progress& progress, std::string at_end = "best in hindsight");
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;

 private:
  void draw_until_done();

  const Progress& progress_;
  const std::string at_end_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace caucus::cli
