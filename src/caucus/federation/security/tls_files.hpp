// The files of TLS: one's own certificate and key, and the authority that signs the other side's.
#pragma once

#include <string>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// Paths, or the flags or keys that have them; an empty one is not given.
struct TlsFiles {
  std::string cert = {};
  std::string key = {};
  std::string ca = {};

  [[nodiscard]] bool any() const { return !cert.empty() || !key.empty() || !ca.empty(); }
};

/// What is in them: PEM text, empty where no file was given.
struct TlsTexts {
  std::string cert = {};
  std::string key = {};  ///< secret
  std::string ca = {};
};

/// A file of PEM text, of any kind; `where` is the flag or key that names it.
Result<std::string> read_pem(const std::string& path, const std::string& where);

/// Reads the files given, and checks them: certificate and key come together and belong to each
/// other, and all of it is what it should be. `where` has the flag or key of each.
Result<TlsTexts> read_tls(const TlsFiles& files, const TlsFiles& where);

}  // namespace caucus
