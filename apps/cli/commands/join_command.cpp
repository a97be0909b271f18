// caucus join: take part in a federation with the rows of a file.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/connection_security.hpp"
#include "caucus/report/text_table.hpp"
#include "command.hpp"
#include "joining/join_run.hpp"
#include "options/number_option.hpp"
#include "options/output_files.hpp"
#include "options/progress_line.hpp"
#include "options/settings.hpp"
#include "options/token_option.hpp"
#include "serving/server_log.hpp"
#include "serving/stop_signals.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kJoinExamples =
    R"(The server says which column is what and how it is scaled. Rows are not sent, but the
server can compute a row from a report of one round: join only a server that you trust with them.
Rows are used in their order, as many per batch as the server asks for.

When the server is away it is tried again, and what it has lost is sent again. When this client is
killed or stopped, --resume goes on at the same row, exactly: what it must know for that is in
FILE.NAME.join beside the data (--state), which a finished run removes. Without that file --resume
goes on at the server's position. A client that is stopped by SIGTERM or SIGINT exits with 4, as one
that is refused or has lost its patience.

Examples:
  caucus join --server localhost:7070 --client c01 --data clients/c01.csv
  caucus join --server localhost:7070 --client c01 --data clients/c01.csv --resume
  caucus join --server host:7070 --client c01 --data c01.csv --token c01.token \
              --ca ca.pem --cert c01.pem --key c01.key --json -)";

struct JoinCommand {
  std::string server, client, data, state, token, json;
  TlsFiles tls;
  bool resume = false, insecure = false, log_json = false;
  std::uint64_t patience = 300;
};

Result<JoinOptions> read_options(const JoinCommand& command) {
  JoinOptions options;
  CAUCUS_TRY(options.server, parse_server_address(command.server, "--server"));
  CAUCUS_CHECK(check_client_name(command.client, "--client"));
  CAUCUS_TRY(options.tls, read_tls_and_warn(command.tls));
  CAUCUS_CHECK(check_security(options.server, options.tls, command.insecure));
  if (!command.token.empty()) {
    CAUCUS_TRY(options.token, read_token_and_warn(command.token));
  }
  std::error_code code;
  if (!std::filesystem::exists(command.data, code)) {  // sooner than when the server has answered
    return data_error(command.data, "there is no such file", "expected the client's data");
  }
  options.client = command.client;
  options.data_file = command.data;
  options.state_file =
      command.state.empty() ? command.data + "." + command.client + ".join" : command.state;
  options.resume = command.resume;
  options.patience = std::chrono::seconds(command.patience);
  return options;
}

double per_row(double sum, const JoinOutcome& outcome) {
  return outcome.played.rows == 0 ? 0.0 : sum / static_cast<double>(outcome.played.rows);
}

Json outcome_json(const JoinCommand& command, const JoinOutcome& outcome) {
  const PlayedRows& played = outcome.played;
  Json json = {{"version", version()},
               {"client", command.client},
               {"run", run_text(outcome.run)},
               {"rows", outcome.rows},
               {"first_row", outcome.first_row + 1},
               {"played", played.rows},
               {"batches", played.batches},
               {"repeated", played.again},
               {"loss", nullptr},
               {"mse", nullptr}};
  if (played.rows > 0) {
    json["loss"] = per_row(played.loss, outcome);
    json["mse"] = per_row(played.squared_error, outcome);
    if (outcome.loss.is_classification()) {
      json["accuracy"] = per_row(static_cast<double>(played.correct), outcome);
      json["log_loss"] = per_row(played.log_loss, outcome);
    }
  }
  json["bytes_up"] = outcome.bytes_up;
  json["bytes_down"] = outcome.bytes_down;
  json["connections"] = outcome.connections;
  return json;
}

