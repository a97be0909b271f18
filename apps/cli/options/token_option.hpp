// The files behind --token, --cert, --key and --ca.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "caucus/credentials.hpp"

namespace caucus::cli {

inline void warn(const std::string& warning) {
  if (!warning.empty()) std::fprintf(stderr, "caucus: %s\n", warning.c_str());
}

/// Warns if others can read the file.
inline Result<std::string> read_token_and_warn(const std::string& path) {
  CAUCUS_TRY(ClientToken token, read_token(path, "--token"));
  warn(token.warning);
  return std::move(token.text);
}

/// Warns if others can read the key.
inline Result<TlsTexts> read_tls_and_warn(const TlsFiles& files) {
  CAUCUS_TRY(TlsTexts texts, read_tls(files, {"--cert", "--key", "--ca"}));
  warn(texts.warning);
  return texts;
}

}  // namespace caucus::cli
