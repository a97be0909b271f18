// Checks that a client may connect: TLS is required except on loopback.
#pragma once

#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Except on loopback a certificate of the server's authority is required, unless `insecure` allows
/// others to read and change the traffic. Errors name the two options as the caller does.
Status check_security(const Address& server, const TlsTexts& tls, bool insecure,
                      const std::string& ca_name = "tls.ca",
                      const std::string& insecure_name = "insecure");

}  // namespace caucus
