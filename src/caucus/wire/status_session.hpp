// One status request and its reply. It is a stream like a client's so that an incomplete request
// times out: gRPC does not show a unary call to the service before its request is complete.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "caucus/v1/federation.pb.h"
#include "caucus/wire/session.hpp"

namespace caucus::wire {

/// gRPC calls it from any of its threads. It owns itself until the stream is done.
class StatusSession final : public grpc::ServerBidiReactor<v1::StatusRequest, v1::StatusReply>,
                            public PendingStream,
                            public std::enable_shared_from_this<StatusSession> {
 public:
  StatusSession(grpc::CallbackServerContext* context, std::shared_ptr<const SessionContext> shared)
      : context_(context), shared_(std::move(shared)) {}
  void start() {
    self_ = shared_from_this();
    StartRead(&request_);
  }

  [[nodiscard]] bool is_pending() override {
    const std::lock_guard lock(mutex_);
    return !done_;
  }
  void check_timeout(std::chrono::milliseconds limit) override {
    if (std::chrono::steady_clock::now() >= started_ + limit) evict();
  }
  void evict() override {
    const std::lock_guard lock(mutex_);
    if (!done_) context_->TryCancel();
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return finish({grpc::StatusCode::INVALID_ARGUMENT, "expected a request"});
    const auto& tokens = shared_->options.tokens;
    if (tokens && !tokens->allows(request_.client(), request_.token())) {
      return finish({grpc::StatusCode::PERMISSION_DENIED,
                     "expected the name and the token of one of its clients"});
    }
    shared_->host->post_status([self = shared_from_this()](const HostStatus& status) {
      self->reply(self->shared_->options.status(status));
    });
  }
  void OnCancel() override { finish(grpc::Status::CANCELLED); }
  void OnDone() override {
    const auto self = std::move(self_);
    const std::lock_guard lock(mutex_);
    done_ = true;
  }

  void reply(std::string json) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
    reply_.set_json(std::move(json));
    StartWriteAndFinish(&reply_, {}, grpc::Status::OK);
  }
  void finish(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(finished_, true)) Finish(status);
  }

  grpc::CallbackServerContext* context_;
  const std::shared_ptr<const SessionContext> shared_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::shared_ptr<StatusSession> self_;  ///< owns this until the stream is done
  v1::StatusRequest request_;
  v1::StatusReply reply_;

  std::mutex mutex_;  // guards everything below
  bool finished_ = false;
  bool done_ = false;  ///< gRPC's context no longer exists
};

}  // namespace caucus::wire
