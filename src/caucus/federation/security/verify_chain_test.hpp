// For tests: checks a certificate by OpenSSL's rules, as a peer does.
#pragma once

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <string>

#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {

/// The use for which a certificate is checked.
struct ShownFor {
  int purpose = X509_PURPOSE_ANY;  ///< X509_PURPOSE_SSL_SERVER or X509_PURPOSE_SSL_CLIENT
  std::int64_t now = 0;
  std::string host;  ///< not checked if empty
};

/// Returns X509_V_OK, or the reason why a peer that trusts this authority refuses the certificate.
inline int verify_chain(const std::string& certificate_pem, const std::string& authority_pem,
                        const ShownFor& shown) {
  const auto certificates = parse_certificates(certificate_pem, "certificate");
  const auto authorities = parse_certificates(authority_pem, "authority");
  if (!certificates.ok() || !authorities.ok()) return X509_V_ERR_UNSPECIFIED;
  const std::unique_ptr<X509_STORE, FreedBy<X509_STORE_free>> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), authorities->front().get());
  const std::unique_ptr<X509_STORE_CTX, FreedBy<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), certificates->front().get(), nullptr);
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_purpose(wanted, shown.purpose);
  X509_VERIFY_PARAM_set_time(wanted, static_cast<std::time_t>(shown.now));
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
  if (!shown.host.empty()) {
    if (address_bytes(shown.host)) {
      X509_VERIFY_PARAM_set1_ip_asc(wanted, shown.host.c_str());
    } else {
      X509_VERIFY_PARAM_set1_host(wanted, shown.host.c_str(), 0);
    }
  }
  const int verified = X509_verify_cert(context.get());
  ERR_clear_error();
  return verified == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context.get());
}

}  // namespace caucus
