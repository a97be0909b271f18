// For tests: clients in threads of their own, on sessions that are queues.
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
using Received = std::variant<WelcomeRecord, AssignmentRecord, std::string, Ended>;

class QueueSession final : public ClientSession {
 public:
  void welcome(const WelcomeRecord& welcome) override { put(welcome); }
  void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) override {
    put(record_of(batch, durable, assignment));
  }
  void reject_report(std::uint64_t, const std::string& why) override { put(why); }
  void refuse(const std::string& why, bool final) override {
    {
      const std::lock_guard lock(mutex_);
      refusal_ = final ? data_error("host", why) : network_error("host", why);
    }
    put(Ended{why, true});
  }
  void close() override {}
  void disconnect(const std::string& why) override { put(Ended{why, true}); }
  void send_end(const std::string& why) override { put(Ended{why, false}); }

  /// Why the client was refused: a network error if the client may try again.
  [[nodiscard]] Status refusal() {
    const std::lock_guard lock(mutex_);
    if (refusal_) return *refusal_;
    return Done{};
  }
  /// The next message, as soon as there is one.
  Received receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queue_.empty(); });
    Received received = std::move(queue_.front());
    queue_.pop_front();
    return received;
  }
  void shut_down() override { put(Ended{"closed", true}); }
  Traffic take_traffic() override { return {}; }

 private:
  void put(Received received) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(received));
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Received> queue_;
  std::optional<Error> refusal_;
};

/// Joins, and waits until the host has answered.
inline Status join(Host& host, const TestClient& client,
                   const std::shared_ptr<QueueSession>& session) {
  host.join(client.hello(), session);
  (void)host.status();
  return session->refusal();
}

/// Says that the client has its data, and waits until the host has received it.
inline Status ready(Host& host, const TestClient& client,
                    const std::shared_ptr<QueueSession>& session) {
  host.ready(session, client.ready());
  (void)host.status();
  return session->refusal();
}

/// Takes part until it is ended; true if the host said so, false if the session broke.
inline bool take_part(Host& host, TestClient& client,
                      const std::shared_ptr<QueueSession>& session) {
  host.join(client.hello(), session);
  host.ready(session, client.ready());
  while (true) {
    Received received = session->receive();
    if (const auto* ended = std::get_if<Ended>(&received)) {
      if (ended->cut) {
        host.disconnected(session);
      } else {
        host.goodbye(session);
      }
      return !ended->cut;
    }
    const auto* assignment = std::get_if<AssignmentRecord>(&received);
    if (assignment == nullptr) continue;
    if (auto report = client.play(*assignment)) host.report(session, *report);
  }
}

}  // namespace caucus
