// Owners of OpenSSL's objects, and conversion of its failures to errors.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

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
using OwnedName = std::unique_ptr<GENERAL_NAME, FreedBy<GENERAL_NAME_free>>;
using OwnedNames = std::unique_ptr<GENERAL_NAMES, FreedBy<GENERAL_NAMES_free>>;

/// Returns an error with `what` and OpenSSL's reason for its last failure, and clears OpenSSL's
/// list of errors.
Error openssl_error(const std::string& what);

}  // namespace caucus
