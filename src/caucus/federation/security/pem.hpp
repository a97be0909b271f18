// Certificates and private keys as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {

/// All certificates of the text, at least one; `where` is named in the error.
Result<std::vector<OwnedCertificate>> parse_certificates(std::string_view pem,
                                                         const std::string& where);
/// The one private key of the text, which has no passphrase.
Result<OwnedKey> parse_key(std::string_view pem, const std::string& where);

/// Whether the certificate is for this key.
bool belong_together(const X509& certificate, const EVP_PKEY& key);

Result<std::string> to_pem(const X509& certificate);
Result<std::string> to_pem(const EVP_PKEY& key);

}  // namespace caucus
