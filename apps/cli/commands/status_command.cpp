// caucus status: shows the status of a server.
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
    R"(Shows the open batch, the losses, the probabilities, the bytes that were sent and those that
the paper's formula gives. For each client it shows when the server last heard from it, how many of
its examples are in accepted reports, how many batches it is behind (lag), and how many of its
reports were accepted, late, repeated, for a batch that is not open yet (early), or rejected.

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

/// Prints the status. Returns whether the run has finished.
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
    // Move the cursor to the top and clear the screen, so that the new table replaces the old.
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
  CAUCUS_CHECK(
      check_security(question.server, question.keys, command.insecure, "--ca", "--insecure"));
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
  auto [status, given] = add_command(app, action, "status", "Show the status of a server",
                                     kStatusExamples, execute_status);
  add_option(status, "--server", "HOST:PORT", given.server, "where it listens (localhost:7070)");
  add_option(status, "--json", "-", given.json, "as JSON on standard output");
  status.add_flag("--watch", given.watch, "again every second until the run has finished");
  add_option(status, "--client", "NAME", given.client, "a client's name, if the server has tokens");
  add_option(status, "--token", "FILE", given.token, "file with that client's token");
  status.add_flag("--insecure", given.insecure, "ask another machine without TLS");
  add_option(status, "--ca", "FILE", given.tls.ca,
             "certificate of the server's authority: turns TLS on");
  add_option(status, "--cert", "FILE", given.tls.cert,
             "your certificate, if the server requires one");
  add_option(status, "--key", "FILE", given.tls.key, "its key");
}

}  // namespace caucus::cli
