// For tests: certificates of an authority that is made for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/certificates.hpp"
#include "caucus/wire/server.hpp"

namespace caucus::wire {

inline std::int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}
inline Validity valid() { return Validity::days_from(unix_time(), 5); }
inline Validity expired() { return {unix_time() - 7200, unix_time() - 60}; }

inline Identity authority() { return make_authority(Validity::days_from(unix_time(), 10)).value(); }

/// Returns options of a server with this host name, which requires client certificates of the same
/// authority.
inline ServerOptions server_options(const Identity& signer, const std::string& host,
                                    const Validity& validity = valid()) {
  const auto identity = make_server_identity(signer, {host}, validity).value();
  ServerOptions options;
  options.keys = ServerKeys{identity.certificate, identity.key, signer.certificate};
  return options;
}

inline TlsTexts keys_of(const Identity& signer, const std::string& client,
                        const Validity& validity = valid()) {
  const auto identity = make_client_identity(signer, client, validity).value();
  return {identity.certificate, identity.key, signer.certificate};
}

}  // namespace caucus::wire
