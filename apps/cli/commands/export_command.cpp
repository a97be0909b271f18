// caucus export: writes what a served run has learned so far, from its store.
#include <cstdio>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/report/model_file.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "serving/served_configuration.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kExportExamples =
    R"(The models and probabilities after the last durable batch, also
while the server runs and after the run has finished. caucus predict uses them offline.

Examples:
  caucus export run.db -o model.json
  caucus predict --model model.json --data new.csv)";

struct ExportCommand {
  std::string store, out;
};

/// Selects the server's arithmetic, with which the last digits are the server's.
void choose_arithmetic(const std::string& name) {
  if (name == simd::kernels().name || simd::select(name).ok()) return;
  std::fprintf(stderr,
               "caucus: this machine lacks the '%s' variant of the arithmetic; last digits may "
               "differ from the server's\n",
               name.c_str());
}

Status execute_export(const ExportCommand& command) {
  if (command.out != "-") CAUCUS_CHECK(check_outputs({{"-o", command.out}}, {command.store}));
  CAUCUS_TRY(Store store, Store::open_for_reading(command.store));
  const auto nothing_learned = [&] {
    return data_error(command.store, "nothing has been learned yet",
                      "expected the store of a run that has started");
  };
  if (!store.run()) return nothing_learned();
  CAUCUS_TRY(const ServedConfiguration run, parse_plan(store.run()->plan, command.store));
  choose_arithmetic(run.federation.plan.arithmetic);
  CAUCUS_TRY(const Federation federation, recover_federation(run.federation, store));
  if (federation.phase() == Federation::Phase::waiting) return nothing_learned();
  CAUCUS_TRY(const report::StoredModel model, served_model(federation, run));
  return write_text(command.out, report::json_text(report::model_json(model)) + "\n");
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto [command, given] =
      add_command(app, action, "export", "Take the learned model out of a server's store",
                  kExportExamples, execute_export);
  add_option(command, "store", "RUN.db", given.store, "written by caucus serve")->required();
  add_option(command, "-o,--out", "MODEL.json|-", given.out, "where to write")->required();
}

}  // namespace caucus::cli
