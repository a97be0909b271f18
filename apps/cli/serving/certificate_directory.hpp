// A directory with all that a federation needs to trust each other: the authority (ca.pem, ca.key),
// the server (server.pem, server.key), each client (NAME.pem, NAME.key, NAME.token), and the hashes
// of the clients' tokens (tokens).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace caucus::cli {

struct CertificateOrder {
  std::string directory;
  std::vector<std::string> clients;
  std::int64_t days = 365;
  std::int64_t now = 0;  ///< seconds since 1970

  /// A file of the directory.
  [[nodiscard]] std::string path(const std::string& name) const;
};

/// Makes the directory, with an authority of its own; the server has these hosts. Where one of the
/// files is there already nothing is written, unless `force`. Gives the names of the files.
Result<std::vector<std::string>> make_certificates(const CertificateOrder& order,
                                                   const std::vector<std::string>& hosts,
                                                   bool force);

/// Clients more, signed by the authority that is there. Replaces nothing but `tokens`, which has
/// their hashes afterwards. Gives the names of the files.
Result<std::vector<std::string>> add_client_certificates(const CertificateOrder& order);

}  // namespace caucus::cli
