// caucus export: writes what a served run has learned so far, from its store.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>

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
Says how well each client was predicted at last, and warns where a constant is better.

Examples:
  caucus export run.db -o model.json
  caucus export run.db -o earlier.json --at 20
  caucus predict --model model.json --data new.csv)";

struct ExportCommand {
  std::string store, out;
  std::optional<std::uint64_t> at;
};

/// Selects the server's arithmetic, with which the last digits are the server's.
void choose_arithmetic(const std::string& name) {
  if (name == simd::kernels().name || simd::select(name).ok()) return;
  std::fprintf(stderr,
               "caucus: this machine lacks the '%s' variant of the arithmetic; last digits may "
               "differ from the server's\n",
               name.c_str());
}

/// Returns what had been learned after a batch. The store keeps all batches since the last
/// snapshot, and of earlier ones what was learned up to some of them.
Result<LearnedState> learned_at(std::uint64_t batch, const ServedConfiguration& run,
                                const Federation& latest, Store& store) {
  const std::uint64_t last = store.durable();
  const std::uint64_t snapshot = std::max<std::uint64_t>(1, store.snapshot_batch());
  if (batch >= snapshot && batch <= last) {
    CAUCUS_TRY(const Federation then, recover_federation(run.federation, store, batch));
    return then.learned();
  }
  if (batch > 0 && batch < snapshot) {
    CAUCUS_TRY(const auto kept, store.learned(batch));
    if (kept) return latest.read_learned(*kept);
  }
  const auto nearest = [&](std::uint64_t near, bool up) {
    while (near > 0 && near < snapshot && !Federation::keeps_learned(near)) up ? ++near : --near;
    return near > 0 && near < snapshot ? std::to_string(near) + ", " : "";
  };
  std::string expected =
      "expected " + nearest(batch, false) + nearest(batch + 1, true) + std::to_string(snapshot);
  if (last > snapshot) expected += " to " + std::to_string(last);
  return usage_error("--at", "the model after batch " + std::to_string(batch) + " is not kept",
                     expected);
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
  LearnedState learned = federation.learned();
  if (command.at) {
    CAUCUS_TRY(learned, learned_at(*command.at, run, federation, store));
  }
  CAUCUS_TRY(const report::StoredModel model, served_model(federation, run, learned));
  CAUCUS_CHECK(write_text(command.out, report::json_text(report::model_json(model)) + "\n"));
  say_scores(model);
  return Done{};
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto [command, given] =
      add_command(app, action, "export", "Take the learned model out of a server's store",
                  kExportExamples, execute_export);
  add_option(command, "store", "RUN.db", given.store, "written by caucus serve")->required();
  add_option(command, "-o,--out", "MODEL.json|-", given.out, "where to write")->required();
  add_option(
      command, "--at", "N", given.at,
      "as it was after batch N: any since the last snapshot, and of earlier ones 1 to 8, 10, "
      "12, 14, 16, 20, 24, ...");
}

}  // namespace caucus::cli
