// Small fixed runs for counting instructions (bench/callgrind):
//   counted_runs --run kernels|linear|adaptive
//   counted_runs --run csv --file SCRATCH.csv
// Only caucus_counted_run is counted, not the generation of the data.
#include <cmath>
#include <string>
#include <vector>

#include "caucus/data/generators.hpp"
#include "caucus/simulation/experiment.hpp"
#include "program.hpp"

namespace caucus::bench {
namespace {

Generator problem(std::size_t rows) {
  GeneratorOptions options;
  options.rows = rows;
  options.features = 18;
  return value_of(make_generator("linear", options));
}

std::vector<Space> kernels(double radius) {
  std::vector<Space> spaces;
  for (const double width : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    spaces.push_back({.kind = SpaceKind::gaussian, .radius = radius, .width = width});
  }
  return spaces;
}

std::vector<Space> linear_spaces() {
  std::vector<Space> spaces;
  for (int i = 1; i <= 10; ++i) spaces.push_back({.radius = 0.1 * i});
  return spaces;
}

ExperimentOptions options_of(const std::string& run) {
  ExperimentOptions options;
  options.threads = 1;
  options.constants.eta = 1.0;
  options.constants.lambda = 0.1;
  options.constants.loss_bound = 9.0;
  options.schedule.kind = ScheduleKind::constant;
  if (run == "kernels") {
    options.spaces = kernels(2.0);
  } else if (run == "linear") {
    options.spaces = linear_spaces();
  } else if (run == "adaptive") {
    options.spaces = kernels(HUGE_VAL);
    options.schedule.kind = ScheduleKind::adaptive;
  } else {
    throw std::runtime_error("--run " + run + " is not known");
  }
  return options;
}

/// A function pointer and its argument, so that the counted code has one name.
struct Work {
  void (*call)(const Work&) = nullptr;
  const Dataset* data = nullptr;
  ExperimentOptions options;
  std::string file;
};

void play(const Work& work) {
  Progress progress;
  value_of(run_experiment(*work.data, work.options, progress));
}

void read(const Work& work) {
  value_of(read_dataset({work.file}, {.feature_range = Interval{-1.0, 1.0}}));
}

}  // namespace

// Callgrind switches counting on and off by this name.
extern "C" [[gnu::noinline]] void caucus_counted_run(const Work& work) { work.call(work); }

namespace {

void run(Flags& flags) {
  const auto name = flags.take("--run", std::string());
  const auto file = flags.take("--file", std::string());
  flags.expect_none_left();
  if (name == "csv") {
    const Status written = write_csv(problem(3000), file);
    if (!written.ok()) throw std::runtime_error(written.error().line());
    caucus_counted_run({read, nullptr, {}, file});
  } else {
    const Dataset data = value_of(generate_dataset(problem(name == "adaptive" ? 200 : 3000)));
    caucus_counted_run({play, &data, options_of(name), {}});
  }
}

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  return caucus::bench::run_program("counted_runs", count, words, caucus::bench::run);
}
