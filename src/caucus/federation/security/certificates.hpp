// An authority for tests and small federations, and what it signs: one certificate for the server,
// one for each client. P-256 keys, SHA-256 signatures, version 3 with the extensions that tell a
// server from a client.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// A certificate and its private key, as PEM text.
struct Identity {
  std::string certificate;
  std::string key;  ///< secret
};

/// In seconds since 1970, both ends included.
struct Validity {
  std::int64_t from = 0;
  std::int64_t to = 0;

  /// From an hour before `now`, since clocks differ, to so many days after it.
  static Validity days_from(std::int64_t now, std::int64_t days);
};

/// Signs itself, and may sign others but no further authority.
Result<Identity> make_authority(const Validity& validity);

/// For a server of these names and addresses, at least one. A certificate ends with its authority's
/// at the latest; an authority that has ended by then signs nothing.
Result<Identity> make_server_identity(const Identity& authority,
                                      const std::vector<std::string>& hosts,
                                      const Validity& validity);

/// For a client: its name is the common name and the only alternative name.
Result<Identity> make_client_identity(const Identity& authority, const std::string& client,
                                      const Validity& validity);

}  // namespace caucus
