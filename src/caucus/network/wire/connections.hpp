// The connections of a server: as many as there may be are let in, and those are broken that carry
// more streams than they may. gRPC counts neither connections nor, unless the other side confirms
// that it has heard of the limit, streams.
#pragma once

#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "caucus/network/log.hpp"
#include "caucus/network/wire/listener.hpp"
#include "caucus/network/wire/stream_gate.hpp"

namespace caucus::wire {

struct ConnectionLimits {
  std::size_t connections = 0;
  std::size_t streams = 0;  ///< of each
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
  /// Nobody comes in any more. Before gRPC's server ends.
  void close();
  /// A stream has come; a connection with too many is broken.
  [[nodiscard]] Stream take_in(const grpc::ServerContextBase& context);
  /// Through which gRPC must let streams come.
  [[nodiscard]] const std::shared_ptr<StreamGate>& gate() const { return gate_; }

 private:
  void watch();
  /// False if the system allows no more.
  bool let_in(const Descriptor& socket);
  bool note(int socket);
  void forget(std::uint64_t id);                         ///< locked
  void make_room(std::size_t most);                      ///< locked
  void break_off(std::uint64_t id, const char* reason);  ///< locked

  const ConnectionLimits limits_;
  const Log log_;
  const std::shared_ptr<StreamGate> gate_;
  Listener listener_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server_;
  Descriptor events_, closing_;
  std::thread watch_;

  std::mutex mutex_;                                        // of all below
  std::map<std::uint64_t, std::shared_ptr<Entry>> all_;     ///< in the order of their coming
  std::unordered_map<std::string, std::uint64_t> by_peer_;  ///< the newest from there
  std::uint64_t next_ = 0;
};

}  // namespace caucus::wire
