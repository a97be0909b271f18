// One question how the server stands, and its answer. A stream like a client's, so that whoever
// sends half a question waits no longer than a client that does not say its name: gRPC shows a
// plain call to nobody before all of its request is there.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "caucus/federation/security/tokens.hpp"
#include "caucus/v1/federation.pb.h"
#include "caucus/wire/connections.hpp"
#include "caucus/wire/visitor.hpp"

namespace caucus::wire {

/// gRPC calls it from any of its threads. It keeps itself alive until the stream is done.
class StatusSession final : public grpc::ServerBidiReactor<v1::StatusRequest, v1::StatusReply>,
                            public Visitor,
                            public std::enable_shared_from_this<StatusSession> {
 public:
  /// `tokens` may be null: then everybody may ask.
  StatusSession(grpc::CallbackServerContext* context, Connections::Stream stream,
                const TokenFile* tokens, const std::function<std::string()>& status)
      : context_(context), stream_(std::move(stream)), tokens_(tokens), status_(status) {}
  /// Reads the question.
  void begin();

  // Visitor
  [[nodiscard]] bool is_known() override;
  void hurry(std::chrono::milliseconds limit) override;
  void turn_out() override;

 private:
  // ServerBidiReactor
  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  [[nodiscard]] bool may_ask() const;
  void finish(const grpc::Status& status);

  grpc::CallbackServerContext* context_;
  Connections::Stream stream_;  ///< until the stream is done
  const TokenFile* tokens_;
  const std::function<std::string()>& status_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::shared_ptr<StatusSession> self_;  ///< until the stream is done
  v1::StatusRequest request_;
  v1::StatusReply reply_;

  std::mutex mutex_;  // of all below
  bool finished_ = false;
  bool done_ = false;  ///< nothing of gRPC's is there any more
};

}  // namespace caucus::wire
