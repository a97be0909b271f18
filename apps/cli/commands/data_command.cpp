// caucus data: inspects, converts, splits and generates data.
#include <string>
#include <vector>

#include "caucus/data/convert.hpp"
#include "caucus/data/generators.hpp"
#include "caucus/data/ranges.hpp"
#include "commands/data_info.hpp"
#include "options/interrupt.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "options/progress_line.hpp"

namespace caucus::cli {
namespace {

/// The options of the subcommands; each uses some of them.
struct DataCommand {
  std::string file;  ///< or the name of a generator
  std::string out, ranges, noise;
  std::size_t files = 10;
  GeneratorOptions options;
  ReadOptions columns;
  std::vector<std::string> files_to_merge;
  CLI::Option* clients = nullptr;
  CLI::Option* sample = nullptr;
};

Status info(const DataCommand& command) {
  const auto line = show_reading({command.file});
  return show_data_info(command.file, command.columns, command.ranges);
}

Status merge(const DataCommand& command) {
  CAUCUS_TRY(const Ranges merged, merge_ranges(command.files_to_merge));
  return write_text(command.out, ranges_text(merged));
}

Status convert(const DataCommand& command) {
  const Interruptible interruptible;
  const auto line = show_reading({command.file});
  return convert_table(command.file, command.out);
}

Status split_rows(const DataCommand& command) {
  const Interruptible interruptible;
  const auto line = show_reading({command.file});
  return split_table(command.file, command.files, command.out);
}

Status generate(const DataCommand& command) {
  GeneratorOptions options = command.options;
  if (!command.noise.empty()) {
    constexpr double kMost = 1e6;
    const auto noise = parse_number(command.noise);
    if (!noise.ok() || *noise < 0.0 || *noise > kMost) {
      return usage_error("--noise", "'" + command.noise + "'", "expected a number from 0 to 1e6");
    }
    options.noise = *noise;
  }
  if (!command.file.starts_with("adversary") &&
      command.clients->count() + command.sample->count() > 0) {
    return usage_error("--clients, --sample", "'" + command.file + "' has none",
                       "expected them with an adversary only");
  }
  CAUCUS_TRY(const Generator generator, make_generator(command.file, options));
  return write_csv(generator, command.out == "-" ? "/dev/stdout" : command.out);
}

std::string generator_names() {
  std::string names;
  for (const GeneratorInfo& info : generator_list()) {
    names += (names.empty() ? "" : "|") + std::string(info.name);
  }
  return names;
}

std::string generator_help() {
  std::string text = "Generators:\n";
  for (const GeneratorInfo& info : generator_list()) {
    text += "  " + std::string(info.name) + std::string(20 - info.name.size(), ' ') +
            std::string(info.description) + "\n" + std::string(22, ' ') +
            "best: " + std::string(info.best) + "\n";
  }
  return text + "\nExample:\n  caucus data generate linear --rows 20000 --out linear.csv";
}

void add_generate(CLI::App& data, Action& action) {
  auto [command, given] =
      add_command(data, action, "generate", "Generate data with a known best space",
                  generator_help(), generate);
  constexpr std::uint64_t kMost = 1'000'000;
  GeneratorOptions& options = given.options;
  command.add_option("name", given.file, "generator, see below")
      ->type_name(generator_names())
      ->required();
  add_count(command, "--rows", "N", options.rows, 1, 0xFFFFFFFF,
            "rows; of an adversary per client (1000)");
  add_option(command, "--out", "FILE|-", given.out, "CSV or CSV.gz to write; - for standard output")
      ->required();
  add_count(command, "--features", "D", options.features, 1, kMost, "features; K of an adversary");
  given.clients = add_count(command, "--clients", "M", options.clients, 1, kMost,
                            "adversaries: copies of the rows, one block per client (1)");
  given.sample = add_count(command, "--sample", "J", options.sample_size, 2, kMost,
                           "adversary-partial: J (2)");
  add_option(command, "--noise", "X", given.noise, "standard deviation of the noise");
  add_count(command, "--seed", "S", options.seed, 0, ~std::uint64_t{0}, "seed (1)");
}

void add_info(CLI::App& data, Action& action) {
  auto [command, given] =
      add_command(data, action, "info", "Show each column, its values and what a run does with it",
                  "Examples:\n  caucus data info elevators.csv.gz --ranges ranges.csv\n"
                  "  caucus data info stations.csv --target NO2 --categories month",
                  info);
  command.add_option("file", given.file, "CSV, CSV.gz, LIBSVM or ARFF; - for standard input")
      ->required();
  add_option(command, "--ranges", "FILE", given.ranges,
             "write minimum and maximum of the numbers here, for --scale-from");
  add_option(command, "--target", "last|first|N|NAME", given.columns.target,
             "as in caucus run, and so are:");
  const auto add_list = [&into = command](const char* flag, std::vector<std::string>& list) {
    add_option(into, flag, "A,B,...", list, "columns of this use")->delimiter(',');
  };
  add_list("--drop", given.columns.drop);
  add_list("--categories", given.columns.categories);
  add_list("--numbers", given.columns.numbers);
  add_option(command, "--time", "A", given.columns.time, "column of dates or times");
}

void add_ranges(CLI::App& data, Action& action) {
  CLI::App* ranges = data.add_subcommand("ranges", "Combine ranges of columns");
  ranges->require_subcommand(1);
  auto [command, given] = add_command(
      *ranges, action, "merge", "Write the smallest ranges that contain those of all files",
      "Example:\n  caucus data ranges merge site1.csv site2.csv --out ranges.csv", merge);
  command.add_option("files", given.files_to_merge, "ranges files or data files")->required();
  given.out = "-";
  add_option(command, "--out", "FILE|-", given.out, "ranges file to write (standard output)");
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  CLI::App* data = app.add_subcommand("data", "Look at, convert, split and generate data");
  data->require_subcommand(1);
  data->footer("Example:\n  caucus data info elevators.csv.gz");
  add_info(*data, action);
  add_ranges(*data, action);
  auto [converting, conversion] =
      add_command(*data, action, "convert", "Convert a file to another format, by extension",
                  "Example:\n  caucus data convert house.arff house.csv.gz", convert);
  converting.add_option("in", conversion.file, "what to read")->required();
  converting.add_option("out", conversion.out, ".csv, .csv.gz or .libsvm to write")->required();
  auto [splitting, parts] = add_command(
      *data, action, "split", "Deal rows round-robin to one file per client",
      "Example:\n  caucus data split elevators.csv.gz --clients 10 --out clients", split_rows);
  splitting.add_option("file", parts.file, "what to read")->required();
  add_count(splitting, "--clients", "M", parts.files, 1, 1'000'000, "number of files (10)");
  add_option(splitting, "--out", "DIR", parts.out, "directory for c01.csv, c02.csv, ...")
      ->required();
  add_generate(*data, action);
}

}  // namespace caucus::cli
