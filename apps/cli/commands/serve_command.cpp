// caucus serve: coordinate a federation until all of its clients have finished.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "options/config_file.hpp"
#include "options/result_outputs.hpp"
#include "serving/serve_run.hpp"
#include "serving/served_result.hpp"
#include "serving/served_run.hpp"
#include "serving/server_log.hpp"
#include "serving/server_security.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kServeExamples =
    R"(The configuration is that of a run with a table of its own for the server:

  [data]
  feature_range = [-1, 1]
  label_range = [0, 1]
  scale_from = "ranges.csv"            # of caucus data info --ranges
  [server]
  clients = ["c01", "c02", "c03"]      # who takes part
  listen = "localhost:7070"
  http = "localhost:9090"              # GET /status, /metrics, /healthz
  quorum = 2                           # enough at a batch's deadline (all)
  deadline_ms = 500                    # (none)
  durability = "batch"                 # or a number: that many batches per durable commit
  tokens = "keys/tokens"               # these two beyond this machine: caucus cert init makes them
  tls = {cert = "keys/server.pem", key = "keys/server.key", client_ca = "keys/ca.pem"}

It also takes snapshot_every (1000), label_delay (16), violations (3), linger_ms (30000) and, where
no ranges tell, features (numbers of an example), max_abs_target and max_feature_norm, which bound the
reports. A server that was stopped or killed goes on when it is started again with the same store;
what was not durable yet its clients report again. It ends when all clients have finished and know
it, or linger_ms after the former; served again, it tells the others. The result is that of caucus run
--clients-from with the same settings and files.

Examples:
  caucus serve federation.toml
  caucus serve federation.toml --listen 0.0.0.0:7070 --store /var/lib/caucus/run.db --json result.json
  caucus serve federation.toml --print-config)";

struct ServeCommand {
  std::string config_file;
  std::vector<std::pair<const Setting<ServerConfig>*, std::string>> flags;
  bool print_config = false, insecure = false, log_json = false;
  ResultFlags results;
};

/// A line for people, which goes to the log where that is for programs. Neither waits for whoever
/// reads standard error.
void note(const ServeCommand& command, LogWriter& writer, const std::string& text) {
  if (command.log_json) {
    write_log(writer.log(), LogLevel::info, "note", {{"text", text}});
  } else {
    writer.write("caucus: " + text + "\n");
  }
}

Result<ServedRun> read_served_run(const ServeCommand& command, LogWriter& writer) {
  ServerConfig server;
  CAUCUS_TRY(const RunConfig config, read_config(command.config_file, &server));
  for (const auto& [setting, value] : command.flags) {
    auto status = setting->set(server, value);
    if (!status.ok()) {
      status.error().where = setting->flag;
      return std::move(status.error());
    }
  }
  if (server.store.empty()) {
    server.store = std::filesystem::path(command.config_file).stem().string() + ".db";
  }
  CAUCUS_TRY(ServedRun run, make_served_run(config, server));
  for (const std::string& key : ignored_settings(config)) {
    note(command, writer, key + " is ignored: clients bring their data with them");
  }
  return run;
}

Status make_results(const ServedRun& run, const Federation& federation, double seconds,
                    ResultOutputs& outputs) {
  CAUCUS_TRY(const ServedResult served, served_result(federation, run, run.server.store, seconds));
  CAUCUS_TRY(const report::StoredModel model, served_model(federation, run));
  return outputs.fill({version(), result_config(run.config, &run.server), run.options, served.data,
                       served.result, served.labels},
                      model);
}

Status execute_serve(const ServeCommand& command) {
  LogWriter writer(STDERR_FILENO, command.log_json ? LogForm::json : LogForm::pairs);
  CAUCUS_TRY(const ServedRun run, read_served_run(command, writer));
  if (command.print_config) return print(config_toml(run.config, &run.server));
  ResultOutputs outputs(command.results);
  const ServerConfig& server = run.server;
  CAUCUS_CHECK(outputs.check({command.config_file, run.config.scale_from, server.store,
                              server.tokens, server.cert, server.key, server.client_ca}));
  ServeOptions options;
  CAUCUS_TRY(options.listen, parse_address(server.listen, "server.listen"));
  CAUCUS_TRY(options.security, read_security(server, options.listen, command.insecure));
  if (!options.security.warning.empty()) note(command, writer, options.security.warning);
  options.log = writer.log();
  options.note = [&](const std::string& text) { note(command, writer, text); };
  options.make_result = [&](const Federation& federation, double seconds) {
    return make_results(run, federation, seconds, outputs);
  };
  options.write_result = [&] { return outputs.write(); };
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may go away
  return serve_run(run, std::move(options));
}

void add_server_flags(CLI::App& serve, ServeCommand& command) {
  for (const auto& setting : server_settings()) {
    if (setting.flag.empty()) continue;
    serve
        .add_option_function<std::string>(
            setting.flag,
            [&setting, &command](const std::string& value) {
              command.flags.emplace_back(&setting, value);
            },
            setting.help)
        ->type_name(setting.value_name);
  }
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  CLI::App* serve = app.add_subcommand("serve", "Coordinate a federation of real clients");
  auto command = std::make_shared<ServeCommand>();
  serve->add_option("config", command->config_file, "the run's configuration, with [server]")
      ->required()
      ->type_name("FILE.toml");
  add_server_flags(*serve, *command);
  serve->add_flag(
      "--insecure", command->insecure,
      "serve other machines without TLS or without knowing who is who, or tell them the status");
  serve->add_flag("--log-json", command->log_json, "the log as JSON, one object per line");
  add_result_flags(*serve, command->results, "what was learned, for caucus predict");
  serve
      ->add_flag("--print-config", command->print_config,
                 "print the complete configuration, itself a valid file, and exit")
      ->group("output");
  serve->footer(kServeExamples);
  serve->callback([command, &action] { action = [command] { return execute_serve(*command); }; });
}

}  // namespace caucus::cli
