// Turns SIGTERM and SIGINT into a call on an ordinary thread, since a signal handler may call few
// functions.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace caucus::cli {

/// Make it before other threads, so that these signals are blocked in them.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  StopSignals(StopSignals&&) = delete;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  /// From now on the first signal calls `stop`, and the second ends the process at once, so that a
  /// stuck process does not need kill -9. Signals that came before this call are handled now.
  void watch(std::function<void()> stop);
  /// Returns after `stop` has returned. From now on signals stay pending again.
  void unwatch();
  /// Returns whether a signal has come.
  [[nodiscard]] bool came() const { return came_ != 0; }
  /// Ends the process by the signal that has come.
  void end_process() const { end_by(came_); }

 private:
  void end_by(int signal) const;

  sigset_t signals_{}, before_{};
  std::atomic<int> came_ = 0;  ///< the first signal
  std::atomic<bool> done_ = false;
  std::thread watcher_, stopper_;
};

}  // namespace caucus::cli
