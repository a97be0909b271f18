// A directory with the certificates and tokens of a federation: the authority (ca.pem, ca.key),
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

  /// Returns the path of a file of the directory.
  [[nodiscard]] std::string path(const std::string& name) const;
};

/// Makes the directory with a new authority; the server's certificate has these hosts. If one of
/// the files exists, nothing is written unless `force`. Returns the names of the files.
Result<std::vector<std::string>> make_certificates(const CertificateOrder& order,
                                                   const std::vector<std::string>& hosts,
                                                   bool force);

/// Adds clients, signed by the existing authority. Replaces nothing but `tokens`, which receives
/// their hashes. Returns the names of the files.
Result<std::vector<std::string>> add_client_certificates(const CertificateOrder& order);

}  // namespace caucus::cli
