// caucus cert: makes certificates and tokens for a federation.
#include <ctime>

#include "caucus/core/base/text.hpp"
#include "options/option.hpp"
#include "options/settings.hpp"
#include "serving/certificate_directory.hpp"

namespace caucus::cli {
namespace {

constexpr std::uint64_t kMostDays = 36'500;

constexpr const char* kInitExample = R"(Example:
  caucus cert init certs --host server.example --client c01 --client c02

Writes ca.pem, ca.key, server.pem, server.key, for each client NAME.pem, NAME.key and NAME.token,
and the hashes of the tokens into `tokens`. A client needs ca.pem and its own three files; the
server needs ca.pem, server.pem, server.key and tokens; ca.key is only for `caucus cert add`. Keys
and tokens are secret.)";

constexpr const char* kAddExample = R"(Example:
  caucus cert add certs --client c03

The directory is one of `caucus cert init`. The server reads `tokens` when it starts.)";

struct CertCommand {
  CertificateOrder order;
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1"};
  bool force = false;
};

std::string toml_string(const std::string& text) { return report::json_text(Json(text), -1); }

std::string server_lines(const CertificateOrder& order) {
  return "For the server's TOML file:\n\n  [server]\n  tokens = " +
         toml_string(order.path("tokens")) +
         "\n  tls = {cert = " + toml_string(order.path("server.pem")) +
         ", key = " + toml_string(order.path("server.key")) +
         ", client_ca = " + toml_string(order.path("ca.pem")) + "}\n";
}

std::string client_lines(const CertificateOrder& order) {
  if (order.clients.empty()) return {};
  const std::string& first = order.clients.front();
  const auto file = [&](const std::string& name) { return quoted(order.path(name)); };
  return "\nFor client " + first +
         (order.clients.size() > 1 ? ", and likewise for the others" : "") +
         ":\n\n  caucus join --server HOST:PORT --client " + first + " --data FILE --token " +
         file(first + ".token") + " --ca " + file("ca.pem") + " --cert " + file(first + ".pem") +
         " --key " + file(first + ".key") + "\n";
}

std::string written(const CertificateOrder& order, const std::vector<std::string>& names,
                    const std::string& limit) {
  std::string text = order.directory + ": wrote " + counted(names.size(), "file") + ", valid for " +
                     counted(static_cast<std::size_t>(order.days), "day") + limit + "\n\n";
  for (const std::string& name : names) text += "  " + name + "\n";
  return text + "\n" + server_lines(order) + client_lines(order);
}

Status init(const CertCommand& command) {
  CAUCUS_TRY(const auto names, make_certificates(command.order, command.hosts, command.force));
  return print(written(command.order, names, ""));
}

Status add(const CertCommand& command) {
  CAUCUS_TRY(const auto names, add_client_certificates(command.order));
  return print(written(command.order, names, " but no longer than the authority"));
}

CLI::Option* add_names(CLI::App& command, const char* flag, std::vector<std::string>& names,
                       const char* help) {
  return add_option(command, flag, "NAME", names, help)->allow_extra_args(false);
}

/// Adds the options that both commands have. Returns --client.
CLI::Option* add_order(CLI::App& command, CertificateOrder& order, const char* directory_help) {
  order.now = std::time(nullptr);
  command.add_option("dir", order.directory, directory_help)->required();
  CLI::Option* clients =
      add_names(command, "--client", order.clients, "name of a client; repeatable");
  add_count(command, "--days", "N", order.days, 1, kMostDays,
            "how long the certificates are valid (365)");
  return clients;
}

}  // namespace

void add_cert(CLI::App& app, Action& action) {
  CLI::App* cert = app.add_subcommand("cert", "Make certificates and tokens for a federation");
  cert->require_subcommand(1);
  cert->footer("Example:\n  caucus cert init certs --client c01 --client c02");
  auto [first, given] =
      add_command(*cert, action, "init", "Make an authority and what it signs", kInitExample, init);
  add_names(first, "--host", given.hosts,
            "name or address of the server; repeatable (localhost, 127.0.0.1, ::1)");
  add_order(first, given.order, "where to write");
  first.add_flag("--force", given.force, "replace the files that are there");
  auto [further, more] =
      add_command(*cert, action, "add", "Add clients to an authority", kAddExample, add);
  add_order(further, more.order, "made by caucus cert init")->required();
}

}  // namespace caucus::cli
