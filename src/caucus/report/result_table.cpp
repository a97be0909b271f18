#include <algorithm>
#include <cmath>
#include <numeric>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/data/class_names.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {
namespace {

std::string plus_minus(const AlgorithmResult& result, const std::vector<double>& values) {
  if (std::isnan(mean(values))) return result.diverged > 0 ? "diverged" : "unknown";
  std::string centre = rounded(mean(values));
  if (values.size() < 2) return centre;
  return centre + " ± " + rounded(standard_deviation(values), 2);
}

/// Baselines have no schedule.
std::string schedule_text(const FinishedRun& run) {
  const auto& names = run.options.algorithms;
  if (std::all_of(names.begin(), names.end(), is_baseline)) return "";
  const auto own = std::find_if(run.result.results.begin(), run.result.results.end(),
                                [](const auto& result) { return !is_baseline(result.algorithm); });
  return ", " + schedule_of(run, *own) + " schedule";
}

std::string headline(const FinishedRun& run) {
  const ExperimentResult& r = run.result;
  const std::string clients = grouped(r.clients) + (r.clients == 1 ? " client" : " clients");
  return run.data.name + ": " + grouped(r.used) + " of " + grouped(run.data.rows) + " rows, " +
         grouped(run.data.features()) + " features; " + clients + " x " + grouped(r.rounds) +
         " rounds, " + rounded(r.results.front().uploads) +
         " uploads; K = " + grouped(run.options.spaces.size()) +
         " spaces, J = " + grouped(r.sample_size) + "; " + run.options.loss.name() + " loss" +
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
  using Result = const AlgorithmResult&;
  const bool square = run.options.loss.name() == "square";
  TextTable table;
  const auto& results = run.result.results;
  const auto numbers = [&](const char* name, const auto& cell) {
    table.add_column(name, false, results, cell);
  };
  table.add_column("algorithm", true, results,
                   [&](Result r) { return r.algorithm + diverged_text(run, r); });
  numbers(square ? "MSE" : "loss",
          [&](Result r) { return plus_minus(r, square ? r.mse : r.loss); });
  if (run.options.loss.is_classification() || run.options.loss.has_classes()) {
    numbers("accuracy", [](Result r) { return plus_minus(r, r.accuracy); });
    numbers("log loss", [](Result r) { return plus_minus(r, r.log_loss); });
  }
  const bool regret =
      std::all_of(results.begin(), results.end(), [](Result r) { return knows_all(r.regret); });
  if (regret) {
    numbers("regret",
            [](Result r) { return rounded(*std::max_element(r.regret.begin(), r.regret.end())); });
  }
  numbers("up/client/round", [](Result r) { return bits_text(r.upload_bits_per_client_round); });
  numbers("down", [](Result r) { return bits_text(r.download_bits_per_client_round); });
  numbers("seconds", [](Result r) { return rounded(mean(r.seconds), 3); });
  table.add_column("most likely space", true, results,
                   [&](Result r) { return most_likely(run, r); });
  if (run.result.mean_predictor) {
    table.add({"(best constant)", rounded(*run.result.mean_predictor)});
  }
  if (regret) {
    const auto& losses = run.result.best_loss;
    table.add({"(best in hindsight)", rounded(*std::min_element(losses.begin(), losses.end()) /
                                              static_cast<double>(run.result.used))});
  }
  return table.text();
}

/// Shows what collaboration gave each client, of many clients those that gain least; empty without
/// personal layers.
std::string clients_table(const FinishedRun& run) {
  constexpr std::size_t kMostRows = 12;
  const auto& clients = run.result.results.front().clients;
  std::vector<double> gains;
  for (const ClientResult& client : clients) {
    const bool differ = client.alone && client.alone != client.federated;  // not for classes
    gains.push_back(differ ? client.given / *client.alone : std::nan(""));
  }
  if (clients.size() < 2 || counting(gains).empty()) return {};
  const auto order = largest_of(gains, kMostRows);
  const bool cut = order.size() < clients.size();
  TextTable table;
  const auto losses = [&](const char* name, std::optional<double> ClientResult::*loss) {
    table.add_column(name, false, order, [&](std::size_t j) {
      return clients[j].*loss ? rounded(*(clients[j].*loss)) : "";
    });
  };
  table.add_column(cut ? "clients that gain least" : "client", true, order,
                   [&](std::size_t j) { return clients[j].name; });
  table.add_column("examples", false, order,
                   [&](std::size_t j) { return grouped(clients[j].examples); });
  table.add_column("personal", false, order,
                   [&](std::size_t j) { return rounded(clients[j].given); });
  losses("federated", &ClientResult::federated);
  losses("alone", &ClientResult::alone);
  losses("last target", &ClientResult::persistence);
  return "\n" + table.text();
}

/// Says what the regret of a served run is of.
std::string regret_note(const FinishedRun& run) {
  const std::string examples = grouped(run.result.used);
  if (run.result.results.front().regret_exact) {
    return "regret: exact, from the clients' sums over all " + examples + " examples\n";
  }
  return "regret: from the clients' sums over " + examples + " of " + grouped(run.data.rows) +
         " examples" +
         (run.options.min_batch == 0 ? ", in which rare values may be replaced" : "") + "\n";
}

/// Shows the final probabilities as bars, for many spaces only the largest.
std::string spaces_table(const FinishedRun& run) {
  constexpr std::size_t kMostRows = 12;
  const AlgorithmResult& first = run.result.results.front();
  const auto& p = first.probabilities;
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool cut = order.size() > kMostRows;
  if (cut) {
    std::partial_sort(order.begin(), order.begin() + kMostRows, order.end(),
                      [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
    order.resize(kMostRows);
  }
  TextTable table;
  const auto numbers = [&](const std::string& name, const auto& cell) {
    table.add_column(name, false, order, cell);
  };
  table.add_column(cut ? "likeliest spaces" : "space", true, order,
                   [&](std::size_t i) { return run.options.spaces[i].name(); });
  for (const AlgorithmResult& result : run.result.results) {
    numbers("p " + result.algorithm,
            [&](std::size_t i) { return rounded(result.probabilities[i], 3); });
  }
  if (!first.regret.empty()) {
    const auto used = static_cast<double>(run.result.used);
    const auto known = [](double value) { return std::isnan(value) ? "" : rounded(value); };
    numbers("best loss/example", [&](std::size_t i) { return known(first.best_loss[i] / used); });
    numbers("regret", [&](std::size_t i) { return known(first.regret[i]); });
  }
  table.add_column(first.algorithm, true, order, [&](std::size_t i) { return bar(p[i], 20); });
  return table.text();
}

}  // namespace

std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result) {
  if (is_baseline(result.algorithm)) return "own";
  const ScheduleKind kind = run.options.schedule.kind;
  const bool from_gradients = kind == ScheduleKind::adaptive && !result.from_sums;
  return word_of(kSchedules, from_gradients ? ScheduleKind::adaptive_first_order : kind);
}

std::string result_table(const FinishedRun& run) {
  std::string text = headline(run) + "\n" + algorithms_table(run);
  if (run.options.spaces.size() > 1) text += "\n" + spaces_table(run);
  text += clients_table(run);
  if (!run.result.results.front().regret_examples.empty()) text += "\n" + regret_note(run);
  return text;
}

std::string forecasts_csv(const FinishedRun& run) {
  const bool classes = run.labels != LabelConvention::none;
  std::string text = "algorithm,client,round,row,forecast,target\n";
  for (const AlgorithmResult& result : run.result.results) {
    for (const GivenForecast& given : result.forecasts) {
      const Scaling& scaling = run.data.scaling;
      const auto y = static_cast<double>(given.y);
      const auto place = [&] {
        return result.algorithm + "," + std::to_string(given.client + 1) + "," +
               std::to_string(given.round + 1) + "," + std::to_string(given.row + 1) + ",";
      };
      if (!run.class_names.empty()) {
        text += place() + class_field(run.class_names[static_cast<std::size_t>(given.output)]) +
                "," + class_field(run.class_names[static_cast<std::size_t>(y)]) + "\n";
        continue;
      }
      const double target = classes ? written_label(y, run.labels) : scaling.target_original(y);
      // A class score has no unit; a regression prediction has that of the target.
      const double forecast = classes ? given.output : scaling.target_original(given.output);
      text += place() + to_text(forecast) + "," + to_text(target) + "\n";
    }
  }
  return text;
}

}  // namespace caucus::report
