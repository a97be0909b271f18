// caucus data: inspects, converts, splits and generates data.
#include <cmath>

#include "caucus/data/convert.hpp"
#include "caucus/data/generators.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/report/text_table.hpp"
#include "options/interrupt.hpp"
#include "options/option.hpp"
#include "options/progress_line.hpp"

namespace caucus::cli {
namespace {

class ColumnStatistics : public RangeSink {
 public:
  Status row(std::span<const double> values, std::size_t line) override {
    ++rows;
    mean.resize(values.size(), 0.0);
    squares.resize(values.size(), 0.0);
    for (std::size_t c = 0; c < values.size(); ++c) {
      const double delta = values[c] - mean[c];
      mean[c] += delta / static_cast<double>(rows);
      squares[c] += delta * (values[c] - mean[c]);
    }
    return RangeSink::row(values, line);
  }

  std::size_t rows = 0;
  std::vector<double> mean, squares;  ///< of each column, by Welford's method
};

/// The options of the subcommands; each uses some of them.
struct DataCommand {
  std::string file;  ///< or the name of a generator
  std::string out, ranges, noise;
  std::size_t files = 10;
  GeneratorOptions options;
  CLI::Option* clients = nullptr;
  CLI::Option* sample = nullptr;
};

Status info(const DataCommand& command) {
  ColumnStatistics statistics;
  CAUCUS_CHECK([&] {
    const auto line = show_reading({command.file});
    return read_table(command.file, statistics);
  }());
  report::TextTable table({"column", "name", "minimum", "maximum", "mean", "sd", ""}, true);
  std::size_t constant = 0;
  const auto& [names, minimum, maximum] = statistics.ranges;
  for (std::size_t c = 0; c < minimum.size(); ++c) {
    const bool same = minimum[c] == maximum[c];
    constant += static_cast<std::size_t>(same);
    const auto n = static_cast<double>(statistics.rows);
    table.add({std::to_string(c + 1), names.empty() ? "" : names[c], report::rounded(minimum[c], 6),
               report::rounded(maximum[c], 6), report::rounded(statistics.mean[c], 6),
               report::rounded(n > 1 ? std::sqrt(statistics.squares[c] / (n - 1)) : 0.0, 6),
               same ? "constant" : ""});
  }
  if (!command.ranges.empty()) CAUCUS_CHECK(write_ranges(statistics.ranges, command.ranges));
  return print(command.file + ": " + report::grouped(statistics.rows) + " rows, " +
               report::grouped(minimum.size()) + " columns (" + report::grouped(constant) +
               " constant), " + (names.empty() ? "no header" : "with header") + "\n\n" +
               table.text());
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

}  // namespace

void add_data(CLI::App& app, Action& action) {
  CLI::App* data = app.add_subcommand("data", "Look at, convert, split and generate data");
  data->require_subcommand(1);
  data->footer("Example:\n  caucus data info elevators.csv.gz");
  auto [looking, look] =
      add_command(*data, action, "info", "Show rows, columns and their ranges",
                  "Example:\n  caucus data info elevators.csv.gz --ranges ranges.csv", info);
  looking.add_option("file", look.file, "CSV, CSV.gz, LIBSVM or ARFF")->required();
  add_option(looking, "--ranges", "FILE", look.ranges,
             "write minimum and maximum here, for --scale-from");
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
