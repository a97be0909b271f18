// What the reports of a federation tell its server, in one line (docs/privacy.md).
#pragma once

#include <string>

#include "caucus/federation/federation_settings.hpp"

namespace caucus::cli {

struct Disclosure {
  std::string text;
  bool rows = false;  ///< whether the server can compute rows of the clients
};

Disclosure disclosure_of(const FederationSettings& settings);

}  // namespace caucus::cli
