// Parses and writes certificates and private keys as PEM text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "caucus/federation/security/openssl.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns all certificates of the text, at least one. Errors name `where`.
Result<std::vector<OwnedCertificate>> parse_certificates(std::string_view pem,
                                                         const std::string& where);
/// Returns the private key of the text, which must have no passphrase.
Result<OwnedKey> parse_key(std::string_view pem, const std::string& where);

/// Returns whether the certificate belongs to this key.
bool belong_together(const X509& certificate, const EVP_PKEY& key);

Result<std::string> to_pem(const X509& certificate);
Result<std::string> to_pem(const EVP_PKEY& key);

}  // namespace caucus
