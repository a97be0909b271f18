// SIGTERM and SIGINT as a call on an ordinary thread, where anything may be done, in place of a
// handler, where next to nothing may.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace caucus::cli {

/// To be made before other threads are: they inherit that the signals are not for them.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  StopSignals(StopSignals&&) = delete;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  /// From now on the first of them calls `stop`, and the second ends the process as if nobody
  /// watched: whatever is stuck must not need kill -9. Without this they wait.
  void watch(std::function<void()> stop);
  /// From now on they wait again, and `stop` is not running.
  void unwatch();
  /// Whether one has come.
  [[nodiscard]] bool came() const { return came_; }

 private:
  void end_by(int signal) const;

  sigset_t signals_{}, before_{};
  std::atomic<bool> came_ = false;
  std::atomic<bool> done_ = false;
  std::thread watcher_, stopper_;
};

}  // namespace caucus::cli
