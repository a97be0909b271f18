// caucus reproduce: runs the paper's experiments, and some that the paper does not have.
#include <array>
#include <chrono>
#include <cstdlib>

#include "caucus/report/text_table.hpp"
#include "caucus/reproduce/reproduce.hpp"
#include "options/interrupt.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "options/progress_line.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kReproduceExamples = R"(Experiments:
  table3         ten linear spaces, with and without collaboration: claims G1 and G2
  table4         eight kernels, beside eM-KOFL and POF-MKL, tuned: claim G3
  lower-bound    the two games of Theorem 4, beside the explicit bounds; needs no data
  communication  MSE against bits per client, for 1 to 100 rounds per upload
  heterogeneous  Dirichlet splits and lost reports
The last two take elevators and bank where they are, and built-in data.

Examples:
  caucus reproduce table3 --data-dir data --quick
  caucus reproduce table3 --data-dir data --json table3.json
  caucus reproduce table4 --data-dir data --report table4.html
  caucus reproduce lower-bound --report lower-bound.html)";

struct Experiment {
  const char* name;
  bool needs_data;
  Result<report::Reproduction> (*run)(const reproduce::Options&, Progress&);
};

constexpr std::array kExperiments = {
    Experiment{"table3", true, reproduce::table3},
    Experiment{"table4", true, reproduce::table4},
    Experiment{"lower-bound", false, reproduce::lower_bound},
    Experiment{"communication", false, reproduce::communication},
    Experiment{"heterogeneous", false, reproduce::heterogeneous},
};

struct ReproduceCommand {
  std::string experiment;
  reproduce::Options options;
  ResultFlags results;
};

Result<const Experiment*> find_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& each : kExperiments) {
    if (each.name == name) return &each;
    names.emplace_back(each.name);
  }
  return usage_error("caucus reproduce", "'" + name + "' is not an experiment",
                     suggestion(name, names));
}

Status find_data(const Experiment& experiment, reproduce::Options& options) {
  if (options.data_dir.empty()) {
    // No other thread has started yet. NOLINTNEXTLINE(concurrency-mt-unsafe)
    if (const char* given = std::getenv("CAUCUS_DATA_DIR")) options.data_dir = given;
  }
  if (!options.data_dir.empty() || !experiment.needs_data) return Done{};
  return usage_error("--data-dir", "is not given, nor is CAUCUS_DATA_DIR set",
                     "expected the directory with the paper's data sets");
}

report::Json config_json(const ReproduceCommand& command) {
  const reproduce::Options& options = command.options;
  return {{"command", command_line()},
          {"data_dir", options.data_dir},
          {"repeats", options.reported()},
          {"quick", options.quick},
          {"seed", options.seed}};
}

Status execute_reproduce(const ReproduceCommand& given) {
  ReproduceCommand command = given;
  CAUCUS_TRY(const Experiment* experiment, find_experiment(command.experiment));
  CAUCUS_CHECK(find_data(*experiment, command.options));
  ResultOutputs outputs(command.results);
  CAUCUS_CHECK(outputs.check({}));

  Interruptible interruptible;
  const auto start = std::chrono::steady_clock::now();
  Progress progress;
  auto found = [&] {
    const auto line = show_progress(progress);
    return experiment->run(command.options, progress);
  }();
  if (!found.ok()) return std::move(found.error());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  report::Json json = {{"version", version()}, {"reproduce", experiment->name}};
  json["config"] = config_json(command);
  json.update(report::reproduction_json(*found));
  json["seconds"] = seconds.count();
  const std::string head =
      command.options.quick ? "A quick look: fewer repetitions, smaller grids and data.\n\n" : "";
  CAUCUS_CHECK(outputs.fill(json, head + report::reproduction_text(*found) + "\n" +
                                      report::rounded(seconds.count(), 3) + " seconds\n"));
  interruptible.end();
  return outputs.write();
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto [reproduce, given] =
      add_command(app, action, "reproduce", "Repeat the paper's experiments and compare",
                  kReproduceExamples, execute_reproduce);
  reproduce::Options& options = given.options;
  add_option(reproduce, "experiment", "table3|table4|lower-bound|communication|heterogeneous",
             given.experiment, "which one")
      ->required();
  add_option(reproduce, "--data-dir", "DIR", options.data_dir,
             "where the data sets are; default CAUCUS_DATA_DIR");
  add_count(reproduce, "--repeats", "R", options.repeats, 1, 1000,
            "repetitions to report (10; 2 with --quick)");
  reproduce.add_flag("--quick", options.quick, "a look in less than a minute");
  add_count(reproduce, "--seed", "S", options.seed, 0, UINT64_MAX, "seed of random numbers (1)");
  add_count(reproduce, "--threads", "N", options.threads, 0, 4096, "threads; 0: all cores (0)");
  add_option(reproduce, "--json", "FILE|-", given.results.json,
             "findings as JSON; - for standard output");
  add_option(reproduce, "--report", "FILE.html", given.results.report, "findings as one HTML page");
}

}  // namespace caucus::cli
