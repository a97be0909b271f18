// One stream of one client on the server: its messages to the host, and the host's answers back.
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

#include "caucus/federation/host.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/v1/federation.pb.h"
#include "caucus/wire/pending_stream.hpp"

namespace caucus::wire {

/// What all sessions share.
struct SessionContext {
  Host* host = nullptr;
  const TokenFile* tokens = nullptr;  ///< null: clients need no token
  bool certificates = false;          ///< clients have certificates with their names
  Log log;
  std::function<std::string(const HostStatus&)> status;  ///< as JSON
};

/// gRPC calls it from any of its threads. It owns itself until the stream is done. What the client
/// says is checked and posted to the host; the host answers from its own thread.
class Session final : public grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>,
                      public Line,
                      public PendingStream,
                      public std::enable_shared_from_this<Session> {
 public:
  Session(grpc::CallbackServerContext* context, std::shared_ptr<const SessionContext> shared);
  /// Reads the first message.
  void begin();

  // PendingStream
  [[nodiscard]] bool is_pending() override;
  void check_timeout(std::chrono::milliseconds limit) override;
  void evict() override;

  // Line
  void welcome(const WelcomeRecord& welcome) override;
  void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) override;
  void refuse(std::uint64_t batch, const std::string& why) override;
  void turn_away(const std::string& why, bool final) override;
  void cut(const std::string& why) override;
  void end(const std::string& why) override;
  void finish() override;
  void close() override;
  void message_handled() override;
  Traffic take_traffic() override;

 private:
  // ServerBidiReactor
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  /// Posts the message to the host. False if there is nothing more to read.
  bool receive();
  [[nodiscard]] bool too_many_messages();
  bool receive_hello(const v1::Hello& message);
  /// Why the client is not the one it says it is.
  [[nodiscard]] std::optional<std::string> identity_fault(const HelloRecord& hello) const;
  /// The client does not keep to the protocol.
  bool violation(const std::string& why);
  void leave();

  void send(v1::ServerMessage message);
  void send_refusal(const std::string& why, bool final);
  void finish_with(grpc::Status status);
  // The caller of these holds mutex_.
  void write_next();
  void write_outgoing();
  void finish_pending(grpc::Status status);
  void set_end(grpc::Status status);
  void finish_if_idle();

  grpc::CallbackServerContext* context_;
  const std::shared_ptr<const SessionContext> shared_;  ///< the host may keep a session for longer
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::shared_ptr<Session> self_;  ///< until the stream is done

  // Only the reading side uses these:
  v1::ClientMessage incoming_;
  std::string name_, peer_;  ///< after a Hello
  bool ready_ = false, left_ = false;

  std::atomic<std::uint64_t> up_ = 0, down_ = 0;  ///< bytes
  std::mutex mutex_;                              // guards everything below
  bool welcomed_ = false;
  bool paused_ = false;        ///< nothing is read until the host has handled a message
  std::size_t unhandled_ = 0;  ///< messages that the host has not handled yet
  std::uint64_t messages_ = 0, assigned_ = 0;
  std::deque<v1::ServerMessage> waiting_;
  std::optional<v1::ServerMessage> assignment_;  ///< a newer one replaces one that was not sent
  v1::ServerMessage outgoing_;
  bool writing_ = false;
  std::optional<grpc::Status> end_;  ///< how the stream ends once everything is written
  std::chrono::steady_clock::time_point ended_{};
  bool finished_ = false;
  bool done_ = false;  ///< gRPC's context no longer exists
};

}  // namespace caucus::wire
