// caucus serve: coordinates a federation until all of its clients have finished.
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "caucus/credentials.hpp"
#include "options/config_file.hpp"
#include "options/flags.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "serving/served_configuration.hpp"
#include "serving/server_log.hpp"
#include "serving/server_process.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kServeExamples =
    R"(The configuration is that of a run, with one more table, [server]:

  [data]
  feature_range = [-1, 1]
  label_range = [0, 1]
  scale_from = "ranges.csv"            # made by caucus data info --ranges
  [server]
  clients = ["c01", "c02", "c03"]      # the names of all clients
  listen = "localhost:7070"
  http = "localhost:9090"              # GET /status, /metrics, /healthz
  durability = "batch"                 # or a number of batches per commit
  # For clients on other machines; caucus cert init makes these files:
  tokens = "keys/tokens"
  tls.cert = "keys/server.pem"
  tls.key = "keys/server.key"
  tls.client_ca = "keys/ca.pem"

The table also takes snapshot_every (1000), label_delay (16), violations (3), linger_ms (30000)
and, without a ranges file, features (the number of features of an example) and the bounds
max_abs_target and max_feature_norm, which reports are checked against. A server that was stopped
or killed continues when it is started again with the same store; its clients send again what the
store had lost. The server exits when all clients have acknowledged the end, or linger_ms after the
run has finished; clients that have not are told when it is started again.

If clients wait for each other (mode = "synchronous" in [algorithm], and every schedule but
adaptive), the result is that of caucus run --clients-from with the same settings and files. Two
more keys of [server] then say when a batch closes although reports are missing: deadline_ms (no
limit) is how long it may be open, and quorum (all) how many reports suffice at that time.

Examples:
  caucus serve federation.toml
  caucus serve federation.toml --listen 0.0.0.0:7070 --store /var/lib/caucus/run.db --json result.json
  caucus serve federation.toml --print-config)";

struct ServeCommand {
  std::string config_file;
  std::vector<GivenFlag> flags;
  bool print_config = false, insecure = false, log_json = false;
  ResultFlags results;
};

/// Writes a line for the user to standard error: as text or, if the log is JSON, as a log event. It
/// never waits for the reader of standard error.
void note(const ServeCommand& command, LogWriter& writer, const std::string& text) {
  if (command.log_json) {
    write_log(writer.log(), LogLevel::info, "note", {{"text", text}});
  } else {
    writer.write("caucus: " + text + "\n");
  }
}

Result<ServedConfiguration> read_served_configuration(const ServeCommand& command,
                                                      LogWriter& writer) {
  ServerConfig server;
  CAUCUS_TRY(const RunConfig config, read_config(command.config_file, &server));
  CAUCUS_CHECK(apply_flags(command.flags, server));
  if (server.store.empty()) {
    server.store = std::filesystem::path(command.config_file).stem().string() + ".db";
  }
  CAUCUS_TRY(ServedConfiguration run, make_served_configuration(config, server));
  for (const std::string& key : ignored_settings(config)) {
    note(command, writer, key + " is ignored: clients bring their data with them");
  }
  return run;
}

Status make_results(const ServedConfiguration& run, const Federation& federation, double seconds,
                    std::vector<std::string>& scores, ResultOutputs& outputs) {
  CAUCUS_TRY(const ServedResult served, served_result(federation, run, run.server.store, seconds));
  CAUCUS_TRY(const report::StoredModel model, served_model(federation, run, federation.learned()));
  scores = report::score_lines(model.scores, model.loss);
  return outputs.fill({version(), result_config(run.config, &run.server), run.options, served.data,
                       served.result, served.labels, served.class_names},
                      model);
}

Status read_keys(const ServerConfig& server, ServeOptions& options) {
  if (!server.has_tls()) return Done{};
  if (server.cert.empty()) {
    return usage_error("server.tls", "there is no certificate", "expected tls.cert and tls.key");
  }
  CAUCUS_TRY(TlsTexts texts,
             read_tls({server.cert, server.key, server.client_ca},
                      {"server.tls.cert", "server.tls.key", "server.tls.client_ca"}));
  if (!texts.warning.empty()) options.note(texts.warning);
  options.wire.keys = {std::move(texts.cert), std::move(texts.key), std::move(texts.ca)};
  return Done{};
}

