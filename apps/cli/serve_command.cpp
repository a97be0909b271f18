// caucus serve: coordinate a federation until all of its clients have finished.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "caucus/network/host.hpp"
#include "caucus/network/store.hpp"
#include "caucus/network/wire/one_poller.hpp"
#include "caucus/network/wire/server.hpp"
#include "command.hpp"
#include "config_file.hpp"
#include "http_endpoint.hpp"
#include "model_file.hpp"
#include "output.hpp"
#include "output_files.hpp"
#include "report.hpp"
#include "served_result.hpp"
#include "served_run.hpp"
#include "server_log.hpp"
#include "server_security.hpp"
#include "server_status.hpp"
#include "stop_signals.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kExamples =
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

It also takes snapshot_every (1000), label_delay (16), violations (3), max_abs_target and
max_feature_norm, of which the latter bound the reports where no ranges do. A server that was
stopped or killed goes on when it is started again with the same store; what was not durable yet its
clients report again. The result is that of caucus run --clients-from with the same settings and
files.

Examples:
  caucus serve federation.toml
  caucus serve federation.toml --listen 0.0.0.0:7070 --store /var/lib/caucus/run.db --json result.json
  caucus serve federation.toml --print-config)";

constexpr auto kLinger = std::chrono::seconds(3);  // for clients that are on their way back
constexpr auto kGrace = std::chrono::seconds(2);   // for streams to end

struct ServeCommand {
  std::string config_file;
  std::vector<std::pair<const Setting<ServerConfig>*, std::string>> flags;
  bool print_config = false, insecure = false, log_json = false;
  std::string json, report, model_out;
};

/// For people, but where only the log is to be seen, there.
void note(const ServeCommand& command, const Log& log, const std::string& text) {
  if (command.log_json) {
    write_log(log, LogLevel::info, "note", {{"text", text}});
  } else {
    std::fprintf(stderr, "caucus: %s\n", text.c_str());
  }
}

Result<ServedRun> read_served_run(const ServeCommand& command, const Log& log) {
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
    note(command, log, key + " is ignored: clients bring their data with them");
  }
  return run;
}

std::vector<Output> outputs_of(const ServeCommand& command) {
  std::vector<Output> outputs;
  if (command.json != "-" && !command.json.empty()) outputs.push_back({"--json", command.json});
  if (!command.report.empty()) outputs.push_back({"--report", command.report});
  if (!command.model_out.empty()) outputs.push_back({"--model-out", command.model_out});
  return outputs;
}

Status write_results(const ServeCommand& command, const ServedRun& run,
                     const Federation& federation, double seconds, std::vector<Output>& outputs) {
  CAUCUS_TRY(const ServedResult served, served_result(federation, run, run.server.store, seconds));
  CAUCUS_TRY(const StoredModel model, served_model(federation, run));
  const FinishedRun finished{run.config,    run.options,   served.data,
                             served.result, served.labels, &run.server};
  const Json result = result_json(finished);
  const std::string json = json_text(result) + "\n";
  std::string report;
  if (!command.report.empty()) {
    CAUCUS_TRY(report, report_html(result));
  }
  for (Output& output : outputs) {
    const std::string_view flag = output.flag;
    output.text = flag == "--json"     ? json
                  : flag == "--report" ? report
                                       : json_text(model_json(model)) + "\n";
  }
  CAUCUS_CHECK(write_outputs(outputs));
  return print(command.json == "-" ? json : result_table(finished));
}

/// Other arithmetic would go on with other bits.
Status same_arithmetic(const Store& store, const ServedRun& run) {
  if (!store.begun()) return Done{};
  CAUCUS_TRY(const ServedRun stored, parse_plan(store.run()->plan, run.server.store));
  const std::string& begun = stored.federation.plan.arithmetic;
  if (begun == run.federation.plan.arithmetic) return Done{};
  return usage_error(run.server.store,
                     "the run was begun with the '" + begun + "' variant of the arithmetic",
                     "expected CAUCUS_SIMD=" + begun + " in the environment");
}

Result<std::unique_ptr<Host>> open_host(const ServedRun& run, const Log& log) {
  CAUCUS_TRY(Store store, Store::open(run.server.store, {run.server.durability}));
  CAUCUS_CHECK(same_arithmetic(store, run));
  auto host = Host::make(run.federation, plan_text(run), std::move(store),
                         {run.server.snapshot_every, log});
  if (!host.ok() && host.error().where == "store") host.error().where = run.server.store;
  return host;
}

