#include "serving/certificate_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "caucus/credentials.hpp"
#include "caucus/data/files/new_directory.hpp"
#include "caucus/data/files/text_file.hpp"
#include "caucus/federation/security/certificates.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/host_name.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "options/output_files.hpp"

namespace caucus::cli {
namespace {

constexpr std::size_t kMostTokens = 64U << 20;  // bytes: a million clients
constexpr const char* kTokensTitle =
    "# The clients that may take part: each with the SHA-256 of its token.\n";

/// Of two that write into the same directory, one waits: their files would not fit together.
class DirectoryLock {
 public:
  static Result<DirectoryLock> take(const std::string& directory) {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DirectoryLock lock(descriptor);
    int code = descriptor < 0 ? -1 : ::flock(descriptor, LOCK_EX);
    while (code != 0 && descriptor >= 0 && errno == EINTR) code = ::flock(descriptor, LOCK_EX);
    if (code == 0) return lock;
    return data_error(directory,
                      "cannot be locked (" + std::generic_category().message(errno) + ")",
                      "expected a directory to write to");
  }
  DirectoryLock(DirectoryLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// The files under way, by their names in the directory.
class Files {
 public:
  explicit Files(const CertificateOrder& order) : order_(order) {}

  void add(const std::string& name, std::string text, Readers readers) {
    names.push_back(name);
    outputs_.push_back({"DIR", order_.path(name), std::move(text), readers});
  }
  void add(const std::string& name, const Identity& identity) {
    add(name + ".pem", identity.certificate, Readers::usual);
    add(name + ".key", identity.key, Readers::owner);
  }

  [[nodiscard]] Status refuse_existing(const std::string& expected) const {
    for (const Output& output : outputs_) {
      std::error_code ignored;
      const auto status = std::filesystem::symlink_status(output.path, ignored);
      if (std::filesystem::exists(status)) {
        return usage_error(output.path, "is there already", expected);
      }
    }
    return Done{};
  }
  [[nodiscard]] Status write() const { return write_outputs(outputs_); }

  std::vector<std::string> names;

 private:
  const CertificateOrder& order_;
  std::vector<Output> outputs_;
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
      return usage_error("--client", "'" + clients[k] + "' is there twice",
                         "expected each client once");
    }
  }
  return Done{};
}

/// Certificate, key and token of each client; gives their lines in `tokens`.
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
  Files files(order);
  CAUCUS_TRY(const Identity authority, make_authority(validity));
  CAUCUS_TRY(const Identity server, make_server_identity(authority, hosts, validity));
  files.add("ca", authority);
  files.add("server", server);
  CAUCUS_TRY(const std::string lines, make_clients(order, authority, files));
  files.add("tokens", kTokensTitle + lines, Readers::owner);

  CAUCUS_TRY(NewDirectory directory, NewDirectory::make(order.directory));
  CAUCUS_TRY(const DirectoryLock lock, DirectoryLock::take(order.directory));
  if (!force) CAUCUS_CHECK(files.refuse_existing("expected another directory, or --force"));
  CAUCUS_CHECK(files.write());
  directory.keep();
  return std::move(files.names);
}

Result<std::vector<std::string>> add_client_certificates(const CertificateOrder& order) {
  CAUCUS_CHECK(check_clients(order.clients));
  CAUCUS_TRY(const DirectoryLock lock, DirectoryLock::take(order.directory));
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
  Files files(order);
  CAUCUS_TRY(const std::string lines, make_clients(order, {authority.cert, authority.key}, files));
  CAUCUS_CHECK(files.refuse_existing("expected a new client"));
  if (!tokens.empty() && tokens.back() != '\n') tokens += '\n';
  files.add("tokens", tokens + lines, Readers::usual);  // the file there keeps its mode
  CAUCUS_CHECK(files.write());
  return std::move(files.names);
}

}  // namespace caucus::cli
