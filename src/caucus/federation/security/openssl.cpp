#include "caucus/federation/security/openssl.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <limits>

namespace caucus {
namespace {

// Without a callback OpenSSL would ask at the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

/// Reads from the text without copying it.
OwnedBio reader_of(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return nullptr;
  return OwnedBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO& bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(&bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Error openssl_error(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  Error error{ErrorKind::internal, "OpenSSL",
              what + (reason == nullptr ? "" : " (" + std::string(reason) + ")"), ""};
  ERR_clear_error();
  return error;
}

Result<std::vector<OwnedCertificate>> parse_certificates(std::string_view pem,
                                                         const std::string& where) {
  const OwnedBio bio = reader_of(pem);
  if (!bio) return openssl_error("no room to read a certificate");
  std::vector<OwnedCertificate> certificates;
  ERR_clear_error();
  while (auto* each = PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)) {
    certificates.emplace_back(each);
  }
  // OpenSSL reports the end of the text as this error; any other error means a broken certificate.
  const auto code = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates.empty() || !at_end) {
    return usage_error(where, at_end ? "has no certificate" : "has a broken certificate",
                       "expected PEM text, -----BEGIN CERTIFICATE-----");
  }
  return certificates;
}

Result<OwnedKey> parse_key(std::string_view pem, const std::string& where) {
  const OwnedBio bio = reader_of(pem);
  if (!bio) return openssl_error("no room to read a key");
  OwnedKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  if (key) return key;
  const bool encrypted = pem.find("ENCRYPTED") != std::string_view::npos;
  return usage_error(where, encrypted ? "has a key under a passphrase" : "has no private key",
                     "expected PEM text without a passphrase, -----BEGIN PRIVATE KEY-----");
}

bool belong_together(const X509& certificate, const EVP_PKEY& key) {
  const bool same = X509_check_private_key(&certificate, &key) == 1;
  ERR_clear_error();
  return same;
}

Result<std::string> to_pem(const X509& certificate) {
  const OwnedBio bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), &certificate) != 1) {
    return openssl_error("a certificate cannot be written");
  }
  return text_of(*bio);
}

Result<std::string> to_pem(const EVP_PKEY& key) {
  const OwnedBio bio(BIO_new(BIO_s_secmem()));  // wiped when it is freed
  if (!bio ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_error("a key cannot be written");
  }
  return text_of(*bio);
}

}  // namespace caucus
