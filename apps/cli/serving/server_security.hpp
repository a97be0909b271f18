// The TLS and token files of [server], read and checked.
#pragma once

#include <optional>
#include <string>

#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/result.hpp"
#include "caucus/wire/server.hpp"
#include "options/server_config.hpp"

namespace caucus::cli {

struct ServerSecurity {
  std::optional<wire::ServerKeys> keys;
  std::optional<TokenFile> tokens;
  std::string warning;  ///< empty, or one line: others can read the key
};

/// TLS and a way to identify clients are required except on loopback, or with `insecure`.
Result<ServerSecurity> read_security(const ServerConfig& server, const Address& listen,
                                     bool insecure);

}  // namespace caucus::cli
