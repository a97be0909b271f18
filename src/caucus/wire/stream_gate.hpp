// How many streams of a connection may have come before our code has seen one of them. gRPC makes
// a stream of every few bytes that ask for one, faster than it can show them to us: what is too
// much must be refused where it is read.
#pragma once

#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/auth_metadata_processor.h>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <unordered_map>

namespace caucus::wire {

/// gRPC has no limit that holds at once (its own does when the other side confirms it), but asks
/// this one for each stream as soon as it has read it.
class StreamGate final : public grpc::AuthMetadataProcessor {
 public:
  explicit StreamGate(std::size_t most) : most_(most) {}

  [[nodiscard]] bool IsBlocking() const override { return false; }  // on the thread that reads
  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* connection,
                       OutputMetadata* consumed, OutputMetadata* response) override;
  /// A stream of this connection has reached us: it may open others.
  void seen(const grpc::AuthContext& connection);

 private:
  using Clock = std::chrono::steady_clock;
  struct Unseen {
    std::size_t streams = 0;
    Clock::time_point last{};
  };

  const std::size_t most_;
  std::mutex mutex_;
  std::unordered_map<const void*, Unseen> unseen_;  ///< by connection, see address_of()
};

}  // namespace caucus::wire