Status read_tokens(const ServerConfig& server, ServeOptions& options) {
  if (server.tokens.empty()) return Done{};
  CAUCUS_TRY(options.wire.tokens, TokenFile::read(server.tokens));
  for (const std::string& name : server.clients) {
    if (options.wire.tokens->has(name)) continue;
    return usage_error("server.tokens", "'" + server.tokens + "' has no token of '" + name + "'",
                       "expected one of every client of server.clients");
  }
  return Done{};
}

/// Requires TLS with client certificates except on loopback. Tokens alone identify clients too, but
/// gRPC then accepts every connection, and strangers can make its memory grow (docs/protocol.md).
Status require_security(const ServerConfig& server, const ServeOptions& options) {
  if (!server.http.empty()) {
    CAUCUS_TRY(const Address http, parse_address(server.http, "server.http"));
    if (!http.is_loopback()) {
      return usage_error("server.http",
                         "everybody who can reach '" + http.text() + "' is told the status",
                         "expected an address of this machine only, or --insecure");
    }
  }
  if (options.wire.listen.is_loopback()) return Done{};
  const std::string reached = "others can reach '" + options.wire.listen.text() + "'";
  if (!options.wire.keys) {
    return usage_error("server.listen", reached,
                       "expected server.tls there (caucus cert init makes keys), or --insecure");
  }
  if (server.client_ca.empty()) {
    return usage_error("server.listen", reached + " without a certificate",
                       "expected server.tls.client_ca there, a proxy in front of a loopback "
                       "address, or --insecure");
  }
  return Done{};
}

Status execute_serve(const ServeCommand& command) {
  LogWriter writer(STDERR_FILENO, command.log_json ? LogForm::json : LogForm::pairs);
  CAUCUS_TRY(const ServedConfiguration run, read_served_configuration(command, writer));
  if (command.print_config) return print(config_toml(run.config, &run.server));
  ResultOutputs outputs(command.results);
  const ServerConfig& server = run.server;
  CAUCUS_CHECK(outputs.check({command.config_file, run.config.scale_from, server.store,
                              server.tokens, server.cert, server.key, server.client_ca}));
  ServeOptions options;
  CAUCUS_TRY(options.wire.listen, parse_address(server.listen, "server.listen"));
  options.wire.log = writer.log();
  options.note = [&](const std::string& text) { note(command, writer, text); };
  CAUCUS_CHECK(read_keys(server, options));
  CAUCUS_CHECK(read_tokens(server, options));
  if (!command.insecure) CAUCUS_CHECK(require_security(server, options));
  std::vector<std::string> scores;
  options.make_result = [&](const Federation& federation, double seconds) {
    return make_results(run, federation, seconds, scores, outputs);
  };
  options.write_result = [&]() -> Status {
    CAUCUS_CHECK(outputs.write());
    if (command.results.model_out.empty()) return Done{};
    for (const std::string& line : scores) note(command, writer, line);
    return Done{};
  };
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may exit
  return serve_until_finished(run, std::move(options));
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  auto [serve, given] = add_command(app, action, "serve", "Coordinate a federation of real clients",
                                    kServeExamples, execute_serve);
  add_option(serve, "config", "FILE.toml", given.config_file,
             "the run's configuration, with [server]")
      ->required();
  add_server_flags(serve, given.flags);
  serve.add_flag(
      "--insecure", given.insecure,
      "serve other machines without TLS or without client certificates, or tell them the status");
  serve.add_flag("--log-json", given.log_json, "the log as JSON, one object per line");
  add_result_flags(serve, given.results, "what was learned, for caucus predict");
  serve.add_flag("--print-config", given.print_config, kPrintConfigHelp)->group("output");
}

}  // namespace caucus::cli
