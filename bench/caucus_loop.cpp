// Measures the whole loop of caucus (sampling, clients, aggregation, both mirror steps) on examples
// in memory, as `caucus run` executes it. It takes the flags of bench/peers/plain_loop and
//   --schedule constant|theory|adaptive|adaptive-first-order
// and prints one line of JSON: the best CPU time per example, the mean of the MSE, and the memory
// used beyond the examples. Under the adaptive schedule the kernels follow a linear space, all
// have an intercept, and batches grow; with
//   --min-batch N
// they last at least N rounds. With
//   --repeats R --threads N --wall 1
// it measures the elapsed time of whole experiments of R repetitions instead (always if R > 1).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "caucus/engine/problem.hpp"
#include "caucus/simulation/experiment.hpp"
#include "caucus/simulation/repetition.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace caucus::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The time to repeat, and the least number of repetitions.
struct Budget {
  double seconds = 1.0;
  std::size_t least_repetitions = 3;
};

ScheduleKind parse_schedule(const std::string& name) {
  if (name == "constant") return ScheduleKind::constant;
  if (name == "theory") return ScheduleKind::theory;
  if (name == "adaptive") return ScheduleKind::adaptive;
  if (name == "adaptive-first-order") return ScheduleKind::adaptive_first_order;
  throw std::runtime_error("--schedule " + name + " is not known");
}

/// Widths in geometric steps from 0.5 to 64; with eight of them they are the paper's.
std::vector<Space> kernels(std::size_t models, std::uint32_t features, double radius) {
  std::vector<Space> spaces;
  for (std::size_t i = 0; i < models; ++i) {
    const double place =
        models > 1 ? static_cast<double>(i) / static_cast<double>(models - 1) : 0.5;
    spaces.push_back({.kind = SpaceKind::gaussian,
                      .radius = radius,
                      .width = std::exp2(-1.0 + 7.0 * place),
                      .features = features});
  }
  return spaces;
}

std::vector<Space> linear_spaces(std::size_t models) {
  std::vector<Space> spaces;
  for (std::size_t i = 0; i < models; ++i) {
    spaces.push_back({.radius = static_cast<double>(i + 1) / static_cast<double>(models)});
  }
  return spaces;
}

ExperimentOptions experiment(Flags& flags) {
  ExperimentOptions options;
  const std::string spaces = flags.take("--spaces", std::string("gaussian"));
  const auto models = flags.take("--models", std::size_t{8});
  const auto features = flags.take("--features", std::uint32_t{100});
  const double radius = flags.take("--radius", 2.0);
  options.schedule.kind = parse_schedule(flags.take("--schedule", std::string("constant")));
  options.constants.eta = flags.take("--eta", 16.0);
  options.constants.lambda = flags.take("--lambda", 1.0);
  options.constants.feature_bound = 1.0;
  options.constants.label_bound = 1.0;
  if (spaces == "linear") {
    options.spaces = linear_spaces(models);
  } else {
    // The adaptive schedule needs no radius, and its default is none.
    options.spaces =
        kernels(models, features, is_adaptive(options.schedule.kind) ? HUGE_VAL : radius);
    options.constants.loss_bound = radius + 1.0;
  }
  const bool statistics = options.schedule.kind == ScheduleKind::adaptive;
  if (statistics) {
    options.spaces.insert(options.spaces.begin(), Space{.radius = HUGE_VAL});
    for (Space& space : options.spaces) space.intercept = true;
  }
  options.min_batch = flags.take("--min-batch", std::size_t{0});
  options.sample_size = flags.take("--sample", std::size_t{2});
  options.clients = flags.take("--clients", std::size_t{10});
  options.rounds_per_upload = flags.take("--rounds-per-upload", std::size_t{statistics ? 0U : 1U});
  options.repeats = flags.take("--repeats", std::size_t{1});
  options.threads = flags.take("--threads", std::size_t{1});
  options.seed = flags.take("--seed", std::uint64_t{1});
  return options;
}

/// The input of a repetition of FOMD-OMS, which is prepared outside the measured time.
struct Repetition {
  Partition partition;
  RunLength length;
  AnyAlgorithm algorithm;
};

UploadRule uploads_of(const Dataset& data, const ExperimentOptions& options) {
  return upload_rule(options, data.features(),
                     learns_from_sums("fomd-oms", options, data.features(), options.clients));
}

