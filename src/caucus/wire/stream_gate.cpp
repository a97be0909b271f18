#include "caucus/wire/stream_gate.hpp"

#include <grpc/grpc_security_constants.h>

namespace caucus::wire {
namespace {

// Streams that never reach us (without a method, or given up at once) are forgotten after a while,
// as are connections, whose place in memory is then another's.
constexpr std::chrono::seconds kWhile{1};
constexpr std::size_t kMany = 1024;

/// Where gRPC keeps what it knows of a connection, the same for all of its streams.
const void* address_of(const grpc::AuthContext& connection) {
  const auto kinds = connection.FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  return kinds.empty() ? nullptr : kinds.front().data();
}

}  // namespace

grpc::Status StreamGate::Process(const InputMetadata&, grpc::AuthContext* connection,
                                 OutputMetadata*, OutputMetadata*) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (unseen_.size() > kMany) {
    std::erase_if(unseen_, [&](const auto& one) { return now >= one.second.last + kWhile; });
  }
  Unseen& unseen = unseen_[address_of(*connection)];
  if (now >= unseen.last + kWhile) unseen.streams = 0;
  if (unseen.streams >= most_) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams at once"};
  }
  ++unseen.streams;
  unseen.last = now;
  return grpc::Status::OK;
}

void StreamGate::seen(const grpc::AuthContext& connection) {
  const std::lock_guard lock(mutex_);
  unseen_.erase(address_of(connection));
}

}  // namespace caucus::wire
