#include "caucus/credentials.hpp"

#include "caucus/data/files/text_file.hpp"
#include "caucus/federation/security/file_mode.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {
namespace {

constexpr std::size_t kMostBytes = 4U << 20;  // four times a system's list of authorities

/// Names the file together with its flag or key.
std::string place(const std::string& where, const std::string& path) { return where + " " + path; }

Result<std::string> read_pem(const std::string& path, const std::string& where) {
  auto text = read_text(path, ErrorKind::usage, kMostBytes);
  if (!text.ok()) {
    return usage_error(place(where, path), text.error().what, text.error().expected);
  }
  if (text->find("-----BEGIN ") == std::string::npos) {
    return usage_error(place(where, path), "is not PEM text",
                       "expected a line that starts with -----BEGIN");
  }
  return text;
}

}  // namespace

Result<TlsTexts> read_tls(const TlsFiles& files, const TlsFiles& names) {
  if (files.cert.empty() != files.key.empty()) {
    return usage_error(files.cert.empty() ? names.key : names.cert,
                       "is there without " + (files.cert.empty() ? names.cert : names.key),
                       "expected both or neither");
  }
  TlsTexts texts;
  if (!files.ca.empty()) {
    CAUCUS_TRY(texts.ca, read_pem(files.ca, names.ca));
    CAUCUS_TRY([[maybe_unused]] const auto authorities,
               parse_certificates(texts.ca, place(names.ca, files.ca)));
  }
  if (files.cert.empty()) return texts;
  CAUCUS_TRY(texts.cert, read_pem(files.cert, names.cert));
  CAUCUS_TRY(texts.key, read_pem(files.key, names.key));
  CAUCUS_TRY(const auto chain, parse_certificates(texts.cert, place(names.cert, files.cert)));
  const bool expired = X509_cmp_current_time(X509_get0_notAfter(chain.front().get())) < 0;
  const bool early = X509_cmp_current_time(X509_get0_notBefore(chain.front().get())) > 0;
  if (expired || early) {  // the TLS handshake would fail without this reason
    return usage_error(place(names.cert, files.cert), expired ? "has expired" : "is not valid yet",
                       "expected a valid certificate");
  }
  CAUCUS_TRY(const OwnedKey key, parse_key(texts.key, place(names.key, files.key)));
  if (!belong_together(*chain.front(), *key)) {
    return usage_error(place(names.key, files.key), "does not belong to " + files.cert,
                       "expected the key of this certificate");
  }
  if (others_can_read(files.key)) {
    texts.warning = place(names.key, files.key) + ": others can read it; it should have mode 0600";
  }
  return texts;
}

}  // namespace caucus
