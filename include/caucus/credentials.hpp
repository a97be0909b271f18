// The credentials of a client: TLS files and a token.
#pragma once

#include <string>

#include "caucus/result.hpp"

namespace caucus {

/// Paths of PEM files; empty means not given.
struct TlsFiles {
  std::string cert = {};
  std::string key = {};
  std::string ca = {};

  [[nodiscard]] bool any() const { return !cert.empty() || !key.empty() || !ca.empty(); }
};

/// The contents of PEM files: the client's certificate and key, and the authority that signs the
/// server's certificate. A text is empty if no file was given.
struct TlsTexts {
  std::string cert = {};
  std::string key = {};  ///< secret
  std::string ca = {};
  std::string warning = {};  ///< one line if other users can read the key file, otherwise empty
};

/// Reads the files and checks that certificate and key are given together and match. Errors use the
/// names in `names`, for example those of the settings.
Result<TlsTexts> read_tls(const TlsFiles& files,
                          const TlsFiles& names = {"certificate", "key", "authority"});

/// The content of a client's token file.
struct ClientToken {
  std::string text;
  std::string warning;  ///< one line if other users can read the file, otherwise empty
};

/// Reads the first line of the file without surrounding blanks. Errors do not show its content.
Result<ClientToken> read_token(const std::string& path, const std::string& name = "token");

}  // namespace caucus
