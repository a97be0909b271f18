// One stream of one client, on the server: messages to the host, and the host's answers back.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "caucus/federation/host.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/v1/federation.pb.h"
#include "caucus/wire/connections.hpp"
#include "caucus/wire/visitor.hpp"

namespace caucus::wire {

/// What sessions share.
struct Doorway {
  Host* host = nullptr;
  const TokenFile* tokens = nullptr;  ///< null: none are asked for
  bool certificates = false;          ///< clients have them, with their names
  Log log;
};

/// gRPC calls it from any of its threads. It keeps itself alive until the stream is done.
class Session final : public grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>,
                      public Line,
                      public Visitor,
                      public std::enable_shared_from_this<Session> {
 public:
  Session(grpc::CallbackServerContext* context, Connections::Stream stream, const Doorway& doorway);
  /// Reads the first message.
  void begin();

  // Visitor
  [[nodiscard]] bool is_known() override;
  void hurry(std::chrono::milliseconds limit) override;
  void turn_out() override;

  // Line
  void welcome(const WelcomeRecord& welcome) override;
  void assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) override;
  void refuse(std::uint64_t batch, const std::string& why) override;
  void cut(const std::string& why) override;
  void end(const std::string& why) override;
  void close() override;
  Traffic take_traffic() override;

 private:
  // ServerBidiReactor
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  /// False if the stream is to end.
  bool receive();
  [[nodiscard]] bool may_rest() const;  ///< locked
  void read_on();                       ///< locked; if it rests
  [[nodiscard]] bool says_too_much();
  bool greet(const v1::Hello& message);
  [[nodiscard]] std::optional<std::string> impostor(const HelloRecord& hello) const;
  void turn_away(const std::string& why, bool final);
  void leave();

  void send(v1::ServerMessage message);
  void write_next();      ///< locked
  void write_outgoing();  ///< locked
  void finish(grpc::Status status);
  void finish_stranger(grpc::Status status);  ///< locked
  void set_end(grpc::Status status);          ///< locked
  void finish_if_idle();                      ///< locked

  grpc::CallbackServerContext* context_;
  Connections::Stream stream_;  ///< until the stream is done
  const Doorway* doorway_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::shared_ptr<Session> self_;  ///< until the stream is done

  // Of the reading side alone:
  v1::ClientMessage incoming_;
  std::optional<std::uint32_t> client_;
  bool ready_ = false;

  std::atomic<std::uint64_t> up_ = 0, down_ = 0;  ///< bytes
  std::mutex mutex_;                              // of all below
  bool greeted_ = false;                          ///< it is a client
  bool spoken_ = false;                           ///< something was written since the last message
  bool resting_ = false;     ///< no message is read until something is written, or hurry()
  std::uint64_t asked_ = 0;  ///< the batch that it was assigned models of last
  std::chrono::steady_clock::time_point asked_at_{};
  bool brisk_ = false;  ///< that was soon after the time before
  std::uint64_t messages_ = 0, assigned_ = 0;
  std::deque<v1::ServerMessage> waiting_;
  std::optional<v1::ServerMessage> assignment_;  ///< the newest takes the place of older ones
  v1::ServerMessage outgoing_;
  bool writing_ = false;
  std::optional<grpc::Status> end_;  ///< how it is to end, once all is written
  std::chrono::steady_clock::time_point ended_{};
  bool finished_ = false;
  bool done_ = false;  ///< nothing of gRPC's is there any more
};

}  // namespace caucus::wire
