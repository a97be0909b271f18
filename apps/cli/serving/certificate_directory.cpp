#include "serving/certificate_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "caucus/credentials.hpp"
#include "caucus/data/files/text_file.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/certificates.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "options/outputs.hpp"

namespace caucus::cli {
namespace {

constexpr std::size_t kMostTokens = 64U << 20;  // bytes, enough for a million clients
constexpr const char* kTokensTitle =
    "# The clients that may take part: each with the SHA-256 of its token.\n";

/// Waits while another process writes into the directory, since the files of two processes would
/// not match. The lock lasts as long as the result.
Result<std::shared_ptr<void>> lock_directory(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::shared_ptr<void> lock(nullptr, [descriptor](void*) { ::close(descriptor); });
  int code = descriptor < 0 ? -1 : ::flock(descriptor, LOCK_EX);
  while (code != 0 && errno == EINTR) code = ::flock(descriptor, LOCK_EX);
  if (code == 0) return lock;
  return data_error(directory, "cannot be locked (" + std::generic_category().message(errno) + ")",
                    "expected a directory to write to");
}

/// The files to write into the directory.
struct Files {
  void add(const std::string& name, std::string text, Readers readers) {
    names.push_back(name);
    outputs.push_back({"DIR", order.path(name), std::move(text), readers});
  }
  void add(const std::string& name, const Identity& identity) {
    add(name + ".pem", identity.certificate, Readers::usual);
    add(name + ".key", identity.key, Readers::owner);
  }
  [[nodiscard]] Status refuse_existing(const std::string& expected) const {
    for (const Output& output : outputs) {
      std::error_code ignored;
      if (std::filesystem::exists(std::filesystem::symlink_status(output.path, ignored))) {
        return usage_error(output.path, "already exists", expected);
      }
    }
    return Done{};
  }

  const CertificateOrder& order;
  std::vector<std::string> names = {};
  std::vector<Output> outputs = {};
};

Status check_clients(const std::vector<std::string>& clients) {
  for (std::size_t k = 0; k < clients.size(); ++k) {
    CAUCUS_CHECK(check_client_name(clients[k], "--client"));
    if (clients[k] == "ca" || clients[k] == "server") {
      return usage_error("--client",
                         "'" + clients[k] + "' would have the files of the " +
                             (clients[k] == "ca" ? "authority" : "server"),
                         "expected another name");
    }
    const auto earlier = clients.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(clients.begin(), earlier, clients[k]) != earlier) {
      return usage_error("--client", "'" + clients[k] + "' is given twice",
                         "expected each client once");
    }
  }
  return Done{};
}

/// Adds certificate, key and token of each client; returns their lines in `tokens`.
Result<std::string> make_clients(const CertificateOrder& order, const Identity& authority,
                                 Files& files) {
  std::string lines;
  for (const std::string& client : order.clients) {
    CAUCUS_TRY(const Identity identity,
               make_client_identity(authority, client, Validity::days_from(order.now, order.days)));
    CAUCUS_TRY(const std::string token, make_token());
    CAUCUS_TRY(const std::string hash, hash_of_token(token));
    files.add(client, identity);
    files.add(client + ".token", token + "\n", Readers::owner);
    lines.append(client).append(" ").append(hash).append("\n");
  }
  return lines;
}

}  // namespace

std::string CertificateOrder::path(const std::string& name) const {
  return (std::filesystem::path(directory) / name).string();
}

Result<std::vector<std::string>> make_certificates(const CertificateOrder& order,
                                                   const std::vector<std::string>& hosts,
                                                   bool force) {
  CAUCUS_CHECK(check_clients(order.clients));
  for (const std::string& host : hosts) CAUCUS_CHECK(check_host(host, "--host"));
  const Validity validity = Validity::days_from(order.now, order.days);
  Files files{order};
  CAUCUS_TRY(const Identity authority, make_authority(validity));
  CAUCUS_TRY(const Identity server, make_server_identity(authority, hosts, validity));
  files.add("ca", authority);
  files.add("server", server);
  CAUCUS_TRY(const std::string lines, make_clients(order, authority, files));
  files.add("tokens", kTokensTitle + lines, Readers::owner);

  CAUCUS_TRY(NewDirectory directory, NewDirectory::make(order.directory));
  CAUCUS_TRY(const auto lock, lock_directory(order.directory));
  if (!force) CAUCUS_CHECK(files.refuse_existing("expected another directory, or --force"));
  CAUCUS_CHECK(write_outputs(files.outputs));
  directory.keep();
  return std::move(files.names);
}

Result<std::vector<std::string>> add_client_certificates(const CertificateOrder& order) {
  CAUCUS_CHECK(check_clients(order.clients));
  CAUCUS_TRY(const auto lock, lock_directory(order.directory));
  CAUCUS_TRY(const TlsTexts authority, read_tls({order.path("ca.pem"), order.path("ca.key"), ""},
                                                {"the authority's", "the authority's", ""}));
  CAUCUS_TRY(std::string tokens, read_text(order.path("tokens"), ErrorKind::usage, kMostTokens));
  CAUCUS_TRY(const TokenFile known, TokenFile::parse(tokens, order.path("tokens")));
  for (const std::string& client : order.clients) {
    if (known.has(client)) {
      return usage_error("--client", "'" + client + "' is in " + order.path("tokens") + " already",
                         "expected a new name");
    }
  }
  Files files{order};
  CAUCUS_TRY(const std::string lines, make_clients(order, {authority.cert, authority.key}, files));
  CAUCUS_CHECK(files.refuse_existing("expected a new client"));
  if (!tokens.empty() && tokens.back() != '\n') tokens += '\n';
  files.add("tokens", tokens + lines, Readers::usual);  // an existing file keeps its mode
  CAUCUS_CHECK(write_outputs(files.outputs));
  return std::move(files.names);
}

}  // namespace caucus::cli
