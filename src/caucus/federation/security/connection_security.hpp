// Checks that a client may connect: TLS is required except on loopback.
#pragma once

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Except on loopback a certificate of the server's authority is required, unless `insecure` allows
/// others to read and change the traffic.
Status check_security(const Address& server, const TlsTexts& tls, bool insecure);

}  // namespace caucus
