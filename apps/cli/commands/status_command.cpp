// caucus status: how a server stands.
#include <chrono>
#include <thread>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/connection_security.hpp"
#include "caucus/report/json.hpp"
#include "caucus/wire/status_call.hpp"
#include "options/config.hpp"
#include "options/option.hpp"
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
  std::string client, token;
  TlsFiles tls;
  bool watch = false, insecure = false;
};

/// True when there is nothing more to watch.
Result<bool> show_once(const StatusCommand& command, const wire::StatusQuestion& question) {
  const std::string where = question.server.text();
  CAUCUS_TRY(const std::string text, wire::ask_status(question));
  auto parsed = report::parse_json(text, where, "expected the status of a caucus server");
  if (!parsed.ok()) parsed.error().kind = ErrorKind::network;
  CAUCUS_TRY(const Json status, std::move(parsed));
  CAUCUS_TRY(const std::string table, status_table(status, where));
  if (!command.json.empty()) {
    CAUCUS_CHECK(print(report::json_text(status, command.watch ? -1 : 1) + "\n"));
  } else {
    // To the top, then clear: what is new takes the place of what was there.
    CAUCUS_CHECK(print((command.watch ? "\x1b[H\x1b[J" : "") + table));
  }
  return status.value("phase", "") == "finished";
}

Status execute_status(const StatusCommand& command) {
  if (!command.json.empty() && command.json != "-") {
    return usage_error("--json", "'" + command.json + "'", "expected -, standard output");
  }
  wire::StatusQuestion question;
  CAUCUS_TRY(question.server, parse_server_address(command.server, "--server"));
  CAUCUS_TRY(question.keys, read_tls_and_warn(command.tls));
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
    CAUCUS_TRY(const bool finished, show_once(command, question));
    if (finished || !command.watch) return Done{};
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  auto [status, given] = add_command(app, action, "status", "Ask a server how it stands",
                                     kStatusExamples, execute_status);
  add_option(status, "--server", "HOST:PORT", given.server, "where it listens (localhost:7070)");
  add_option(status, "--json", "-", given.json, "as JSON on standard output");
  status.add_flag("--watch", given.watch, "again every second until the run has finished");
  add_option(status, "--client", "NAME", given.client, "who asks, where the server has tokens");
  add_option(status, "--token", "FILE", given.token, "file with that client's token");
  status.add_flag("--insecure", given.insecure, "ask another machine without TLS");
  add_option(status, "--ca", "FILE", given.tls.ca,
             "the authority of the server's certificate; asks for TLS");
  add_option(status, "--cert", "FILE", given.tls.cert,
             "one's own certificate, where the server wants one");
  add_option(status, "--key", "FILE", given.tls.key, "its key");
}

}  // namespace caucus::cli
