// caucus export: what a served run has learned so far, from its store.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/federation/store/recovery.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/report/model_file.hpp"
#include "command.hpp"
#include "options/output_files.hpp"
#include "serving/served_result.hpp"
#include "serving/served_run.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kExportExamples =
    R"(The models and probabilities after the last durable batch, also
while the server goes on and after the run is over. caucus predict uses them offline.

Examples:
  caucus export run.db -o model.json
  caucus predict --model model.json --data new.csv)";

struct ExportCommand {
  std::string store, out;
};

/// Bits are those of the server only with its arithmetic.
void choose_arithmetic(const std::string& name) {
  if (name == simd::kernels().name || simd::select(name).ok()) return;
  std::fprintf(stderr,
               "caucus: this machine lacks the '%s' variant of the arithmetic; last digits may "
               "differ from the server's\n",
               name.c_str());
}

Status execute_export(const ExportCommand& command) {
  std::vector<Output> outputs;
  if (command.out != "-") outputs.push_back({"-o", command.out});
  CAUCUS_CHECK(check_outputs(outputs, {command.store}));
  CAUCUS_TRY(Store store, Store::open_for_reading(command.store));
  const auto nothing_learned = [&] {
    return data_error(command.store, "nothing has been learned yet",
                      "expected the store of a run that has begun");
  };
  if (!store.run()) return nothing_learned();
  CAUCUS_TRY(const ServedRun run, parse_plan(store.run()->plan, command.store));
  choose_arithmetic(run.federation.plan.arithmetic);
  CAUCUS_TRY(const Federation federation, recover_federation(run.federation, store));
  if (federation.phase() == Federation::Phase::waiting) return nothing_learned();
  CAUCUS_TRY(const report::StoredModel model, served_model(federation, run));
  const std::string text = report::json_text(report::model_json(model)) + "\n";
  if (outputs.empty()) return print(text);
  outputs.front().text = text;
  return write_outputs(outputs);
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* exporting =
      app.add_subcommand("export", "Take the learned model out of a server's store");
  auto command = std::make_shared<ExportCommand>();
  exporting->add_option("store", command->store, "written by caucus serve")
      ->required()
      ->type_name("RUN.db");
  exporting->add_option("-o,--out", command->out, "where to write")
      ->required()
      ->type_name("MODEL.json|-");
  exporting->footer(kExportExamples);
  exporting->callback(
      [command, &action] { action = [command] { return execute_export(*command); }; });
}

}  // namespace caucus::cli
