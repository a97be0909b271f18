// The server's end of one client's stream: passes its messages to the host and sends the answers.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "caucus/federation/hosting/host.hpp"
#include "caucus/v1/federation.pb.h"
#include "caucus/wire/server.hpp"

namespace caucus::wire {

/// The objects that all sessions share.
struct SessionContext {
  Host* host = nullptr;
  ServerOptions options;
};

/// A stream whose client may not be known yet.
class PendingStream {
 public:
  PendingStream() = default;
  PendingStream(const PendingStream&) = delete;
  PendingStream& operator=(const PendingStream&) = delete;
  PendingStream(PendingStream&&) = delete;
  PendingStream& operator=(PendingStream&&) = delete;
  virtual ~PendingStream() = default;

  /// Returns whether the stream still takes one of the places for streams without a known client.
  [[nodiscard]] virtual bool is_pending() = 0;
  /// Ends the stream if it has not identified itself within `limit`, and cancels it if the client
  /// does not let it end within `limit`. The timeout thread calls this again and again.
  virtual void check_timeout(std::chrono::milliseconds limit) = 0;
  /// Cancels the stream if it is pending: newer streams need its place.
  virtual void evict() = 0;
};

/// gRPC calls it from any of its threads. It owns itself until the stream is done. The client's
/// messages are checked and posted to the host; the host answers from its own thread.
class Session final : public grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>,
                      public ClientSession,
                      public PendingStream,
                      public std::enable_shared_from_this<Session> {
 public:
  Session(grpc::CallbackServerContext* context, std::shared_ptr<const SessionContext> shared);
  void start();

  // PendingStream
  [[nodiscard]] bool is_pending() override;
  void check_timeout(std::chrono::milliseconds limit) override;
  void evict() override;

  // ClientSession
  void welcome(const WelcomeRecord& welcome) override;
  void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) override;
  void reject_report(std::uint64_t batch, const std::string& why) override;
  void refuse(const std::string& why, bool final) override;
  void disconnect(const std::string& why) override;
  void send_end(const std::string& why) override;
  void close() override;
  void shut_down() override;
  void message_handled() override;
  Traffic take_traffic() override;

 private:
  // ServerBidiReactor
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  /// Posts the message to the host. Returns false if there is nothing more to read.
  bool receive();
  bool receive_hello(const v1::Hello& message);
  /// Returns why the client is not the one whose name it gives.
  [[nodiscard]] std::optional<std::string> identity_fault(const HelloRecord& hello) const;
  /// Closes the stream because the client violates the protocol. Returns false.
  bool violation(const std::string& why, bool final = true);
  /// Tells the host, once, that the client is disconnected.
  void notify_disconnected();

  void send(v1::ServerMessage message);
  void send_refusal(std::uint64_t batch, const std::string& why, bool final);
  void close_with(grpc::Status status);
  // The caller of these holds mutex_.
  void write_next();
  void close_locked(grpc::Status status);
  void finish_if_idle();

  grpc::CallbackServerContext* context_;
  const std::shared_ptr<const SessionContext> shared_;  ///< a session may outlive the server
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::shared_ptr<Session> self_;  ///< owns this until the stream is done

  // Only the reading side uses these:
  v1::ClientMessage incoming_;
  std::string name_, peer_;  ///< known after a Hello
  bool ready_ = false, disconnected_ = false;

  std::atomic<std::uint64_t> up_ = 0, down_ = 0;  ///< bytes received and sent
  std::mutex mutex_;                              // guards everything below
  bool welcomed_ = false;
  bool paused_ = false;        ///< nothing is read until the host has handled a message
  std::size_t unhandled_ = 0;  ///< messages that the host has not handled yet
  std::uint64_t messages_ = 0, assigned_ = 0;
  std::deque<v1::ServerMessage> waiting_;
  std::optional<v1::ServerMessage> assignment_;  ///< a newer one replaces one that was not sent
  v1::ServerMessage outgoing_;
  bool writing_ = false;
  std::optional<grpc::Status> final_status_;  ///< sent once everything is written
  std::chrono::steady_clock::time_point closing_since_{};
  bool finished_ = false;  ///< Finish() was called
  bool done_ = false;      ///< gRPC's context no longer exists
};

}  // namespace caucus::wire
