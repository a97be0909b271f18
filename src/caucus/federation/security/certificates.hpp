// Creates an authority for tests and small federations, and the certificates that it signs: one for
// the server and one for each client. Keys are P-256, signatures SHA-256, and version 3 extensions
// distinguish servers from clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

/// A certificate and its private key, as PEM text.
struct Identity {
  std::string certificate;
  std::string key;  ///< secret
};

/// A period of validity in seconds since 1970, both ends included.
struct Validity {
  std::int64_t from = 0;
  std::int64_t to = 0;

  /// Starts an hour before `now`, since clocks differ, and ends the given number of days after it.
  static Validity days_from(std::int64_t now, std::int64_t days);
};

/// Creates a self-signed authority, which may sign certificates but no further authority.
Result<Identity> make_authority(const Validity& validity);

/// Creates a certificate for a server with these names and addresses, at least one. It expires with
/// its authority at the latest. An expired authority signs nothing.
Result<Identity> make_server_identity(const Identity& authority,
                                      const std::vector<std::string>& hosts,
                                      const Validity& validity);

/// Creates a certificate for a client: its name is the common name and the only alternative name.
Result<Identity> make_client_identity(const Identity& authority, const std::string& client,
                                      const Validity& validity);

}  // namespace caucus