std::string outcome_text(const JoinCommand& command, const JoinOutcome& outcome) {
  const PlayedRows& played = outcome.played;
  std::string text = command.client + ": ";
  if (played.rows == 0 && outcome.first_row == outcome.rows) {
    text += "all of " + report::grouped(outcome.rows) + " rows were counted before";
  } else {
    text += report::grouped(played.rows) + " of " + report::grouped(outcome.rows) + " rows in " +
            report::grouped(played.batches) + " batches";
    if (outcome.first_row > 0)
      text += ", from row " + report::grouped(outcome.first_row + 1) + " on";
  }
  text += "\n";
  if (played.rows > 0) {
    text += "mean loss " + report::rounded(per_row(played.loss, outcome)) + ", MSE " +
            report::rounded(per_row(played.squared_error, outcome));
    if (outcome.loss.is_classification()) {
      text +=
          ", accuracy " + report::rounded(per_row(static_cast<double>(played.correct), outcome));
    }
    text += " of the forecasts given\n";
  }
  text += report::grouped(outcome.bytes_up) + " bytes up, " + report::grouped(outcome.bytes_down) +
          " down, " + report::grouped(outcome.connections) +
          (outcome.connections == 1 ? " connection" : " connections");
  if (played.again > 0) text += "; " + report::grouped(played.again) + " reports sent again";
  return text + "\n";
}

Result<JoinOutcome> play(JoinOptions options) {
  StopSignals signals;
  JoinRun run(std::move(options));
  signals.watch([&run] { run.interrupt(); });
  Progress progress;
  auto outcome = [&] {
    const ProgressLine line(progress, "waiting for the others");
    return run.play(progress);
  }();
  signals.unwatch();
  return outcome;
}

/// It is written, replaced and removed.
Status check_state(const std::string& path, const std::vector<std::string>& inputs) {
  constexpr const char* kExpected =
      "expected a place to keep what --resume needs, here or with "
      "--state";
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
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may go away
  LogWriter log_writer(STDERR_FILENO, command.log_json ? LogForm::json : LogForm::pairs);
  options.log = log_writer.log();
  const std::string state_file = options.state_file;
  CAUCUS_TRY(const JoinOutcome outcome, play(std::move(options)));
  const std::string json = report::json_text(outcome_json(command, outcome)) + "\n";
  for (Output& output : outputs) output.text = json;
  CAUCUS_CHECK(write_outputs(outputs));
  CAUCUS_CHECK(print(command.json == "-" ? json : outcome_text(command, outcome)));
  JoinState::remove(state_file);  // the last thing: until now it could have been killed
  return Done{};
}

}  // namespace

void add_join(CLI::App& app, Action& action) {
  CLI::App* join = app.add_subcommand("join", "Take part in a federation with local data");
  auto command = std::make_shared<JoinCommand>();
  join->add_option("--server", command->server, "where caucus serve listens")
      ->required()
      ->type_name("HOST:PORT");
  join->add_option("--client", command->client, "the name that the server knows this client by")
      ->required()
      ->type_name("NAME");
  join->add_option("--data", command->data, "the client's rows: CSV, CSV.gz, LIBSVM or ARFF")
      ->required()
      ->type_name("FILE");
  join->add_flag("--resume", command->resume, "go on where this client was stopped or killed");
  join->add_option("--state", command->state, "what --resume needs (DATA.NAME.join)")
      ->type_name("FILE");
  add_count(*join, "--patience", command->patience, 0, 31'536'000,
            "give up after so long without a server; 0 for never (300)")
      ->type_name("SECONDS");
  join->add_option("--token", command->token, "file with this client's token")
      ->type_name("FILE")
      ->group("security");
  join->add_option("--ca", command->tls.ca, "certificate of the server's authority: turns TLS on")
      ->type_name("FILE")
      ->group("security");
  join->add_option("--cert", command->tls.cert, "this client's certificate")
      ->type_name("FILE")
      ->group("security");
  join->add_option("--key", command->tls.key, "its private key")
      ->type_name("FILE")
      ->group("security");
  join->add_flag("--insecure", command->insecure, "no TLS although the server is elsewhere")
      ->group("security");
  join->add_flag("--log-json", command->log_json, "the log as JSON, one object per line")
      ->group("output");
  join->add_option("--json", command->json, "the summary as JSON; - for standard output")
      ->type_name("FILE|-")
      ->group("output");
  join->footer(kJoinExamples);
  join->callback([command, &action] { action = [command] { return execute_join(*command); }; });
}

}  // namespace caucus::cli
