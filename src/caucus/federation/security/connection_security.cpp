#include "caucus/federation/security/connection_security.hpp"

namespace caucus {

Status check_security(const Address& server, const TlsTexts& tls, bool insecure,
                      const std::string& ca_name, const std::string& insecure_name) {
  const std::string where = "server " + server.text();
  if (insecure && !(tls.ca.empty() && tls.cert.empty() && tls.key.empty())) {
    return usage_error(where, "certificates are of no use without TLS",
                       "expected either these or " + insecure_name);
  }
  if (tls.cert.empty() != tls.key.empty()) {
    return usage_error(where, "a certificate without its key, or a key without its certificate",
                       "expected both");
  }
  if (tls.ca.empty() && !tls.cert.empty()) {
    return usage_error(where, "a certificate, but no authority to check the server's with",
                       "expected " + ca_name + " too");
  }
  if (tls.ca.empty() && !insecure && !server.is_loopback()) {
    return usage_error(where, "is not on this machine",
                       "expected its authority's certificate (" + ca_name + "), or " +
                           insecure_name +
                           " for a connection that everybody on the way can read and change");
  }
  return Done{};
}

}  // namespace caucus
