// caucus status: how a server stands.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/connection_security.hpp"
#include "caucus/report/json.hpp"
#include "caucus/wire/status_call.hpp"
#include "command.hpp"
#include "options/server_config.hpp"
#include "options/token_option.hpp"
#include "serving/server_status.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kStatusExamples =
    R"(Batch, losses, probabilities, the bytes really sent beside the
formula's, and of each client: last seen, examples counted, batches behind (lag), reports that were
accepted, late, repeated, for a batch to come (strange) or rejected.

Examples:
  caucus status
  caucus status --server localhost:7070 --watch
  caucus status --server host:7070 --ca keys/ca.pem --cert keys/c01.pem --key keys/c01.key \
    --client c01 --token keys/c01.token --json -)";

struct StatusCommand {
  std::string server = kDefaultListen;
  std::string json;
  std::string client, token, ca, cert, key;
  bool watch = false, insecure = false;
};

Result<Json> ask(const wire::StatusQuestion& question) {
  CAUCUS_TRY(const std::string text, wire::ask_status(question));
  const std::string where = question.server.text();
  auto json = report::parse_json(text, where, "expected the status of a caucus server");
  if (!json.ok()) json.error().kind = ErrorKind::network;
  return json;
}

/// True when there is nothing more to watch.
Result<bool> show_once(const StatusCommand& command, const wire::StatusQuestion& question) {
  CAUCUS_TRY(const Json status, ask(question));
  CAUCUS_TRY(const std::string table, status_table(status, question.server.text()));
  if (!command.json.empty()) {
    CAUCUS_CHECK(print(report::json_text(status, command.watch ? -1 : 1) + "\n"));
  } else {
    // To the top, then clear: what is new takes the place of what was there.
    CAUCUS_CHECK(print((command.watch ? "\x1b[H\x1b[J" : "") + table));
  }
  return status.value("phase", "") == "over";
}

Status execute_status(const StatusCommand& command) {
  if (!command.json.empty() && command.json != "-") {
    return usage_error("--json", "'" + command.json + "'", "expected -, standard output");
  }
  wire::StatusQuestion question;
  CAUCUS_TRY(question.server, parse_server_address(command.server, "--server"));
  CAUCUS_TRY(question.keys, read_tls_and_warn({command.cert, command.key, command.ca}));
  CAUCUS_CHECK(check_security(question.server, question.keys, command.insecure));
  if (command.client.empty() != command.token.empty()) {
    return usage_error(command.client.empty() ? "--token" : "--client", "alone",
                       "expected both: a client's name and the file with its token");
  }
  if (!command.token.empty()) {
    question.client = command.client;
    CAUCUS_TRY(question.token, read_token_and_warn(command.token));
  }
  for (;;) {
    CAUCUS_TRY(const bool over, show_once(command, question));
    if (over || !command.watch) return Done{};
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  CLI::App* status = app.add_subcommand("status", "Ask a server how it stands");
  auto command = std::make_shared<StatusCommand>();
  status->add_option("--server", command->server, "where it listens (localhost:7070)")
      ->type_name("HOST:PORT");
  status->add_option("--json", command->json, "as JSON on standard output")->type_name("-");
  status->add_flag("--watch", command->watch, "again every second until the run is over");
  status->add_option("--client", command->client, "who asks, where the server has tokens")
      ->type_name("NAME");
  status->add_option("--token", command->token, "file with that client's token")->type_name("FILE");
  status->add_flag("--insecure", command->insecure, "ask another machine without TLS");
  status->add_option("--ca", command->ca, "the authority of the server's certificate; asks for TLS")
      ->type_name("FILE");
  status->add_option("--cert", command->cert, "one's own certificate, where the server wants one")
      ->type_name("FILE");
  status->add_option("--key", command->key, "its key")->type_name("FILE");
  status->footer(kStatusExamples);
  status->callback([command, &action] { action = [command] { return execute_status(*command); }; });
}

}  // namespace caucus::cli
