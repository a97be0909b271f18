// A client's connection to its server. It opens another stream whenever one breaks, until the
// server says that the client has finished, refuses the client or does not answer for too long, or
// until stop().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "caucus/client.hpp"
#include "caucus/credentials.hpp"
#include "caucus/engine/participant/records.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"
#include "caucus/wire/backoff.hpp"
#include "caucus/wire/client_stream.hpp"

namespace caucus::wire {

struct ConnectionOptions {
  Address server;
  TlsTexts tls;       ///< there is no TLS without an authority
  HelloRecord hello;  ///< its run is filled in after the first welcome
  std::chrono::milliseconds patience = std::chrono::minutes(5);  ///< time to retry; 0: no limit
};

/// These are called from other threads, one at a time, and not after stop() has returned. They may
/// call the connection, but not stop it.
struct ConnectionEvents {
  // If one of these two returns an error, the connection ends.
  std::function<Status(const WelcomeRecord&)> on_welcome;  ///< called on every stream
  std::function<Status(AssignmentRecord)> on_assignment;
  /// Called when a report was rejected.
  std::function<void(std::uint64_t batch, const std::string& why)> on_rejected;
  std::function<void(ConnectionState, const std::string& why)> on_state;
  /// Called when the server has all examples of this client, before that is acknowledged.
  std::function<void()> on_finished;
  /// Called once, unless stop() comes first: success, or the reason why the connection ended.
  std::function<void(const Status&)> on_end;
};

class Connection {
 public:
  Connection(ConnectionOptions options, ConnectionEvents events);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  ~Connection();  ///< calls stop()

  /// Connects in the background and returns at once. Events come only after this call.
  void start();

  /// Sends a Ready now, if there is a stream, and after every later welcome.
  void ready(const ReadyRecord& ready);
  /// Sends a report, or drops it while there is no stream: the server will ask for it again. It
  /// replaces an older report that has not been sent.
  void report(const ReportRecord& report);
  /// Disconnects, after at most a second for messages that have not been sent.
  void stop();

  [[nodiscard]] std::uint64_t bytes_up() const { return bytes_up_; }  ///< on the wire
  [[nodiscard]] std::uint64_t bytes_down() const { return bytes_down_; }
  [[nodiscard]] std::uint64_t streams() const { return streams_; }  ///< that were welcomed
  [[nodiscard]] bool out_of_patience() const { return out_of_patience_; }

 private:
  using Clock = std::chrono::steady_clock;

  // These run on the connection's own thread, which makes one stream after another. It waits while
  // there is a stream, so events come one at a time.
  void run();
  /// Opens a stream and returns when it has ended.
  grpc::Status run_stream();
  void acknowledge_end(ClientStream& stream, std::unique_lock<std::mutex>& lock);
  void close_stream(ClientStream& stream, std::unique_lock<std::mutex>& lock);
  void wait_before_retry(std::unique_lock<std::mutex>& lock);
  /// Returns `time`, but no later than the patience or the time to acknowledge the End allows.
  [[nodiscard]] Clock::time_point capped(Clock::time_point time) const;
  [[nodiscard]] Error failure(const std::string& what, const std::string& expected = {}) const;
  void finish(std::unique_lock<std::mutex>& lock);
  /// Calls on_state if the state has changed.
  void set_state(ConnectionState state, const std::string& why);

  // These run on gRPC's threads.
  void receive(const v1::ServerMessage& message);
  void welcome(const v1::Welcome& message);
  void receive(const v1::Refusal& refusal);
  void end_with(const std::string& why);
  /// Ends the connection with an error.
  void check(const Status& status);

  // These run on any thread.
  void send_ready();
  /// Returns the stream, or null if reports cannot be sent now.
  std::shared_ptr<ClientStream> open_stream();
  [[nodiscard]] bool is_ending() const { return stopping_ || result_; }

  ConnectionOptions options_;  ///< `hello` changes under the lock, between streams or in welcome()
  const ConnectionEvents events_;
  Backoff backoff_;
  std::shared_ptr<grpc::Channel> channel_;
  Clock::time_point disconnected_since_;
  std::optional<ConnectionState> state_;
  std::atomic<std::uint64_t> bytes_up_{0}, bytes_down_{0}, streams_{0};
  std::atomic<bool> out_of_patience_ = false;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool stopping_ = false;
  std::optional<Status> result_;  ///< how the connection ended
  std::optional<ReadyRecord> ready_;
  std::shared_ptr<ClientStream> stream_;
  bool welcomed_ = false, ready_sent_ = false, end_received_ = false;  ///< on this stream
  std::optional<Clock::time_point> acknowledge_until_;  ///< set when the End first arrives
  std::optional<grpc::Status> stream_status_;           ///< set when the stream has ended
  std::string why_;                                     ///< the reason why the stream ended

  std::mutex stop_mutex_;
  std::thread thread_;
};

}  // namespace caucus::wire