/// Each client is an open file, and at times two.
void allow_files_for(std::size_t clients, const ServeCommand& command, const Log& log) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2 * clients + 100) {
    note(command, log,
         "only " + std::to_string(limit.rlim_cur) + " files may be open (ulimit -n), too few for " +
             std::to_string(clients) + " clients");
  }
}

Federation::Phase phase_of(const Host& host) {
  return host.look([](const Federation& federation) { return federation.phase(); });
}

/// Until the run is over or somebody asks to stop.
Status serve(const ServeCommand& command, const ServedRun& run, const Address& listen,
             ServerSecurity security, Host& host, const Log& log, StopSignals& signals) {
  std::unique_ptr<HttpEndpoint> http;
  if (!run.server.http.empty()) {
    CAUCUS_TRY(const Address address, parse_address(run.server.http, "server.http"));
    CAUCUS_TRY(http, HttpEndpoint::start(address, [&host] { return host.status(); }));
    write_log(log, address.is_loopback() ? LogLevel::info : LogLevel::warning, "http",
              {{"address", http->address().text()},
               {"open_to_others", address.is_loopback() ? "false" : "true"}});
  }
  wire::ServerOptions options;
  options.listen = listen;
  options.keys = std::move(security.keys);
  options.tokens = std::move(security.tokens);
  options.status = [&host] { return json_text(status_json(host.status()), -1); };
  options.log = log;
  const bool encrypted = options.keys.has_value();
  const wire::OnePoller one_poller;
  CAUCUS_TRY(const auto server, wire::Server::start(host, std::move(options)));
  note(command, log, "listening on " + server->address().text() + (encrypted ? " with TLS" : ""));
  signals.watch([&host] { host.stop(); });
  Status status = host.wait();
  if (status.ok() && phase_of(host) == Federation::Phase::over) host.linger(kLinger);
  server->shut_down(kGrace);
  return status;
}

Status execute(const ServeCommand& command) {
  const Log log = log_to(stderr, command.log_json ? LogForm::json : LogForm::pairs);
  CAUCUS_TRY(const ServedRun run, read_served_run(command, log));
  if (command.print_config) return print(config_toml(run.config, &run.server));
  std::vector<Output> outputs = outputs_of(command);
  const ServerConfig& server = run.server;
  CAUCUS_CHECK(check_outputs(outputs, {command.config_file, run.config.scale_from, server.store,
                                       server.tokens, server.cert, server.key, server.client_ca}));
  CAUCUS_TRY(const Address listen, parse_address(server.listen, "server.listen"));
  CAUCUS_TRY(ServerSecurity security, read_security(server, listen, command.insecure));

  std::signal(SIGPIPE, SIG_IGN);  // who reads the log may go away
  StopSignals signals;
  allow_files_for(run.federation.clients.size(), command, log);
  CAUCUS_TRY(const std::unique_ptr<Host> host, open_host(run, log));
  if (phase_of(*host) != Federation::Phase::over) {
    CAUCUS_CHECK(serve(command, run, listen, std::move(security), *host, log, signals));
  }
  const std::chrono::duration<double> seconds = host->working_time();
  return host->look([&](const Federation& federation) -> Status {
    if (federation.phase() == Federation::Phase::over) {
      return write_results(command, run, federation, seconds.count(), outputs);
    }
    note(command, log,
         "stopped " +
             (federation.batch() == 0 ? "before the first batch"
                                      : "in batch " + std::to_string(federation.batch())) +
             "; the run goes on when it is served again with " + server.store);
    return Done{};
  });
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
  serve->add_flag("--insecure", command->insecure,
                  "serve other machines without TLS or without knowing who is who");
  serve->add_flag("--log-json", command->log_json, "the log as JSON, one object per line");
  serve->add_option("--json", command->json, "results as JSON; - for standard output, nothing else")
      ->type_name("FILE|-")
      ->group("output");
  serve
      ->add_option("--report", command->report,
                   "a page of charts that opens in a browser without a network")
      ->type_name("FILE.html")
      ->group("output");
  serve->add_option("--model-out", command->model_out, "what was learned, for caucus predict")
      ->type_name("FILE")
      ->group("output");
  serve
      ->add_flag("--print-config", command->print_config,
                 "print the complete configuration, itself a valid file, and exit")
      ->group("output");
  serve->footer(kExamples);
  serve->callback([command, &action] { action = [command] { return execute(*command); }; });
}

}  // namespace caucus::cli
