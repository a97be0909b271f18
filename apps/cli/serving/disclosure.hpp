// Says in one line what a server learns from the reports of a federation (docs/privacy.md).
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
