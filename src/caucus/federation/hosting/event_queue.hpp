// A queue of work for one thread, which runs it in the order in which it was posted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace caucus {

/// Any thread may post work; one thread runs it. The queue is not bounded, so its users must limit
/// what they post (wire/session.hpp: a session has at most a few messages in it).
class EventQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void()>;

  void post(Work work) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      wake = waiting_.empty();
      waiting_.push_back(std::move(work));
    }
    if (wake) changed_.notify_one();
  }

  /// Runs the posted work, or waits for it until `alarm`. Call it again and again from one thread.
  void run_once(const std::optional<Clock::time_point>& alarm = {}) {
    {
      std::unique_lock lock(mutex_);
      const auto posted = [&] { return !waiting_.empty(); };
      if (alarm) {
        changed_.wait_until(lock, *alarm, posted);
      } else {
        changed_.wait(lock, posted);
      }
      running_.swap(waiting_);
    }
    for (Work& work : running_) {
      busy_since_ = Clock::now().time_since_epoch().count();
      std::exchange(work, nullptr)();  // its memory is freed before the next one
    }
    busy_since_ = 0;
    running_.clear();
  }

  /// Returns how long the present piece of work has taken so far; zero between pieces.
  [[nodiscard]] Clock::duration busy() const {
    const Clock::rep since = busy_since_;
    if (since == 0) return {};
    return Clock::now().time_since_epoch() - Clock::duration(since);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Work> waiting_;
  std::vector<Work> running_;  ///< belongs to the running thread
  std::atomic<Clock::rep> busy_since_ = 0;
};

}  // namespace caucus
