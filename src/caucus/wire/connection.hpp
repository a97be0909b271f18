// A client's connection to its server: one stream for as long as it lasts, and another one when it
// is lost, until the server says that all is done or refuses the client, until nobody has answered
// for too long, or until stop().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "caucus/client.hpp"
#include "caucus/credentials.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus::wire {

struct ConnectionOptions {
  Address server;
  TlsTexts tls;       ///< without an authority: no TLS
  HelloRecord hello;  ///< its run is filled in after the first welcome
  std::chrono::milliseconds patience = std::chrono::minutes(5);  ///< without a server; 0: for ever
  std::chrono::milliseconds welcome_within = std::chrono::seconds(10);  ///< else it is tried again
};

/// Called from threads of their own, one at a time; none is after stop() has returned. They may
/// call the connection, but not stop it.
struct ConnectionEvents {
  std::function<void(const WelcomeRecord&)> on_welcome;  ///< of every stream
  std::function<void(AssignmentRecord)> on_assignment;
  std::function<void(std::uint64_t batch, const std::string& why)> on_refusal;  ///< of a report
  std::function<void(ConnectionState, const std::string& why)> on_state;
  /// The server has all. It hears that the client knows it when this has returned.
  std::function<void()> on_over;
  /// Once, unless stop() comes first: all is done, or why it cannot be.
  std::function<void(const Status&)> on_end;
};

class Connection {
 public:
  Connection(ConnectionOptions options, ConnectionEvents events);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  ~Connection();  ///< stops

  /// Returns at once; only then do events come.
  void start();

  /// The client has its data: is said now if there is a welcome, and after every further one.
  void ready(const ReadyRecord& ready);
  /// Goes nowhere while there is no stream: the server will ask for it again. A newer one takes the
  /// place of an older one that has not been sent.
  void report(const ReportRecord& report);
  /// Ends it for this reason, which on_end is told.
  void give_up(Error error);
  /// Leaves the server; what was given to be sent is sent if that takes no longer than a moment.
  void stop();

  [[nodiscard]] std::uint64_t bytes_up() const;  ///< as they travelled
  [[nodiscard]] std::uint64_t bytes_down() const;
  [[nodiscard]] std::uint64_t streams() const;  ///< on which it was welcomed
  [[nodiscard]] bool out_of_patience() const;   ///< why it ended

 private:
  class Keeper;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace caucus::wire
