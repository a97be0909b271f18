// caucus join: takes part in a federation with the rows of a file.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/connection_security.hpp"
#include "caucus/report/text_table.hpp"
#include "joining/join_run.hpp"
#include "joining/join_state.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "options/progress_line.hpp"
#include "options/settings.hpp"
#include "serving/server_log.hpp"
#include "serving/stop_signals.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kJoinExamples =
    R"(The server says which columns are features and target and how they are scaled. By default the
client sends sums over batches of rows. The other schedules send reports of single rounds, from
which the server can compute the row: join such a run only if you trust its server with your rows.
Rows are used in the order of the file, as many per batch as the server asks for. If the server
gives ranges of the columns, a value outside its range, also one of the target, is clipped to the
nearer end; the rows with such a value are counted and shown here and in the server's status.

If the server cannot be reached, the client retries, and it sends again what the server has lost.
If this client is killed or stopped, --resume continues at exactly the same row. What it needs for
that is in the file DATA.NAME.join (--state). Without it --resume continues at the server's
position. When the run has finished, the file is removed, unless it holds the client's personal
layer: then caucus predict --client-state uses it. The client exits with 4 if SIGTERM or SIGINT
stops it, if it is refused, or if its patience has run out.

Examples:
  caucus join --server localhost:7070 --client c01 --data clients/c01.csv
  caucus join --server localhost:7070 --client c01 --data clients/c01.csv --resume
  caucus join --server host:7070 --client c01 --data c01.csv --token c01.token \
              --ca ca.pem --cert c01.pem --key c01.key --json -)";

struct JoinCommand {
  std::string server, client, data, state, token, json, expert_command;
  std::uint64_t expert_timeout = 60;
  TlsFiles tls;
  bool resume = false, insecure = false, log_json = false;
  std::uint64_t patience = 300;
};

Result<JoinOptions> read_options(const JoinCommand& command) {
  JoinOptions options;
  ClientOptions& client = options.client;
  CAUCUS_TRY(const Address server, parse_server_address(command.server, "--server"));
  CAUCUS_CHECK(check_client_name(command.client, "--client"));
  CAUCUS_TRY(client.tls, read_tls_and_warn(command.tls));
  CAUCUS_CHECK(check_security(server, client.tls, command.insecure, "--ca", "--insecure"));
  if (!command.token.empty()) {
    CAUCUS_TRY(client.token, read_token_and_warn(command.token));
  }
  std::error_code code;
  if (!std::filesystem::exists(command.data, code)) {  // reported before connecting
    return data_error(command.data, "there is no such file", "expected the client's data");
  }
  client.server = server.text();
  client.name = command.client;
  client.insecure = command.insecure;
  client.resume = command.resume;
  client.patience = std::chrono::seconds(command.patience);
  options.data_file = command.data;
  options.experts.command = command.expert_command;
  options.experts.timeout = std::chrono::seconds(command.expert_timeout);
  options.state_file =
      command.state.empty() ? command.data + "." + command.client + ".join" : command.state;
  return options;
}

Json outcome_json(const JoinCommand& command, const JoinOutcome& outcome) {
  const PlayedRows& played = outcome.played;
  Json json = {{"version", version()},
               {"client", command.client},
               {"run", run_text(outcome.run)},
               {"rows", outcome.rows},
               {"clipped", outcome.clipped},
               {"first_row", outcome.first_row + 1},
               {"played", played.rows},
               {"batches", played.batches},
               {"repeated", outcome.traffic.repeated},
               {"loss", nullptr},
               {"mse", nullptr}};
  if (played.rows > 0) {
    const auto rows = static_cast<double>(played.rows);
    json["loss"] = played.loss / rows;
    json["mse"] = played.squared_error / rows;
    if (outcome.loss.is_classification() || outcome.loss.has_classes()) {
      json["accuracy"] = static_cast<double>(played.correct) / rows;
      json["log_loss"] = played.log_loss / rows;
    }
  }
  json["bytes_up"] = outcome.traffic.bytes_up;
  json["bytes_down"] = outcome.traffic.bytes_down;
  json["connections"] = outcome.traffic.connections;
  return json;
}

std::string outcome_text(const Json& json) {
  const auto count = [&](const char* key) {
    return report::grouped(json.at(key).get<std::size_t>());
  };
  const auto mean = [&](const char* key) { return report::rounded(json.at(key).get<double>()); };
  const auto first_row = json.at("first_row").get<std::size_t>();
  const bool played = json.at("played") > 0;
  std::string text = json.at("client").get<std::string>() + ": ";
  if (!played && first_row == json.at("rows").get<std::size_t>() + 1) {
    text += "all of " + count("rows") + " rows were counted before\n";
  } else {
    text += count("played") + " of " + count("rows") + " rows in " + count("batches") + " batches" +
            (first_row > 1 ? ", from row " + count("first_row") + " on\n" : "\n");
  }
  if (played) {
    text += "mean loss " + mean("loss") + ", MSE " + mean("mse") +
            (json.contains("accuracy") ? ", accuracy " + mean("accuracy") : "") +
            " of the forecasts given\n";
  }
  if (json.at("clipped") > 0) {
    text += count("clipped") + " rows of the file have values outside the ranges of the server, " +
            "which were clipped\n";
  }
  text += count("bytes_up") + " bytes up, " + count("bytes_down") + " down, " +
          count("connections") + (json.at("connections") == 1 ? " connection" : " connections");
  if (json.at("repeated") > 0) text += "; " + count("repeated") + " reports sent again";
  return text + "\n";
}

