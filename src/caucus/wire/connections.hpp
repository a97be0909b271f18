// The connections of a server: as many as there may be are let in, and those are broken that carry
// more streams than they may. gRPC counts neither connections nor, unless the other side confirms
// that it has heard of the limit, streams.
#pragma once

#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>

#include "caucus/log.hpp"
#include "caucus/wire/listener.hpp"
#include "caucus/wire/stream_gate.hpp"

namespace caucus::wire {

struct ConnectionLimits {
  std::size_t connections = 0;
  std::size_t streams = 0;            ///< of each
  std::uint64_t strangers_bytes = 0;  ///< of each that has carried no client's stream yet
};

/// Safe to use from any thread.
class Connections {
  struct Entry;

 public:
  /// A stream of a connection, from its coming until gRPC has done with it.
  class Stream {
   public:
    Stream() = default;
    explicit Stream(std::shared_ptr<Entry> connection);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream() { end(); }

    [[nodiscard]] bool has_connection() const { return connection_ != nullptr; }
    /// As long as it lasts, its connection does not give way to others.
    void is_of_client();
    void end();

   private:
    std::shared_ptr<Entry> connection_;  ///< null if that is gone
    bool of_client_ = false;
  };

  Connections(Listener listener, const ConnectionLimits& limits, Log log);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  Connections(Connections&&) = delete;
  Connections& operator=(Connections&&) = delete;
  ~Connections();

  [[nodiscard]] const Address& address() const { return listener_.address; }
  /// Gives what comes to gRPC, whose server has started.
  Status open(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server);
  /// Nobody comes in any more, strangers are broken at once, and the others some time after this.
  /// Before gRPC's server ends, which would read to the end what they have sent.
  void close(std::chrono::milliseconds grace);
  /// A stream has come; a connection with too many is broken, and what comes of none is cancelled.
  [[nodiscard]] Stream take_in(const grpc::ServerContextBase& context);
  /// Through which gRPC must let streams come.
  [[nodiscard]] const std::shared_ptr<StreamGate>& gate() const { return gate_; }

 private:
  [[nodiscard]] Stream stream_from(const std::string& place);
  void watch();
  [[nodiscard]] bool is_full();
  /// False if the system allows no more.
  bool let_in(const Descriptor& listener);
  bool note(int socket);
  void log_broken(const std::string& place, const char* reason) const;

  // Locked, all of these:
  void listen(bool on);
  void stop_listening();
  void break_those_to_go();
  void make_room();
  [[nodiscard]] bool is_anybody_leaving() const;
  [[nodiscard]] const Entry* to_give_way() const;
  [[nodiscard]] int patience() const;
  void break_off(std::uint64_t id, const char* reason);
  void leave(std::uint64_t id);

  const ConnectionLimits limits_;
  const Log log_;
  const std::shared_ptr<StreamGate> gate_;
  Listener listener_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server_;
  Descriptor events_, bell_;
  std::thread watch_;

  std::mutex mutex_;  // of all below, and of the listener
  std::condition_variable closed_;
  std::map<std::uint64_t, std::shared_ptr<Entry>> all_;  ///< in the order of their coming
  std::unordered_map<std::string, std::uint64_t> by_peer_;
  std::uint64_t next_ = 0;
  std::optional<std::chrono::steady_clock::time_point> end_;  ///< when the last ones are broken
  bool paused_ = false;  ///< nobody is let in until somebody has gone
  bool over_ = false;
};

}  // namespace caucus::wire
