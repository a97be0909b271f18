// OpenSSL: owners of its objects, its failures as errors, random bytes, and certificates and
// private keys as PEM text.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

template <auto function>
struct FreedBy {
  template <class T>
  void operator()(T* object) const {
    function(object);
  }
};

using OwnedBio = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using OwnedNumber = std::unique_ptr<BIGNUM, FreedBy<BN_free>>;
using OwnedKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using OwnedCertificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using OwnedExtension = std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>>;

/// Returns an error with `what` and OpenSSL's reason for its last failure, and clears OpenSSL's
/// list of errors.
Error openssl_error(const std::string& what);

/// Returns unpredictable bytes for names and secrets. Learning never depends on them.
template <std::size_t count>
Result<std::array<unsigned char, count>> random_bytes() {
  std::array<unsigned char, count> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(count)) != 1) {
    return openssl_error("no random numbers");
  }
  return bytes;
}

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
