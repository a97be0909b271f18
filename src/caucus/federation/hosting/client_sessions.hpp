// The sessions of the clients of a federation, at most one for each client.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/engine/participant/records.hpp"

namespace caucus {

/// The bytes from a client and to it.
struct Traffic {
  std::uint64_t up = 0, down = 0;
};

/// Sends messages to one client. The host's thread calls it, so every function returns at once.
class ClientSession {
 public:
  ClientSession() = default;
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;
  ClientSession(ClientSession&&) = delete;
  ClientSession& operator=(ClientSession&&) = delete;
  virtual ~ClientSession() = default;

  /// Returns whether it was made before the other one.
  [[nodiscard]] bool is_older_than(const ClientSession& other) const {
    return number_ < other.number_;
  }

  virtual void welcome(const WelcomeRecord& welcome) = 0;
  virtual void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) = 0;
  /// Says that a report was not accepted; the session stays open.
  virtual void reject_report(std::uint64_t batch, const std::string& why) = 0;
  /// Says that a Hello or a Ready was not accepted, and closes the session. Unless `final`, the
  /// client may try again later.
  virtual void refuse(const std::string& why, bool final) = 0;
  /// Says that the client must not connect again, and closes the session.
  virtual void disconnect(const std::string& why) = 0;
  /// Says that the client has finished. The session stays open until the client acknowledges it.
  virtual void send_end(const std::string& why) = 0;
  /// Closes the session, since the client's acknowledgement is stored.
  virtual void close() = 0;
  /// Closes the session, since the server shuts down; the client may reconnect later.
  virtual void shut_down() = 0;
  /// Says that the host has handled a message of this session.
  virtual void message_handled() {}
  /// Returns the traffic since the last call.
  virtual Traffic take_traffic() = 0;

 private:
  friend class ClientSessions;
  static inline std::atomic<std::uint64_t> made_ = 0;
  const std::uint64_t number_ = ++made_;
  std::optional<std::uint32_t> client_;  ///< set by ClientSessions
};

/// The sessions of all clients. Only the host's thread uses it.
class ClientSessions {
 public:
  explicit ClientSessions(std::size_t clients) : entries_(clients) {}

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Returns null if the client is not connected.
  [[nodiscard]] ClientSession* find(std::uint32_t client) const {
    return entries_[client].session.get();
  }
  /// Returns the client of this session, unless it is closed or a newer one has replaced it.
  [[nodiscard]] std::optional<std::uint32_t> client_of(const ClientSession& session) const;
  /// Returns whether the End was sent on this client's session.
  [[nodiscard]] bool end_sent(std::uint32_t client) const { return entries_[client].end_sent; }
  /// Returns the batch whose models were sent last on this client's session, or 0.
  [[nodiscard]] std::uint64_t assigned(std::uint32_t client) const {
    return entries_[client].assigned;
  }
  void set_assigned(std::uint32_t client, std::uint64_t batch) {
    entries_[client].assigned = batch;
  }

  /// Adds a session and disconnects an older one of this client.
  void add(std::uint32_t client, std::shared_ptr<ClientSession> session);
  void remove(std::uint32_t client) { entries_[client] = {}; }
  void disconnect(std::uint32_t client, const std::string& why);
  void send_end(std::uint32_t client, const std::string& why);
  void shut_down();

 private:
  struct Entry {
    std::shared_ptr<ClientSession> session;
    bool end_sent = false;
    std::uint64_t assigned = 0;
  };

  std::vector<Entry> entries_;
};

}  // namespace caucus
