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

#include "caucus/federation/hosting/host.hpp"
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
  void turn_away(const std::string& why, bool final) override {
    {
      const std::lock_guard lock(mutex_);
      refusal_ = final ? data_error("host", why) : network_error("host", why);
    }
    put(Ended{why, true});
  }
  void finish() override {}
  void cut(const std::string& why) override { put(Ended{why, true}); }
  void end(const std::string& why) override { put(Ended{why, false}); }

  /// Why the line was turned away: a network error if the client may try again.
  [[nodiscard]] Status refusal() {
    const std::lock_guard lock(mutex_);
    if (refusal_) return *refusal_;
    return Done{};
  }
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
  std::optional<Error> refusal_;
};

/// Joins, and waits until the host has answered.
inline Status join(Host& host, const TestClient& client, const std::shared_ptr<QueueLine>& line) {
  host.join(client.hello(), line);
  (void)host.status();
  return line->refusal();
}

/// Says that the client has its data, and waits until the host has heard it.
inline Status ready(Host& host, const TestClient& client, const std::shared_ptr<QueueLine>& line) {
  host.ready(line, client.ready());
  (void)host.status();
  return line->refusal();
}

/// Takes part until it is ended; true if the host said so, false if the line broke.
inline bool take_part(Host& host, TestClient& client, const std::shared_ptr<QueueLine>& line) {
  host.join(client.hello(), line);
  host.ready(line, client.ready());
  while (true) {
    Heard heard = line->hear();
    if (const auto* ended = std::get_if<Ended>(&heard)) {
      if (ended->cut) {
        host.leave(line);
      } else {
        host.goodbye(line);
      }
      return !ended->cut;
    }
    const auto* assignment = std::get_if<AssignmentRecord>(&heard);
    if (assignment == nullptr) continue;
    if (auto report = client.play(*assignment)) host.report(line, *report);
  }
}

}  // namespace caucus
