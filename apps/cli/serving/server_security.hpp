// Who may come in and who can listen: what [server] says of TLS and tokens, read and checked.
#pragma once

#include <optional>

#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/result.hpp"
#include "caucus/wire/server.hpp"
#include "options/server_config.hpp"

namespace caucus::cli {

struct ServerSecurity {
  std::optional<wire::ServerKeys> keys;
  std::optional<TokenFile> tokens;
};

/// Beyond this machine, a server without TLS, or one that takes everybody's word for who they are,
/// is refused unless `insecure`.
Result<ServerSecurity> read_security(const ServerConfig& server, const Address& listen,
                                     bool insecure);

}  // namespace caucus::cli
