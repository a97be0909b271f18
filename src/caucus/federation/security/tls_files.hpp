// The TLS files: a certificate with its key, and the authority that signs the peer's certificate.
#pragma once

#include <string>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// Paths, or the names of the flags or keys that give them; empty means not given.
struct TlsFiles {
  std::string cert = {};
  std::string key = {};
  std::string ca = {};

  [[nodiscard]] bool any() const { return !cert.empty() || !key.empty() || !ca.empty(); }
};

/// The contents: PEM text, empty if no file was given.
struct TlsTexts {
  std::string cert = {};
  std::string key = {};  ///< secret
  std::string ca = {};
};

/// Reads a file of PEM text of any kind; `where` is the flag or key that names it.
Result<std::string> read_pem(const std::string& path, const std::string& where);

/// Reads and checks the files: certificate and key must be given together and match, and all must
/// be valid. `where` has the flag or key of each file.
Result<TlsTexts> read_tls(const TlsFiles& files, const TlsFiles& where);

}  // namespace caucus
