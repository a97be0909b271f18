// For tests: clients in threads of their own, on lines that are queues.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "caucus/federation/host.hpp"
#include "caucus/federation/test_federation.hpp"

namespace caucus {

struct Ended {
  std::string why;
  bool cut = false;
};
using Heard = std::variant<WelcomeRecord, AssignmentRecord, std::string, Ended>;

class QueueLine final : public Line {
 public:
  void welcome(const WelcomeRecord& welcome) override { put(welcome); }
  void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) override {
    put(record_of(batch, durable, assignment));
  }
  void refuse(std::uint64_t, const std::string& why) override { put(why); }
  void cut(const std::string& why) override { put(Ended{why, true}); }
  void end(const std::string& why) override { put(Ended{why, false}); }

  /// The next message, as soon as there is one.
  Heard hear() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queue_.empty(); });
    Heard heard = std::move(queue_.front());
    queue_.pop_front();
    return heard;
  }
  void close() override { put(Ended{"closed", true}); }
  Traffic take_traffic() override { return {}; }

 private:
  void put(Heard heard) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(heard));
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Heard> queue_;
};

/// Takes part until it is ended; true if the host said so, false if the line broke.
inline bool take_part(Host& host, TestClient& client, const std::shared_ptr<QueueLine>& line) {
  const auto index = host.join(client.hello(), line);
  if (!index.ok()) return false;
  if (!host.ready(*index, *line, client.ready()).ok()) return false;
  while (true) {
    Heard heard = line->hear();
    if (const auto* ended = std::get_if<Ended>(&heard)) {
      if (!ended->cut) host.goodbye(*index, *line);
      host.leave(*index, *line);
      return !ended->cut;
    }
    const auto* assignment = std::get_if<AssignmentRecord>(&heard);
    if (assignment == nullptr) continue;
    if (auto report = client.play(*assignment)) host.report(*index, *line, *report);
  }
}

}  // namespace caucus
