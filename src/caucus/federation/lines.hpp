// The ways to the clients of a federation, at most one to each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/federation/records.hpp"

namespace caucus {

/// Bytes from a client and to it.
struct Traffic {
  std::uint64_t up = 0, down = 0;
};

/// The way to one client. Its functions are called while the host is locked, so they must return at
/// once and must not call the host.
class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  Line(Line&&) = delete;
  Line& operator=(Line&&) = delete;
  virtual ~Line() = default;

  /// Whether it was made before the other one.
  [[nodiscard]] bool is_older_than(const Line& other) const { return number_ < other.number_; }

  virtual void welcome(const WelcomeRecord& welcome) = 0;
  virtual void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) = 0;
  /// A report was not taken.
  virtual void refuse(std::uint64_t batch, const std::string& why) = 0;
  /// The client must not come again.
  virtual void cut(const std::string& why) = 0;
  /// There is nothing more to do. The line stays until the client says that it has heard it.
  virtual void end(const std::string& why) = 0;
  /// The server goes down; the client may come again when it is back.
  virtual void close() = 0;
  /// Of all messages since it was asked before.
  virtual Traffic take_traffic() = 0;

 private:
  static inline std::atomic<std::uint64_t> made_ = 0;
  const std::uint64_t number_ = ++made_;
};

class Lines {
 public:
  explicit Lines(std::size_t clients) : seats_(clients) {}

  [[nodiscard]] std::size_t size() const { return seats_.size(); }
  /// Null: the client is not there.
  [[nodiscard]] Line* of(std::uint32_t client) const { return seats_[client].line.get(); }
  /// Whether the client was told on its line that there is nothing more to do.
  [[nodiscard]] bool ended(std::uint32_t client) const { return seats_[client].ended; }

  /// In place of an older one, which is cut.
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
