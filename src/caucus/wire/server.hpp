// The gRPC server of a federation: streams to a Host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "caucus/federation/host.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/result.hpp"

namespace caucus::wire {

/// Contents of PEM files.
struct ServerKeys {
  std::string certificate, key;
  std::string client_authority;  ///< clients must have a certificate of it; empty: they need none
};

struct ServerOptions {
  Address listen;
  std::optional<ServerKeys> keys;   ///< none: no TLS
  std::optional<TokenFile> tokens;  ///< none: clients need no token
  std::size_t largest_report = 0;   ///< bytes of a message; 0: computed from the plan
  std::size_t pending_streams = 0;  ///< streams without a Hello; 0: computed from the plan
  std::size_t memory = 0;           ///< bytes that gRPC may take; 0: computed from the plan
  std::chrono::milliseconds hello_within{5000};
  std::function<std::string(const HostStatus&)> status;  ///< as JSON, for the Status call
  Log log;
};

class Server {
 public:
  /// The host must outlive it.
  static Result<std::unique_ptr<Server>> start(Host& host, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;
  ~Server();

  /// Where it listens: with the port that the system chose.
  [[nodiscard]] const Address& address() const;
  /// Lets the streams end by themselves for so long, then ends them.
  void shut_down(std::chrono::milliseconds grace);

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus::wire
