// Asks a server how it stands.
#pragma once

#include <chrono>
#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus::wire {

struct StatusQuestion {
  Address server;
  TlsTexts keys;              ///< all empty: no TLS
  std::string client, token;  ///< of whoever asks, where the server wants to know
  std::chrono::milliseconds within{5000};
};

/// As the server gives it: JSON.
Result<std::string> ask_status(const StatusQuestion& question);

}  // namespace caucus::wire
