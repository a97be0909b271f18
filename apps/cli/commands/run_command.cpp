// caucus run: simulates M clients and a server on a data set.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "caucus/data/class_names.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/simulation/experiment.hpp"
#include "experts/row_experts.hpp"
#include "options/config_file.hpp"
#include "options/expert_spaces.hpp"
#include "options/flags.hpp"
#include "options/interrupt.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "options/progress_line.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kRunExamples =
    R"(A run scales the features to [-1, 1] and the target to [0, 1], unless ranges or --no-scale are
given. Columns of names, dates and times become features, and missing values are filled in; caucus
data info shows what happens to each column.

Examples:
  caucus run --data elevators.csv.gz
  zcat stations/*.csv.gz | caucus run --data - --target NO2 --partition column:station
  caucus run --data elevators.csv.gz --feature-range -1,1 --label-range 0,1 \
             --spaces linear --radii 0.1:1.0:10 --sample 2 --repeats 10 --regret
  caucus run --data d.csv --spaces linear --radii 1,2 --spaces gaussian --widths 1,2,4
  caucus run --data d.csv --algorithm fomd-oms --algorithm nco-oms --json result.json
  caucus run --data d.csv --spaces gaussian --algorithm fomd-oms --algorithm em-kofl --algorithm pof-mkl \
             --repeats 10 --report report.html
  caucus run --data drifting.csv --fixed-share 0.003
  caucus run --data d.csv --print-config > run.toml && caucus run run.toml --seed 7)";

struct RunCommand {
  std::string config_file;
  std::vector<GivenFlag> flags;
  bool print_config = false;
  ResultFlags results;
};

Result<std::vector<std::string>> client_files(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().filename().string().starts_with('.') || entry->is_directory(code)) continue;
    if (entry->path().extension() == ".join") continue;  // a state file of caucus join
    if (!entry->is_regular_file(code)) {
      return data_error(entry->path().string(), "is not a file",
                        "expected one data file per client");
    }
    files.push_back(entry->path().string());
  }
  if (code || files.empty()) {
    return data_error(directory, code ? code.message() : "holds no files",
                      "expected a directory with one data file per client");
  }
  std::sort(files.begin(), files.end());
  return files;
}

report::StoredModel model_of(const report::FinishedRun& run) {
  const AlgorithmResult& first = run.result.results.front();
  report::StoredModel model{
      first.algorithm,
      run.options.loss,
      run.labels,
      run.options.seed,
      0,
      run.options.resolved_sample_size(),
      run.data.feature_names,
      run.data.scaling,
      run.data.encodings,
      run.data.lags,
      run.options.spaces,
      first.learned,
      {},
      report::client_scores(first.clients,
                            first.from_sums ? run.options.schedule.fixed_share : 0.0)};
  model.class_names = run.class_names;
  return model;
}

Status play(const RunCommand& command, const RunConfig& config) {
  CAUCUS_TRY(ExperimentOptions options, config.experiment());
  if (command.print_config) return print(config_toml(config));

  std::vector<std::string> files = {config.file};
  if (!config.clients_from.empty()) {
    CAUCUS_TRY(files, client_files(config.clients_from));
  }
  ResultOutputs outputs(command.results);
  options.keep_forecasts = !command.results.predictions.empty();
  std::vector<std::string> inputs = files;
  inputs.insert(inputs.end(), {config.scale_from, command.config_file});
  CAUCUS_CHECK(outputs.check(inputs));

  Progress progress;
  Interruptible interruptible([&progress] {
    const auto total = static_cast<double>(progress.total);
    const double share = total > 0.0 ? static_cast<double>(progress.done) / total : 0.0;
    return report::rounded(100.0 * share, 2) + "% was done, nothing was written";
  });
  CAUCUS_TRY(const ReadOptions read, config.read_options());
  const bool of_classes = options.loss.is_classification() || options.loss.has_classes();
  const auto targets = of_classes ? TargetClipping::kept : TargetClipping::clipped;
  auto dataset = [&] {
    const auto line = show_reading(files);
    return read_dataset(files, read, targets);
  }();
  if (!dataset.ok()) return std::move(dataset.error());
  Dataset& data = *dataset;
  for (const std::string& note : data.notes()) warn("note: " + note);
  name_experts(options.spaces, data.expert_names());
  LabelConvention labels = LabelConvention::none;
  if (options.loss.is_classification()) {
    CAUCUS_TRY(labels, apply_label_convention(data));
  }
  std::vector<std::string> class_names;
  const bool is_named = !data.target_names().empty() && options.loss.name() == "square";
  if (options.loss.has_classes() || is_named) {
    CAUCUS_TRY(class_names, apply_classes(data, read.classes));
    options.loss = Loss{ClassesLoss{{}, class_names.size()}};
    if (config.commanded_experts() != nullptr) {
      return usage_error("expert_command", "a program makes no forecasts of several classes yet",
                         "expected --expert-columns, whose numbers name classes");
    }
  }
  std::unique_ptr<RowExperts> experts;
  std::optional<AskedRows> asked;
  if (const SpaceGroup* group = config.commanded_experts()) {
    ExpertProgram program{group->command, expert_names(options.spaces)};
    if (group->timeout) program.timeout = milliseconds_of(*group->timeout);
    CAUCUS_TRY(experts, RowExperts::start(std::move(program), files, read, data, options.loss));
    const auto ask = [&experts](const ExpertQuestion& question, std::span<float> forecasts) {
      return experts->answer(question, forecasts);
    };
    asked.emplace(data, AskedExperts(ask, options.spaces, options.loss, data.features()));
  }
  auto result = [&] {
    const auto line = show_progress(progress);
    return run_experiment(data, options, progress, asked ? &*asked : nullptr);
  }();
  if (!result.ok()) return std::move(result.error());
  report::DataFacts facts = report::facts_of(data);
  if (!config.clients_from.empty()) facts.name = config.clients_from;
  facts.in_order = keeps_order(options.partition.kind);
  const report::FinishedRun run{version(),  result_config(config), options, facts, *result, labels,
                                class_names};
  const report::StoredModel model = model_of(run);
  CAUCUS_CHECK(outputs.fill(run, model));
  interruptible.end();
  CAUCUS_CHECK(outputs.write());
  if (!command.results.model_out.empty()) say_scores(model);
  return Done{};
}

Status execute_run(const RunCommand& command) {
  RunConfig config;
  if (!command.config_file.empty()) {
    CAUCUS_TRY(config, read_config(command.config_file));
  }
  CAUCUS_CHECK(apply_flags(command.flags, config));
  Status status = play(command, config);
  return status.ok() ? status : located(std::move(status.error()), config);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto [run, given] = add_command(app, action, "run", "Simulate clients and a server on a data set",
                                  kRunExamples, execute_run);
  add_option(run, "config", "FILE.toml", given.config_file,
             "configuration file; flags win over it");
  add_run_flags(run, given.flags);
  add_result_flags(run, given.results,
                   "what the first algorithm learned in the first repetition, for caucus predict");
  add_option(run, "--predictions", "FILE", given.results.predictions,
             "every forecast of the first repetition, as CSV in original units")
      ->group("output");
  run.add_flag("--print-config", given.print_config, kPrintConfigHelp)->group("output");
}

}  // namespace caucus::cli
