#include "caucus/federation/security/certificates.hpp"

#include <openssl/x509v3.h>

#include <ctime>
#include <utility>

#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;
constexpr int kSerialBits = 159;  // the largest positive number in 20 bytes
constexpr long kVersion3 = 2;     // counted from 0

// These names contain blanks, so that no client can have them.
constexpr const char* kAuthorityName = "caucus test authority";
constexpr const char* kServerName = "caucus server";

struct Extension {
  int kind;
  std::string value;
};

/// The parts in which certificates differ.
struct Request {
  std::string common_name;
  std::vector<Extension> extensions;
  Validity validity;
};

Status set_serial(X509& certificate) {
  const OwnedNumber number(BN_new());
  if (!number || BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1 ||
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)) == nullptr) {
    return openssl_error("no serial number");
  }
  return Done{};
}

Status set_validity(X509& certificate, const X509* authority, const Validity& validity) {
  const auto from = static_cast<std::time_t>(validity.from);
  const auto to = static_cast<std::time_t>(validity.to);
  if (ASN1_TIME_set(X509_getm_notBefore(&certificate), from) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(&certificate), to) == nullptr) {
    return openssl_error("no such date");
  }
  if (authority == nullptr) return Done{};
  const ASN1_TIME* end = X509_get0_notAfter(authority);
  if (ASN1_TIME_compare(end, X509_get0_notBefore(&certificate)) < 0) {
    return usage_error("the authority", "has expired", "expected one that is still valid");
  }
  if (ASN1_TIME_compare(end, X509_get0_notAfter(&certificate)) < 0 &&
      X509_set1_notAfter(&certificate, end) != 1) {
    return openssl_error("no such date");
  }
  return Done{};
}

Status set_names(X509& certificate, const X509* authority, const std::string& common_name) {
  X509_NAME* subject = X509_get_subject_name(&certificate);
  const auto* bytes = reinterpret_cast<const unsigned char*>(common_name.data());
  if (X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, bytes,
                                 static_cast<int>(common_name.size()), -1, 0) != 1 ||
      X509_set_issuer_name(
          &certificate, authority == nullptr ? subject : X509_get_subject_name(authority)) != 1) {
    return openssl_error("no name for a certificate");
  }
  return Done{};
}

Status add_extension(X509& certificate, X509* authority, const Extension& extension) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, authority == nullptr ? &certificate : authority, &certificate, nullptr,
                 nullptr, 0);
  const OwnedExtension made(
      X509V3_EXT_conf_nid(nullptr, &context, extension.kind, extension.value.c_str()));
  if (!made || X509_add_ext(&certificate, made.get(), -1) != 1) {
    return openssl_error(std::string("no extension ") + OBJ_nid2sn(extension.kind));
  }
  return Done{};
}

/// Creates a key and a certificate for it, signed by the authority. Without one it signs itself.
Result<Identity> certify(const Request& request, X509* authority, EVP_PKEY* authority_key) {
  const OwnedKey key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("no new key");
  const OwnedCertificate certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), kVersion3) != 1 ||
      X509_set_pubkey(certificate.get(), key.get()) != 1) {
    return openssl_error("no new certificate");
  }
  CAUCUS_CHECK(set_serial(*certificate));
  CAUCUS_CHECK(set_validity(*certificate, authority, request.validity));
  CAUCUS_CHECK(set_names(*certificate, authority, request.common_name));
  for (const Extension& extension : request.extensions) {
    CAUCUS_CHECK(add_extension(*certificate, authority, extension));
  }
  EVP_PKEY* const signing = authority == nullptr ? key.get() : authority_key;
  if (X509_sign(certificate.get(), signing, EVP_sha256()) <= 0) {
    return openssl_error("no signature");
  }
  CAUCUS_TRY(std::string certificate_text, to_pem(*certificate));
  CAUCUS_TRY(std::string key_text, to_pem(*key));
  return Identity{std::move(certificate_text), std::move(key_text)};
}

Result<Identity> certify_by(const Identity& authority, const Request& request) {
  CAUCUS_TRY(const auto certificates,
             parse_certificates(authority.certificate, "the authority's certificate"));
  CAUCUS_TRY(const OwnedKey key, parse_key(authority.key, "the authority's key"));
  X509* const certificate = certificates.front().get();
  if (!belong_together(*certificate, *key)) {
    return usage_error("the authority's key", "does not belong to its certificate",
                       "expected the two that were made together");
  }
  if (X509_check_ca(certificate) != 1) {
    return usage_error("the authority's certificate", "is not that of an authority",
                       "expected one that may sign others");
  }
  return certify(request, certificate, key.get());
}

/// The names have been checked, so none contains a comma.
std::vector<Extension> leaf_extensions(const char* usage, std::string names) {
  return {{NID_basic_constraints, "critical,CA:FALSE"},
          {NID_key_usage, "critical,digitalSignature"},
          {NID_ext_key_usage, usage},
          {NID_subject_key_identifier, "hash"},
          {NID_authority_key_identifier, "keyid:always"},
          {NID_subject_alt_name, std::move(names)}};
}

}  // namespace

Validity Validity::days_from(std::int64_t now, std::int64_t days) {
  return {now - kHour, now + days * kDay};
}

Result<Identity> make_authority(const Validity& validity) {
  return certify({kAuthorityName,
                  {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                   {NID_key_usage, "critical,keyCertSign,cRLSign"},
                   {NID_subject_key_identifier, "hash"},
                   {NID_authority_key_identifier, "keyid:always"}},
                  validity},
                 nullptr, nullptr);
}

Result<Identity> make_server_identity(const Identity& authority,
                                      const std::vector<std::string>& hosts,
                                      const Validity& validity) {
  if (hosts.empty()) return usage_error("the server", "has no host", "expected at least one");
  std::string names;
  for (const std::string& host : hosts) {
    CAUCUS_CHECK(check_host(host, "the server's host"));
    names += (names.empty() ? "" : ",") + std::string(address_bytes(host) ? "IP:" : "DNS:") + host;
  }
  return certify_by(authority, {kServerName, leaf_extensions("serverAuth", names), validity});
}

Result<Identity> make_client_identity(const Identity& authority, const std::string& client,
                                      const Validity& validity) {
  CAUCUS_CHECK(check_client_name(client, "the client"));
  return certify_by(authority, {client, leaf_extensions("clientAuth", "DNS:" + client), validity});
}

}  // namespace caucus
