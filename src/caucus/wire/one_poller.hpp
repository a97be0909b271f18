// How many threads take turns at gRPC's sockets.
#pragma once

#include <memory>

namespace caucus::wire {

/// While it lives, gRPC calls this process back from one thread. By itself it polls with two or
/// more, of which each wakes the next for every message; where messages are small and many, and
/// cores few, most of the time goes into that (docs/performance.md has the numbers). For a program
/// to decide, not for a library: it concerns all of the process. Callbacks that wait for other
/// callbacks would do so for ever. Several at a time are as one.
class OnePoller {
 public:
  OnePoller();
  OnePoller(const OnePoller&) = delete;
  OnePoller& operator=(const OnePoller&) = delete;
  OnePoller(OnePoller&&) = delete;
  OnePoller& operator=(OnePoller&&) = delete;
  ~OnePoller();

 private:
  class Room;
  static std::shared_ptr<Room> enter();

  std::shared_ptr<Room> room_;
};

}  // namespace caucus::wire
