// --token FILE.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "caucus/federation/security/tokens.hpp"

namespace caucus::cli {

/// Warns on standard error of a file that others can read.
inline Result<std::string> read_token_and_warn(const std::string& path) {
  CAUCUS_TRY(ClientToken token, read_token(path, "--token"));
  if (!token.warning.empty()) std::fprintf(stderr, "caucus: %s\n", token.warning.c_str());
  return std::move(token.text);
}

}  // namespace caucus::cli