Result<JoinOutcome> play(JoinOptions options) {
  StopSignals signals;
  JoinRun run(std::move(options));
  signals.watch([&run] { run.interrupt(); });
  Progress progress;
  auto outcome = [&] {
    const auto line = show_progress(progress, "waiting for the others");
    return run.play(progress);
  }();
  signals.unwatch();
  return outcome;
}

/// Checks that the state file can be written, replaced and removed.
Status check_state(const std::string& path, const std::vector<std::string>& inputs) {
  constexpr const char* kExpected =
      "expected a place to keep what --resume needs, here or with --state";
  std::error_code code;
  const auto kind = std::filesystem::status(path, code).type();
  if (kind != std::filesystem::file_type::not_found &&
      kind != std::filesystem::file_type::regular) {
    return usage_error("--state", "'" + path + "' is no regular file", kExpected);
  }
  Status status = check_outputs({{"--state", path}}, inputs);
  if (!status.ok() && status.error().where != "--state") status.error().expected = kExpected;
  return status;
}

Status execute_join(const JoinCommand& command) {
  CAUCUS_TRY(JoinOptions options, read_options(command));
  std::vector<Output> outputs;
  if (command.json != "-" && !command.json.empty()) outputs.push_back({"--json", command.json});
  std::vector<std::string> inputs = {command.data, command.token, command.tls.ca, command.tls.cert,
                                     command.tls.key};
  CAUCUS_CHECK(check_state(options.state_file, inputs));
  inputs.push_back(options.state_file);
  CAUCUS_CHECK(check_outputs(outputs, inputs));
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may exit
  LogWriter log_writer(STDERR_FILENO, command.log_json ? LogForm::json : LogForm::pairs);
  options.client.log = log_writer.log();
  const std::string state_file = options.state_file;
  CAUCUS_TRY(const JoinOutcome outcome, play(std::move(options)));
  const Json result = outcome_json(command, outcome);
  const std::string json = report::json_text(result) + "\n";
  for (Output& output : outputs) output.text = json;
  CAUCUS_CHECK(write_outputs(outputs));
  CAUCUS_CHECK(print(command.json == "-" ? json : outcome_text(result)));
  if (!outcome.personal) JoinState::remove(state_file);  // --resume needs it until here
  return Done{};
}

}  // namespace

void add_join(CLI::App& app, Action& action) {
  auto [join, given] = add_command(app, action, "join", "Take part in a federation with local data",
                                   kJoinExamples, execute_join);
  add_option(join, "--server", "HOST:PORT", given.server, "where caucus serve listens")->required();
  add_option(join, "--client", "NAME", given.client,
             "the name that the server knows this client by")
      ->required();
  add_option(join, "--data", "FILE", given.data, "the client's rows: CSV, CSV.gz, LIBSVM or ARFF")
      ->required();
  add_option(join, "--expert-command", "COMMAND", given.expert_command,
             "a program that gets a row per line and answers with the predictions of those "
             "experts that are held");
  add_count(join, "--expert-timeout", "SECONDS", given.expert_timeout, 1, 31'536'000,
            "how long the program may take for a row (60)");
  join.add_flag("--resume", given.resume, "continue where this client was stopped or killed");
  add_option(join, "--state", "FILE", given.state, "what --resume needs (DATA.NAME.join)");
  add_count(join, "--patience", "SECONDS", given.patience, 0, 31'536'000,
            "how long to retry without a server; 0 for ever (300)");
  for (CLI::Option* option :
       {add_option(join, "--token", "FILE", given.token, "file with this client's token"),
        add_option(join, "--ca", "FILE", given.tls.ca,
                   "certificate of the server's authority: turns TLS on"),
        add_option(join, "--cert", "FILE", given.tls.cert, "this client's certificate"),
        add_option(join, "--key", "FILE", given.tls.key, "its private key"),
        join.add_flag("--insecure", given.insecure, "no TLS although the server is elsewhere")}) {
    option->group("security");
  }
  join.add_flag("--log-json", given.log_json, "the log as JSON, one object per line")
      ->group("output");
  add_option(join, "--json", "FILE|-", given.json, "the summary as JSON; - for standard output")
      ->group("output");
}

}  // namespace caucus::cli
