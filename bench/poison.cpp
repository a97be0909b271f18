// What lies cost the other clients: the table of docs/robustness.md.
//   poison FILE.csv.gz [partition [repetitions [part of the name of a way [a lie]]]]
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "caucus/data/dataset.hpp"
#include "caucus/data/partition.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/federation/test_poison.hpp"

namespace caucus {
namespace {

constexpr std::size_t kClients = 10;

struct Way {
  const char* name = "";
  ScheduleKind schedule = ScheduleKind::adaptive;
  std::size_t min_batch = 0;
  Robust robust = Robust::none;
  Mode mode = Mode::asynchronous;
};

FederationSettings settings_of(const Way& way, const Dataset& data, std::uint64_t seed) {
  FederationSettings settings;
  SharedPlan& plan = settings.plan;
  const bool statistics = way.schedule == ScheduleKind::adaptive;
  const bool constant = way.schedule == ScheduleKind::constant;
  plan.spaces =
      default_spaces(constant ? 1.0 : std::numeric_limits<double>::infinity(), statistics);
  for (Space& space : plan.spaces) space.intercept = statistics;
  plan.seed = seed;
  plan.sample_size = 2;
  plan.rounds_per_upload = statistics ? 0 : 1;
  plan.statistics = statistics;
  plan.hides_examples = statistics && way.min_batch == 0;
  plan.features = data.features();
  RunOptions& problem = settings.problem;
  problem.spaces = plan.spaces;
  problem.sample_size = 2;
  problem.rounds_per_upload = plan.rounds_per_upload;
  problem.min_batch = way.min_batch;
  if (way.min_batch == 1) problem.growth = 0.2;
  problem.personal = false;
  problem.robust = way.robust;
  problem.mode = way.mode;
  problem.schedule.kind = way.schedule;
  problem.constants.eta = 0.5;
  problem.constants.lambda = 0.2;
  problem.seed = seed;
  settings.max_abs_target = 1.0;
  settings.max_feature_norm = std::sqrt(static_cast<double>(data.features()));
  for (std::size_t j = 0; j < kClients; ++j) settings.clients.push_back("c" + std::to_string(j));
  return settings;
}

double loss_of(const Way& way, const Dataset& data, const char* dealt, std::size_t repetitions,
               Lie lie, std::size_t liars, std::size_t first_honest, std::size_t& rejected) {
  double sum = 0.0;
  for (std::size_t r = 0; r < repetitions; ++r) {
    const auto spec = parse_partition(dealt).value();
    const Partition partition =
        make_partition(spec, data, kClients, 1, static_cast<std::uint32_t>(r)).value();
    const PartitionedData source(data, partition);
    PoisonRun run(settings_of(way, data, r + 1), source, lie, liars);
    const auto outcome = run.play(first_honest);
    sum += outcome.loss;
    rejected += outcome.rejected;
    if (outcome.rejected > 0) std::fprintf(stderr, "rejected: %s\n", outcome.why.c_str());
  }
  return sum / static_cast<double>(repetitions);
}

int table(const std::string& file, const char* dealt, std::size_t repetitions,
          const std::string& only, const std::string& only_lie) {
  ReadOptions options;
  options.feature_range = Interval{-1.0, 1.0};
  options.label_range = Interval{0.0, 1.0};
  const auto data = read_dataset({file}, options);
  if (!data.ok()) return 1;
  const Way ways[] = {
      {"sums", ScheduleKind::adaptive, 0, Robust::none, Mode::asynchronous},
      {"sums, clip", ScheduleKind::adaptive, 0, Robust::clip, Mode::asynchronous},
      {"sums, trim", ScheduleKind::adaptive, 0, Robust::trim, Mode::asynchronous},
      {"synchronous sums", ScheduleKind::adaptive, 0, Robust::none, Mode::synchronous},
      {"synchronous sums, clip", ScheduleKind::adaptive, 0, Robust::clip, Mode::synchronous},
      {"synchronous sums, trim", ScheduleKind::adaptive, 0, Robust::trim, Mode::synchronous},
      {"sums of few", ScheduleKind::adaptive, 1, Robust::none, Mode::asynchronous},
      {"sums of few, clip", ScheduleKind::adaptive, 1, Robust::clip, Mode::asynchronous},
      {"sums of few, trim", ScheduleKind::adaptive, 1, Robust::trim, Mode::asynchronous},
      {"synchronous sums of few", ScheduleKind::adaptive, 1, Robust::none, Mode::synchronous},
      {"synchronous sums of few, clip", ScheduleKind::adaptive, 1, Robust::clip, Mode::synchronous},
      {"synchronous sums of few, trim", ScheduleKind::adaptive, 1, Robust::trim, Mode::synchronous},
      {"constant", ScheduleKind::constant, 0, Robust::none},
      {"constant, clip", ScheduleKind::constant, 0, Robust::clip},
      {"constant, trim", ScheduleKind::constant, 0, Robust::trim},
      {"first order", ScheduleKind::adaptive_first_order, 0, Robust::none},
      {"first order, clip", ScheduleKind::adaptive_first_order, 0, Robust::clip},
      {"first order, trim", ScheduleKind::adaptive_first_order, 0, Robust::trim}};
  const std::pair<Lie, const char*> lies[] = {
      {Lie::flipped, "flipped"}, {Lie::negated, "negated"}, {Lie::largest, "largest"},
      {Lie::corner, "corner"},   {Lie::growing, "growing"}, {Lie::shrinking, "shrinking"},
      {Lie::tiny, "tiny"},       {Lie::losses, "losses"}};
  for (const Way& way : ways) {
    if (!only.empty() && std::string(way.name).find(only) == std::string::npos) continue;
    std::size_t rejected = 0;
    const double honest[] = {loss_of(way, *data, dealt, repetitions, Lie::none, 0, 1, rejected),
                             loss_of(way, *data, dealt, repetitions, Lie::none, 0, 3, rejected)};
    std::printf("%-16s honest %.6f (%zu rejected)", way.name, honest[0], rejected);
    for (const auto& [lie, name] : lies) {
      const bool sums = way.schedule == ScheduleKind::adaptive;
      const bool gradients = lie == Lie::growing || lie == Lie::shrinking || lie == Lie::tiny;
      if (!only_lie.empty() && only_lie != name) continue;
      if (sums ? gradients : lie == Lie::largest)
        continue;  // growing and shrinking are the largest
      rejected = 0;
      const double one = loss_of(way, *data, dealt, repetitions, lie, 1, 1, rejected);
      const double three = loss_of(way, *data, dealt, repetitions, lie, 3, 3, rejected);
      std::printf(" | %s %.2f %.2f", name, one / honest[0], three / honest[1]);
      if (rejected > 0) std::printf(" (%zu rejected)", rejected);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace caucus

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto repetitions = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1UL;
  return caucus::table(argv[1], argc > 2 ? argv[2] : "shuffle", repetitions,
                       argc > 4 ? argv[4] : "", argc > 5 ? argv[5] : "");
}