Repetition prepare(const Dataset& data, const ExperimentOptions& options) {
  Partition partition =
      value_of(make_partition(options.partition, data, options.clients, options.seed, 0));
  const RunLength length = run_length(partition, uploads_of(data, options));
  auto maps = value_of(FeatureMaps::make(options.spaces, {data.features(), 0}, options.seed, 0,
                                         options.sample_size));
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps), options.loss});
  const auto settings = value_of(
      make_settings("fomd-oms", plan, make_constants(data.scaling(), options), length, options, 0));
  return {std::move(partition), length, make_algorithm("fomd-oms", settings, options.clients)};
}

struct Measured {
  double seconds = HUGE_VAL;  ///< CPU time of all threads in the best repetition
  std::vector<double> mses;
  double examples = 0.0;
  double rounds = 0.0;
};

struct MeanAndError {
  double mean = 0.0;
  double error = 0.0;  ///< the standard deviation of the mean
};

MeanAndError mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  MeanAndError result{std::accumulate(values.begin(), values.end(), 0.0) / n, 0.0};
  double squares = 0.0;
  for (const double value : values) squares += std::pow(value - result.mean, 2);
  result.error = std::sqrt(squares) / n;
  return result;
}

void play_once(const Dataset& data, const ExperimentOptions& options, Measured& measured) {
  Repetition repetition = prepare(data, options);
  const PartitionedData examples(data, repetition.partition);
  std::atomic<std::size_t> done{0};
  const RepetitionInput<PartitionedData> input{
      options.loss, examples, repetition.length, uploads_of(data, options), {},
      {},           done,     options.threads};
  const std::clock_t start = std::clock();
  const RepetitionResult result = play_repetition(std::move(repetition.algorithm), input);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  measured.examples = static_cast<double>(result.telemetry.forecasts);
  measured.rounds = static_cast<double>(repetition.length.rounds);
  measured.seconds = std::min(measured.seconds, seconds);
  measured.mses.push_back(result.telemetry.squared_error / measured.examples);
}

/// Runs one repetition at a time, on one thread.
void measure_loop(const Dataset& data, ExperimentOptions options, const Budget& budget) {
  const PeakMemory peak;
  Measured measured;
  const auto begin = Clock::now();
  while (measured.mses.size() < budget.least_repetitions || seconds_since(begin) < budget.seconds) {
    play_once(data, options, measured);
    ++options.seed;
  }
  const MeanAndError mse = mean_of(measured.mses);
  std::printf(
      "{\"ns_per_example\": %.2f, \"us_per_round\": %.3f, \"mse\": %.6g, \"mse_error\": %.2g, "
      "\"memory_mb\": %.1f, \"repetitions\": %zu}\n",
      1e9 * measured.seconds / measured.examples, 1e6 * measured.seconds / measured.rounds,
      mse.mean, mse.error, peak.megabytes(), measured.mses.size());
}

/// Runs a whole experiment on several threads.
void measure_experiment(const Dataset& data, const ExperimentOptions& options,
                        const Budget& budget) {
  double best = HUGE_VAL;
  double best_cpu = HUGE_VAL;
  std::size_t runs = 0;
  const auto begin = Clock::now();
  while (runs < budget.least_repetitions || seconds_since(begin) < budget.seconds) {
    Progress progress;
    const auto start = Clock::now();
    const std::clock_t cpu_start = std::clock();
    value_of(run_experiment(data, options, progress));
    best = std::min(best, seconds_since(start));
    best_cpu = std::min(best_cpu, static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    ++runs;
  }
  std::printf("{\"wall_seconds\": %.4f, \"cpu_seconds\": %.4f, \"repetitions\": %zu}\n", best,
              best_cpu, runs);
}

void measure(Flags& flags) {
  const Dataset data = read_examples(flags.take("--data", std::string()));
  const Budget budget{flags.take("--seconds", 1.0),
                      flags.take("--least-repetitions", std::size_t{3})};
  const bool wall = flags.take("--wall", std::size_t{0}) != 0;
  const ExperimentOptions options = experiment(flags);
  flags.expect_none_left();
  if (wall || options.repeats > 1) {
    measure_experiment(data, options, budget);
  } else {
    measure_loop(data, options, budget);
  }
}

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  return caucus::bench::run_program("caucus_loop", count, words, caucus::bench::measure);
}
