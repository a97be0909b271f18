// caucus_attacks ATTACK [OPTIONS]: plays a federation, attacks the messages that its server
// received, and prints how many rows came out with every column within 1% of its range.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "attacks.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/data/generators.hpp"
#include "recorded_run.hpp"

namespace caucus::attacks {
namespace {

using Eigen::Index;

constexpr const char* kUsage = R"(usage: caucus_attacks ATTACK [NAME VALUE]...
attacks:
  gradients   inversion of the gradients of single rows
  span        rows whose features lie in the range of the sums
  likely      rows that the inverse of the sums makes likely
  batch       all rows of a batch at once
  rare        rows with a value that no other row of the batch has
options:
  data FILE          a data set; otherwise rows are generated
  features D         generated rows: numbers of x (10)
  rare_every N       generated rows: a column more, which is 1 in every N-th row and -1 elsewhere
  rows N (1000)      clients M (5)
  schedule NAME      adaptive (default) or constant
  min_batch N        0 hides examples (default)
  frequencies D      of each kernel (100)
  starts N (60)      steps N (60)
  shortest N, longest N   attack only batches of so many rows
)";

/// The name of the schedule whose reports are sums.
constexpr std::string_view kSums = "adaptive";

using Options = std::map<std::string, std::string>;

std::size_t number(const Options& options, const std::string& name, std::size_t otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise
                                : static_cast<std::size_t>(std::atoll(found->second.c_str()));
}

Result<Rows> rows_of_file(const std::string& path, std::size_t most) {
  ReadOptions read;
  read.feature_range = Interval{-1.0, 1.0};
  read.label_range = Interval{0.0, 1.0};
  CAUCUS_TRY(const Dataset data, read_dataset({path}, read));
  std::vector<std::size_t> order(data.rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Stream stream({4, Purpose::test, 0, 0, 0});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[stream.below(static_cast<std::uint32_t>(i))]);
  }
  order.resize(std::min(most, order.size()));
  Rows rows(static_cast<Index>(order.size()), static_cast<Index>(data.features()) + 1);
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::size_t row = order[static_cast<std::size_t>(i)];
    const auto x = data.x(row);
    for (std::size_t k = 0; k < x.size(); ++k) {
      rows(i, static_cast<Index>(k)) = static_cast<double>(x[k]);
    }
    rows(i, rows.cols() - 1) = static_cast<double>(data.y(row));
  }
  return rows;
}

/// Rows of the generator `kernel`, scaled to [-1, 1] and [0, 1].
Result<Rows> generated_rows(const Options& options, std::size_t count) {
  const std::size_t features = number(options, "features", 10);
  const std::size_t rare_every = number(options, "rare_every", 0);
  CAUCUS_TRY(const Generator generator,
             make_generator("kernel", {.rows = count, .features = features}));
  const auto inputs = static_cast<Index>(features);
  Rows rows(static_cast<Index>(count), inputs + (rare_every > 0 ? 1 : 0) + 1);
  std::vector<float> x(features);
  for (Index i = 0; i < rows.rows(); ++i) {
    float y = 0.0F;
    generator.row(static_cast<std::size_t>(i), x, y);
    for (Index k = 0; k < inputs; ++k) {
      rows(i, k) = static_cast<double>(x[static_cast<std::size_t>(k)]) / KernelProblem::kHalfSide;
    }
    rows(i, rows.cols() - 1) = static_cast<double>(y);
    if (rare_every > 0) {
      rows(i, inputs) = static_cast<std::size_t>(i) % rare_every == 0 ? 1.0 : -1.0;
    }
  }
  const auto y = rows.col(rows.cols() - 1);
  const double least = y.minCoeff(), largest = y.maxCoeff();
  rows.col(rows.cols() - 1) = (y.array() - least) / (largest - least);
  return rows;
}

/// Returns whether every column of a guess is within 1% of its range, [-1, 1] for x and [0, 1] for
/// y.
bool is_found(const Eigen::RowVectorXd& row, const Guesses& guesses) {
  constexpr double kWithin = 0.01;
  const Index inputs = row.size() - 1;
  return std::any_of(guesses.begin(), guesses.end(), [&](const Eigen::VectorXd& guess) {
    const Eigen::RowVectorXd error = (guess.transpose() - row).cwiseAbs();
    return error.head(inputs).maxCoeff() <= 2.0 * kWithin && error[inputs] <= kWithin;
  });
}

using Attack = std::function<Guesses(const Evidence&, const Effort&)>;

std::optional<Attack> attack_called(const std::string& name) {
  if (name == "gradients") return invert_gradients;
  if (name == "span") return search_span;
  if (name == "likely") return search_likely_rows;
  if (name == "batch") return solve_for_batch;
  if (name == "rare") return [](const Evidence& e, const Effort&) { return read_rare_values(e); };
  return std::nullopt;
}

Status attack_run(const std::string& name, const Attack& attack, const Options& options) {
  const std::size_t count = number(options, "rows", 1000);
  const auto file = options.find("data");
  CAUCUS_TRY(Rows rows, file == options.end() ? generated_rows(options, count)
                                              : rows_of_file(file->second, count));
  const auto schedule = options.find("schedule");
  const bool sums = schedule == options.end() || schedule->second == kSums;
  FederationSettings settings = settings_of(
      sums ? ScheduleKind::adaptive : ScheduleKind::constant, number(options, "clients", 5),
      static_cast<std::size_t>(rows.cols()) - 1, number(options, "min_batch", 0));
  for (Space& space : settings.plan.spaces) {
    space.features = static_cast<std::uint32_t>(number(options, "frequencies", 100));
  }
  settings.problem.spaces = settings.plan.spaces;
  CAUCUS_TRY(const RecordedRun run, record_run(std::move(settings), std::move(rows)));
  const auto features = known_features(run.settings.plan);
  const Effort effort{static_cast<int>(number(options, "starts", 60)),
                      static_cast<int>(number(options, "steps", 60))};
  std::size_t found = 0, attacked = 0;
  for (const Message& message : run.messages) {
    const std::size_t length = message.rows.size();
    if (length < number(options, "shortest", 0) || length > number(options, "longest", 1U << 30U)) {
      continue;
    }
    attacked += length;
    if (message.report.reports.empty()) continue;  // it says nothing of these rows
    const Evidence evidence{run.settings.plan, features, message.assignment, message.report};
    const Guesses guesses = attack(evidence, effort);
    std::size_t here = 0;
    for (const Index row : message.rows) here += is_found(run.rows.row(row), guesses) ? 1U : 0U;
    found += here;
    if (options.contains("verbose")) {
      std::fprintf(stderr, "batch of %zu rows: %zu\n", length, here);
    }
  }
  std::printf("%s: %zu of %zu rows\n", name.c_str(), found, attacked);
  return Done{};
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto attack = words.empty() ? std::nullopt : attack_called(words[0]);
  if (!attack || words.size() % 2 == 0) {
    std::cerr << kUsage;
    return 2;
  }
  Options options;
  for (std::size_t k = 1; k < words.size(); k += 2) options[words[k]] = words[k + 1];
  const auto status = attack_run(words[0], *attack, options);
  if (!status.ok()) {
    std::cerr << "caucus_attacks: error: " << status.error().line() << "\n";
    return static_cast<int>(status.error().kind);
  }
  return 0;
}

}  // namespace
}  // namespace caucus::attacks

int main(int argc, char** argv) { return caucus::attacks::run(argc, argv); }
