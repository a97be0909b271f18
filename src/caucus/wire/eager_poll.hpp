// What a thread does before it sleeps for want of messages.
#pragma once

#include <cstdint>

namespace caucus::wire {

/// While one lives, whoever waits in this process by epoll_wait, as gRPC does, looks again and
/// again for a moment before it sleeps, if the last wait was a short one. In a federation of many
/// batches a second the next message comes sooner than a sleeping thread wakes, and to wake it
/// costs its sender more than sending (docs/performance.md has the numbers). Threads that want the
/// core have it meanwhile. It is another definition of epoll_wait, so for a program to decide: it
/// is no part of the library that is installed.
class EagerPoll {
 public:
  EagerPoll();
  EagerPoll(const EagerPoll&) = delete;
  EagerPoll& operator=(const EagerPoll&) = delete;
  EagerPoll(EagerPoll&&) = delete;
  EagerPoll& operator=(EagerPoll&&) = delete;
  ~EagerPoll();

  /// How often something came before a thread slept, since the process began.
  [[nodiscard]] static std::uint64_t found();
};

}  // namespace caucus::wire
