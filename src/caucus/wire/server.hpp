// The gRPC server of a federation, which connects streams to a Host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "caucus/federation/hosting/host.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/result.hpp"

namespace grpc {
class Server;
class Service;
}  // namespace grpc

namespace caucus::wire {

/// The contents of PEM files.
struct ServerKeys {
  std::string certificate, key;
  std::string client_authority;  ///< signs clients' certificates; if empty, they need none
};

struct ServerOptions {
  Address listen;
  std::optional<ServerKeys> keys;   ///< absent: no TLS
  std::optional<TokenFile> tokens;  ///< absent: clients need no token
  std::size_t largest_report = 0;   ///< bytes of a message; 0: computed from the plan
  std::size_t pending_streams = 0;  ///< streams without a Hello; 0: computed from the plan
  std::chrono::milliseconds hello_within{5000};
  std::function<std::string(const HostStatus&)> status;  ///< returns the JSON for the Status call
  Log log;
};

class Server {
 public:
  /// The host must outlive the server.
  static Result<std::unique_ptr<Server>> start(Host& host, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;
  ~Server();

  /// Returns where it listens, with the port that the system chose.
  [[nodiscard]] const Address& address() const { return address_; }
  /// Gives the streams this long to end by themselves, then ends them.
  void shut_down(std::chrono::milliseconds grace);

 private:
  Server();

  Address address_;
  std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace caucus::wire
