// caucus data: look at, convert, split and generate data.
#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "caucus/data/convert.hpp"
#include "caucus/data/generators.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/data/table.hpp"
#include "caucus/report/text_table.hpp"
#include "command.hpp"
#include "options/number_option.hpp"

namespace caucus::cli {
namespace {

struct Column {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double mean = 0.0, squares = 0.0;  ///< Welford
};

class ColumnStatistics : public RowSink {
 public:
  Status header(const TableHeader& header) override {
    names = header.names;
    columns.resize(header.columns);
    return Done{};
  }
  Status row(std::span<const double> values, std::size_t) override {
    ++rows;
    for (std::size_t c = 0; c < values.size(); ++c) {
      Column& column = columns[c];
      column.least = std::min(column.least, values[c]);
      column.most = std::max(column.most, values[c]);
      const double delta = values[c] - column.mean;
      column.mean += delta / static_cast<double>(rows);
      column.squares += delta * (values[c] - column.mean);
    }
    return Done{};
  }

  std::size_t rows = 0;
  std::vector<std::string> names;
  std::vector<Column> columns;
};

Status info(const std::string& file, const std::string& ranges_file) {
  ColumnStatistics statistics;
  CAUCUS_CHECK(read_table(file, statistics));
  report::TextTable table({"column", "name", "minimum", "maximum", "mean", "sd", ""}, true);
  std::size_t constant = 0;
  Ranges ranges{statistics.names, {}, {}};
  for (std::size_t c = 0; c < statistics.columns.size(); ++c) {
    const Column& column = statistics.columns[c];
    const bool same = column.least == column.most;
    constant += static_cast<std::size_t>(same);
    ranges.minimum.push_back(column.least);
    ranges.maximum.push_back(column.most);
    const auto n = static_cast<double>(statistics.rows);
    table.add({std::to_string(c + 1), statistics.names.empty() ? "" : statistics.names[c],
               report::rounded(column.least, 6), report::rounded(column.most, 6),
               report::rounded(column.mean, 6),
               report::rounded(n > 1 ? std::sqrt(column.squares / (n - 1)) : 0.0, 6),
               same ? "constant" : ""});
  }
  if (!ranges_file.empty()) CAUCUS_CHECK(write_ranges(ranges, ranges_file));
  return print(file + ": " + report::grouped(statistics.rows) + " rows, " +
               report::grouped(statistics.columns.size()) + " columns (" +
               report::grouped(constant) + " constant), " +
               (statistics.names.empty() ? "no header" : "with header") + "\n\n" + table.text());
}

void add_info(CLI::App& data, Action& action) {
  CLI::App* command = data.add_subcommand("info", "Rows, columns and their ranges");
  auto file = std::make_shared<std::string>();
  auto ranges = std::make_shared<std::string>();
  command->add_option("file", *file, "CSV, CSV.gz, LIBSVM or ARFF")->required();
  command->add_option("--ranges", *ranges, "write minimum and maximum here, for --scale-from")
      ->type_name("FILE");
  command->footer("Example:\n  caucus data info elevators.csv.gz --ranges ranges.csv");
  command->callback([=, &action] { action = [=] { return info(*file, *ranges); }; });
}

void add_convert(CLI::App& data, Action& action) {
  CLI::App* command = data.add_subcommand("convert", "From one format to another, by extension");
  auto from = std::make_shared<std::string>();
  auto to = std::make_shared<std::string>();
  command->add_option("in", *from, "what to read")->required();
  command->add_option("out", *to, ".csv, .csv.gz or .libsvm to write")->required();
  command->footer("Example:\n  caucus data convert house.arff house.csv.gz");
  command->callback([=, &action] { action = [=] { return convert_table(*from, *to); }; });
}

void add_split(CLI::App& data, Action& action) {
  CLI::App* command = data.add_subcommand("split", "One file per client, rows dealt round-robin");
  auto file = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  auto clients = std::make_shared<std::size_t>(10);
  command->add_option("file", *file, "what to read")->required();
  add_count(*command, "--clients", *clients, 1, 1'000'000, "number of files (10)")->type_name("M");
  command->add_option("--out", *out, "directory for c01.csv, c02.csv, ...")
      ->required()
      ->type_name("DIR");
  command->footer("Example:\n  caucus data split elevators.csv.gz --clients 10 --out clients");
  command->callback([=, &action] { action = [=] { return split_table(*file, *clients, *out); }; });
}

struct GenerateCommand {
  std::string name, out;
  GeneratorOptions options;
  std::string noise;
  CLI::Option* clients = nullptr;
  CLI::Option* sample = nullptr;
};

Status generate(GenerateCommand command) {
  if (!command.noise.empty()) {
    constexpr double kMost = 1e6;
    const auto noise = parse_number(command.noise);
    if (!noise.ok() || *noise < 0.0 || *noise > kMost) {
      return usage_error("--noise", "'" + command.noise + "'", "expected a number from 0 to 1e6");
    }
    command.options.noise = *noise;
  }
  if (!command.name.starts_with("adversary") &&
      command.clients->count() + command.sample->count() > 0) {
    return usage_error("--clients, --sample", "'" + command.name + "' has none",
                       "expected them with an adversary only");
  }
  if (command.out == "-") command.out = "/dev/stdout";
  CAUCUS_TRY(const Generator generator, make_generator(command.name, command.options));
  return write_csv(generator, command.out);
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
  CLI::App* command = data.add_subcommand("generate", "Synthetic data with a known best space");
  auto options = std::make_shared<GenerateCommand>();
  command->add_option("name", options->name, "generator, see below")->required();
  constexpr std::uint64_t kMost = 0xFFFFFFFF;
  GeneratorOptions& given = options->options;
  add_count(*command, "--rows", given.rows, 1, kMost, "rows; of an adversary per client (1000)")
      ->type_name("N");
  command->add_option("--out", options->out, "CSV or CSV.gz to write; - for standard output")
      ->required()
      ->type_name("FILE|-");
  add_count(*command, "--features", given.features, 1, 1'000'000, "features; K of an adversary")
      ->type_name("D");
  options->clients = add_count(*command, "--clients", given.clients, 1, 1'000'000,
                               "adversaries: copies of the rows, one block per client (1)")
                         ->type_name("M");
  options->sample =
      add_count(*command, "--sample", given.sample, 2, 1'000'000, "adversary-partial: J (2)")
          ->type_name("J");
  command->add_option("--noise", options->noise, "standard deviation of the noise")->type_name("X");
  add_count(*command, "--seed", given.seed, 0, ~std::uint64_t{0}, "seed (1)")->type_name("S");
  command->footer(generator_help());
  command->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  CLI::App* data = app.add_subcommand("data", "Look at, convert, split and generate data");
  data->require_subcommand(1);
  data->footer("Example:\n  caucus data info elevators.csv.gz");
  add_info(*data, action);
  add_convert(*data, action);
  add_split(*data, action);
  add_generate(*data, action);
}

}  // namespace caucus::cli
