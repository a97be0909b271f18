#include <algorithm>
#include <cmath>
#include <numeric>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {
namespace {

std::string plus_minus(const std::vector<double>& values) {
  if (std::isnan(mean(values))) return "diverged";
  std::string centre = rounded(mean(values));
  if (values.size() < 2) return centre;
  return centre + " ± " + rounded(standard_deviation(values), 2);
}

/// Names the steps that an adaptive schedule chose.
std::string steps_text(const FinishedRun& run) {
  if (!is_adaptive(run.options.schedule.kind)) return "";
  std::size_t learning = 0;
  for (const Space& space : run.options.spaces) {
    learning += static_cast<std::size_t>(space.kind != SpaceKind::expert);
  }
  for (const AlgorithmResult& result : run.result.results) {
    if (is_baseline(result.algorithm) || learning == 0) continue;
    const std::size_t second = result.second_order;
    if (second == 0) return " (first-order steps)";
    if (second >= learning) return " (second-order steps)";
    return " (second-order steps in " + grouped(second) + " of " + grouped(learning) + " spaces)";
  }
  return "";
}

/// Baselines have no schedule.
std::string schedule_text(const FinishedRun& run) {
  const auto& names = run.options.algorithms;
  if (std::all_of(names.begin(), names.end(), is_baseline)) return "";
  return ", " + word_of(kSchedules, run.options.schedule.kind) + " schedule" + steps_text(run);
}

std::string headline(const FinishedRun& run) {
  const ExperimentResult& r = run.result;
  const std::string clients = grouped(r.clients) + (r.clients == 1 ? " client" : " clients");
  return run.data.name + ": " + grouped(r.used) + " of " + grouped(run.data.rows) + " rows, " +
         grouped(run.data.features()) + " features; " + clients + " x " + grouped(r.rounds) +
         " rounds, " + grouped(r.uploads) + " uploads; K = " + grouped(run.options.spaces.size()) +
         " spaces, J = " + grouped(r.sampled) + "; " + run.options.loss.name() + " loss" +
         schedule_text(run) + "; repetitions: " + grouped(run.options.repeats) + "\n";
}

std::string diverged_text(const FinishedRun& run, const AlgorithmResult& result) {
  if (result.diverged == 0) return "";
  return " (diverged " + grouped(result.diverged) + " of " + grouped(run.options.repeats) + ")";
}

std::string most_likely(const FinishedRun& run, const AlgorithmResult& result) {
  const auto most = std::max_element(result.probabilities.begin(), result.probabilities.end());
  const auto i = static_cast<std::size_t>(most - result.probabilities.begin());
  return run.options.spaces[i].name() + " (" + rounded(100.0 * *most, 3) + "%)";
}

std::string algorithms_table(const FinishedRun& run) {
  const bool square = run.options.loss.name() == "square";
  const bool classes = run.options.loss.is_classification();
  std::vector<std::string> header = {"algorithm", square ? "MSE" : "loss"};
  if (classes) header.insert(header.end(), {"accuracy", "log loss"});
  if (run.options.regret) header.emplace_back("regret");
  header.insert(header.end(), {"up/client/round", "down", "seconds", "most likely space"});
  TextTable table(header, true);
  const std::size_t columns = header.size();
  for (const AlgorithmResult& result : run.result.results) {
    std::vector<std::string> row = {result.algorithm + diverged_text(run, result),
                                    plus_minus(square ? result.mse : result.loss)};
    if (classes) {
      row.push_back(plus_minus(result.accuracy));
      row.push_back(plus_minus(result.log_loss));
    }
    if (run.options.regret) {
      row.push_back(rounded(*std::max_element(result.regret.begin(), result.regret.end())));
    }
    row.insert(row.end(), {bits_text(result.upload_bits_per_client_round),
                           bits_text(result.download_bits_per_client_round),
                           rounded(mean(result.seconds), 3), most_likely(run, result)});
    table.add(row);
  }
  const auto yardstick = [&](const std::string& name, double loss) {
    std::vector<std::string> row(columns);
    row[0] = name;
    row[1] = rounded(loss);
    table.add(row);
  };
  if (run.result.mean_predictor) yardstick("(best constant)", *run.result.mean_predictor);
  if (run.options.regret) {
    yardstick("(best in hindsight)",
              *std::min_element(run.result.best_loss.begin(), run.result.best_loss.end()) /
                  static_cast<double>(run.result.used));
  }
  return table.text();
}

/// Shows the final probabilities as bars, for many spaces only the largest.
std::string spaces_table(const FinishedRun& run) {
  constexpr std::size_t kMostRows = 12;
  const auto& results = run.result.results;
  const auto& first = results.front().probabilities;
  std::vector<std::size_t> order(first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool cut = order.size() > kMostRows;
  if (cut) {
    std::partial_sort(order.begin(), order.begin() + kMostRows, order.end(),
                      [&](std::size_t a, std::size_t b) { return first[a] > first[b]; });
    order.resize(kMostRows);
  }
  std::vector<std::string> header = {cut ? "likeliest spaces" : "space"};
  for (const AlgorithmResult& result : results) header.push_back("p " + result.algorithm);
  if (run.options.regret) header.insert(header.end(), {"best loss/example", "regret"});
  header.emplace_back(results.front().algorithm);
  TextTable table(header, true);
  for (const std::size_t i : order) {
    std::vector<std::string> row = {run.options.spaces[i].name()};
    for (const AlgorithmResult& result : results)
      row.push_back(rounded(result.probabilities[i], 3));
    if (run.options.regret) {
      row.push_back(rounded(results.front().best_loss[i] / static_cast<double>(run.result.used)));
      row.push_back(rounded(results.front().regret[i]));
    }
    row.push_back(bar(first[i], 20));
    table.add(row);
  }
  return table.text();
}

}  // namespace

std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result) {
  return is_baseline(result.algorithm) ? "own" : word_of(kSchedules, run.options.schedule.kind);
}

std::string result_table(const FinishedRun& run) {
  std::string text = headline(run) + "\n" + algorithms_table(run);
  if (run.options.spaces.size() > 1) text += "\n" + spaces_table(run);
  return text;
}

}  // namespace caucus::report
