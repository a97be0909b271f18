// Asks a server for its status.
#pragma once

#include <chrono>
#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus::wire {

struct StatusQuestion {
  Address server;
  TlsTexts keys;              ///< if all are empty, there is no TLS
  std::string client, token;  ///< needed if the server requires tokens
  std::chrono::milliseconds within{5000};
};

/// Returns the JSON that the server sends.
Result<std::string> ask_status(const StatusQuestion& question);

}  // namespace caucus::wire
