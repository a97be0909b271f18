// One stream to a server, on the client: from Hello until it breaks or the server ends it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "caucus/federation/records.hpp"
#include "caucus/v1/federation.grpc.pb.h"

namespace caucus::wire {

/// gRPC calls it from any of its threads. It must outlive the call of `done`, and must not be
/// destroyed on one of gRPC's threads: with the last channel these threads end, and none can wait
/// for itself.
class ClientStream final : public grpc::ClientBidiReactor<v1::ClientMessage, v1::ServerMessage> {
 public:
  using Receive = std::function<void(const v1::ServerMessage&)>;
  using Done = std::function<void(const grpc::Status&)>;

  /// `receive` is called with one message after another, `done` after the last; `bytes` counts what
  /// is sent.
  ClientStream(const std::shared_ptr<grpc::Channel>& channel, Receive receive, Done done,
               std::atomic<std::uint64_t>& bytes);
  void begin(v1::ClientMessage hello);

  /// In order.
  void send(v1::ClientMessage message);
  /// Takes the place of an older one that has not been sent.
  void report(const ReportRecord& report);
  /// Sends what there is, then tells the server that there will be no more.
  void close();
  void cancel() { context_.TryCancel(); }

 private:
  // ClientBidiReactor
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  void write_next();  ///< locked
  void write(v1::ClientMessage message);
  void write_outgoing();

  std::unique_ptr<v1::Federation::Stub> stub_;
  grpc::ClientContext context_;
  const Receive receive_;
  const Done done_;
  std::atomic<std::uint64_t>& bytes_;
  v1::ServerMessage incoming_;

  std::mutex mutex_;  // of all below
  std::deque<v1::ClientMessage> waiting_;
  std::optional<v1::ClientMessage> report_;
  v1::ClientMessage outgoing_;
  bool writing_ = false;
  bool broken_ = false;   ///< nothing more can be written
  bool closing_ = false;  ///< nothing more will be given to be written
  bool closed_ = false;   ///< the server has been told so
};

}  // namespace caucus::wire
