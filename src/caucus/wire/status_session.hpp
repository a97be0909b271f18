// One status request and its reply. It is a stream like a client's so that an incomplete request
// times out: gRPC does not show a unary call to the service before its request is complete.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "caucus/v1/federation.pb.h"
#include "caucus/wire/pending_stream.hpp"
#include "caucus/wire/session.hpp"

namespace caucus::wire {

/// gRPC calls it from any of its threads. It owns itself until the stream is done.
class StatusSession final : public grpc::ServerBidiReactor<v1::StatusRequest, v1::StatusReply>,
                            public PendingStream,
                            public std::enable_shared_from_this<StatusSession> {
 public:
  StatusSession(grpc::CallbackServerContext* context, std::shared_ptr<const SessionContext> shared)
      : context_(context), shared_(std::move(shared)) {}
  /// Starts to read the request.
  void begin();

  // PendingStream
  [[nodiscard]] bool is_pending() override;
  void check_timeout(std::chrono::milliseconds limit) override;
  void evict() override;

 private:
  // ServerBidiReactor
  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  [[nodiscard]] bool may_ask() const;
  void reply(std::string json);
  void finish(const grpc::Status& status);

  grpc::CallbackServerContext* context_;
  const std::shared_ptr<const SessionContext> shared_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::shared_ptr<StatusSession> self_;  ///< until the stream is done
  v1::StatusRequest request_;
  v1::StatusReply reply_;

  std::mutex mutex_;  // guards everything below
  bool finished_ = false;
  bool done_ = false;  ///< gRPC's context no longer exists
};

}  // namespace caucus::wire
