// The client's end of one stream, from the Hello until the stream breaks or the server ends it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "caucus/engine/participant/records.hpp"
#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/codec.hpp"

namespace caucus::wire {

/// gRPC calls it from any of its threads. It must outlive the call of `done`, and must not be
/// destroyed on one of gRPC's threads: with the last channel these threads end, and a thread
/// cannot wait for itself.
class ClientStream final : public grpc::ClientBidiReactor<v1::ClientMessage, v1::ServerMessage> {
 public:
  using Receive = std::function<void(const v1::ServerMessage&)>;
  using Done = std::function<void(const grpc::Status&)>;

  /// Calls `receive` with one message after another and `done` after the last. `bytes` counts the
  /// bytes that are sent.
  ClientStream(const std::shared_ptr<grpc::Channel>& channel, Receive receive, Done done,
               std::atomic<std::uint64_t>& bytes)
      : stub_(v1::Federation::NewStub(channel)),
        receive_(std::move(receive)),
        done_(std::move(done)),
        bytes_(bytes) {}

  void start(v1::ClientMessage hello) {
    stub_->async()->Join(&context_, this);
    AddHold();  // writes come from any thread; removed when the reading has ended
    send(std::move(hello));
    StartRead(&incoming_);
    StartCall();
  }

  void send(v1::ClientMessage message) {
    const std::lock_guard lock(mutex_);
    if (broken_ || closing_) return;
    waiting_.push_back(std::move(message));
    write_next();
  }
  /// Sends a report, which replaces an older one that has not been sent.
  void report(const ReportRecord& report) {
    const std::lock_guard lock(mutex_);
    if (broken_ || closing_) return;
    encode(report, *report_.emplace().mutable_report());
    write_next();
  }
  /// Sends the waiting messages, then says that there will be no more.
  void close() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    write_next();
  }
  void cancel() { context_.TryCancel(); }

 private:
  void OnReadDone(bool ok) override {
    if (ok) {
      receive_(incoming_);
      StartRead(&incoming_);
      return;
    }
    const std::lock_guard lock(mutex_);
    broken_ = true;
    RemoveHold();
  }
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    broken_ = broken_ || !ok;  // reading will end too
    write_next();
  }
  void OnDone(const grpc::Status& status) override {
    const Done done = done_;  // the callee may destroy this stream
    done(status);
  }

  /// The caller holds mutex_.
  void write_next() {
    if (writing_ || broken_ || closed_) return;
    if (!waiting_.empty()) {
      outgoing_ = std::move(waiting_.front());
      waiting_.pop_front();
    } else if (report_) {
      outgoing_ = std::move(*report_);
      report_.reset();
    } else {
      closed_ = closing_;
      if (closed_) StartWritesDone();
      return;
    }
    bytes_ += bytes_of(outgoing_);
    writing_ = true;
    StartWrite(&outgoing_);
  }

  std::unique_ptr<v1::Federation::Stub> stub_;
  grpc::ClientContext context_;
  const Receive receive_;
  const Done done_;
  std::atomic<std::uint64_t>& bytes_;
  v1::ServerMessage incoming_;

  std::mutex mutex_;  // guards everything below
  std::deque<v1::ClientMessage> waiting_;
  std::optional<v1::ClientMessage> report_;
  v1::ClientMessage outgoing_;
  bool writing_ = false;
  bool broken_ = false;   ///< nothing more can be written
  bool closing_ = false;  ///< no more messages will be given
  bool closed_ = false;   ///< the server knows that there are no more
};

}  // namespace caucus::wire
