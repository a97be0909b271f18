#include "caucus/federation/security/connection_security.hpp"

namespace caucus {

Status check_security(const Address& server, const TlsTexts& tls, bool insecure) {
  const std::string where = "server " + server.text();
  if (insecure && !(tls.ca.empty() && tls.cert.empty() && tls.key.empty())) {
    return usage_error(where, "certificates are of no use without TLS",
                       "expected either these or an insecure connection");
  }
  if (tls.cert.empty() != tls.key.empty()) {
    return usage_error(where, "a certificate without its key, or a key without its certificate",
                       "expected both");
  }
  if (tls.ca.empty() && !tls.cert.empty()) {
    return usage_error(where, "a certificate, but no authority to check the server's with",
                       "expected the authority's certificate too");
  }
  if (tls.ca.empty() && !insecure && !server.is_loopback()) {
    return usage_error(where, "is not on this machine",
                       "expected its authority's certificate, or an insecure connection, which "
                       "everybody on the way "
                       "can read and change");
  }
  return Done{};
}

}  // namespace caucus
