// What a client shows to its server and checks of it: the files of TLS, and a token.
#pragma once

#include <string>

#include "caucus/result.hpp"

namespace caucus {

/// Paths of PEM files; an empty one is not given.
struct TlsFiles {
  std::string cert = {};
  std::string key = {};
  std::string ca = {};

  [[nodiscard]] bool any() const { return !cert.empty() || !key.empty() || !ca.empty(); }
};

/// The PEM texts themselves: one's own certificate and key, and the authority that signs the other
/// side's certificate. A text is empty where no file was given.
struct TlsTexts {
  std::string cert = {};
  std::string key = {};  ///< secret
  std::string ca = {};
  std::string warning = {};  ///< empty, or one line: others can read the key file
};

/// Reads the files and checks them: certificate and key come together and belong to each other.
/// Errors name a file as `names` does, for example by the setting that has it.
Result<TlsTexts> read_tls(const TlsFiles& files,
                          const TlsFiles& names = {"certificate", "key", "authority"});

/// What a client has in its token file.
struct ClientToken {
  std::string text;
  std::string warning;  ///< empty, or one line: others can read the file
};

/// The first line of the file, without the blanks around it. No error shows any of its content.
Result<ClientToken> read_token(const std::string& path, const std::string& name = "token");

}  // namespace caucus
