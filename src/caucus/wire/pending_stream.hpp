// A stream on the server that may not have said yet which client it belongs to.
#pragma once

#include <chrono>

namespace caucus::wire {

class PendingStream {
 public:
  PendingStream() = default;
  PendingStream(const PendingStream&) = delete;
  PendingStream& operator=(const PendingStream&) = delete;
  PendingStream(PendingStream&&) = delete;
  PendingStream& operator=(PendingStream&&) = delete;
  virtual ~PendingStream() = default;

  /// Whether the stream still takes one of the places for streams without a known client.
  [[nodiscard]] virtual bool is_pending() = 0;
  /// Ends the stream if it has not identified itself within `limit`, and cancels it if the client
  /// does not let it end within `limit`. The timeout thread calls this again and again.
  virtual void check_timeout(std::chrono::milliseconds limit) = 0;
  /// Cancels the stream if it is pending: newer streams need its place.
  virtual void evict() = 0;
};

}  // namespace caucus::wire
