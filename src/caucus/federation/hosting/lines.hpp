// The connections to the clients of a federation, at most one to each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/federation/records.hpp"

namespace caucus {

/// The bytes from a client and to it.
struct Traffic {
  std::uint64_t up = 0, down = 0;
};

/// Sends messages to one client. The host's thread calls it, so every function returns at once.
class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  Line(Line&&) = delete;
  Line& operator=(Line&&) = delete;
  virtual ~Line() = default;

  /// Returns whether it was made before the other one.
  [[nodiscard]] bool is_older_than(const Line& other) const { return number_ < other.number_; }

  virtual void welcome(const WelcomeRecord& welcome) = 0;
  virtual void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) = 0;
  /// Says that a report was not accepted; the line stays.
  virtual void refuse(std::uint64_t batch, const std::string& why) = 0;
  /// Says that a Hello or a Ready was not accepted, and ends the line. Unless `final`, the client
  /// may try again later.
  virtual void turn_away(const std::string& why, bool final) = 0;
  /// Says that the client is cut off and must not connect again.
  virtual void cut(const std::string& why) = 0;
  /// Says that the client has nothing more to do. The line stays until it acknowledges that.
  virtual void end(const std::string& why) = 0;
  /// Ends the line, since the client's acknowledgement is stored.
  virtual void finish() = 0;
  /// Ends the line, since the server shuts down; the client may reconnect later.
  virtual void close() = 0;
  /// Says that the host has handled a message of this line.
  virtual void message_handled() {}
  /// Returns the traffic since the last call.
  virtual Traffic take_traffic() = 0;

 private:
  friend class Lines;
  static inline std::atomic<std::uint64_t> made_ = 0;
  const std::uint64_t number_ = ++made_;
  std::optional<std::uint32_t> client_;  ///< set by Lines
};

/// The lines of all clients. Only the host's thread uses it.
class Lines {
 public:
  explicit Lines(std::size_t clients) : seats_(clients) {}

  [[nodiscard]] std::size_t size() const { return seats_.size(); }
  /// Returns null if the client is not connected.
  [[nodiscard]] Line* of(std::uint32_t client) const { return seats_[client].line.get(); }
  /// Returns the client of this line, unless the line has ended or a newer one has replaced it.
  [[nodiscard]] std::optional<std::uint32_t> client_of(const Line& line) const;
  /// Returns whether the end was sent on this client's line.
  [[nodiscard]] bool ended(std::uint32_t client) const { return seats_[client].ended; }

  /// Adds a line and cuts an older one of this client.
  void take(std::uint32_t client, std::shared_ptr<Line> line);
  void drop(std::uint32_t client) { seats_[client] = {}; }
  void cut(std::uint32_t client, const std::string& why);
  void end(std::uint32_t client, const std::string& why);
  void close_all();

 private:
  struct Seat {
    std::shared_ptr<Line> line;
    bool ended = false;
  };

  std::vector<Seat> seats_;
};

}  // namespace caucus
