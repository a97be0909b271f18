// The printed result: the answer in words, then tables. It is made from the record of the JSON, as
// the page is.
#include <algorithm>
#include <cmath>

#include "caucus/report/answer/answer.hpp"
#include "caucus/report/answer/phrases.hpp"
#include "caucus/report/html_text.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/wrapped.hpp"

namespace caucus::report {
namespace {

constexpr std::size_t kMostTableRows = 12;

std::string plus_minus(const RunRecord& run, const AlgorithmRecord& r, const Spread& spread) {
  if (std::isnan(spread.mean)) return r.diverged > 0.0 ? "diverged" : "unknown";
  return run.repeats > 1.0 ? figure_with_spread(spread.mean, spread.sd) : figure(spread.mean);
}

std::string known(double value) { return std::isnan(value) ? "" : figure(value); }

/// Baselines have no schedule.
std::string schedule_text(const RunRecord& run) {
  const auto own = std::find_if(run.results.begin(), run.results.end(),
                                [](const AlgorithmRecord& r) { return r.schedule != "own"; });
  return own == run.results.end() ? "" : ", " + own->schedule + " schedule";
}

std::string headline(const RunRecord& run) {
  const AlgorithmRecord& first = run.results.front();
  return run.data_name + ": " + figure(run.used) + " of " + figure(run.rows) + " rows, " +
         figure(run.features) + " features; " + figure(run.clients) +
         (run.clients == 1.0 ? " client" : " clients") + " x " + figure(first.rounds) +
         " rounds, " + rounded(first.uploads) +
         " uploads; K = " + figure(static_cast<double>(first.spaces.size())) +
         " spaces, J = " + figure(first.sample_size) + "; " +
         (run.loss.empty() ? "square" : run.loss) + " loss" + schedule_text(run) +
         "; repetitions: " + (std::isnan(run.repeats) ? "1" : figure(run.repeats));
}

std::string diverged_text(const RunRecord& run, const AlgorithmRecord& r) {
  if (r.diverged == 0.0) return "";
  return " (diverged " + figure(r.diverged) + " of " + figure(run.repeats) + ")";
}

std::string most_likely(const AlgorithmRecord& r) {
  if (r.probabilities.empty()) return "";
  const auto most = std::max_element(r.probabilities.begin(), r.probabilities.end());
  return r.spaces[static_cast<std::size_t>(most - r.probabilities.begin())] + " (" +
         rounded(100.0 * *most, 3) + "%)";
}

std::string algorithms_table(const RunRecord& run, std::size_t width) {
  using Record = const AlgorithmRecord&;
  TextTable table;
  const auto& results = run.results;
  const auto numbers = [&](const char* name, const auto& cell) {
    table.add_column(name, false, results, cell);
  };
  const auto any = [&](double AlgorithmRecord::*member) {
    return std::any_of(results.begin(), results.end(),
                       [&](Record r) { return std::isfinite(r.*member); });
  };
  const auto add = [&](const char* name, double AlgorithmRecord::*member) {
    if (any(member)) numbers(name, [&](Record r) { return known(r.*member); });
  };
  table.add_column("algorithm", true, results,
                   [&](Record r) { return r.algorithm + diverged_text(run, r); });
  numbers(run.is_square() ? "MSE" : "loss",
          [&](Record r) { return plus_minus(run, r, run.score(r)); });
  add("RMSE", &AlgorithmRecord::rmse);
  add("MAE", &AlgorithmRecord::mae);
  if (any(&AlgorithmRecord::r2)) {
    numbers("R2", [](Record r) { return std::isnan(r.r2) ? "" : fixed(r.r2, 3); });
  }
  add("accuracy", &AlgorithmRecord::accuracy);
  add("log loss", &AlgorithmRecord::log_loss);
  const bool regret =
      std::all_of(results.begin(), results.end(), [](Record r) { return knows_all(r.regret); });
  if (regret) numbers("regret", [](Record r) { return figure(largest(r.regret)); });
  table.add_column("most likely space", true, results, most_likely);
  numbers("up/client/round", [](Record r) { return bits_text(r.upload_bits); });
  numbers("down", [](Record r) { return bits_text(r.download_bits); });
  numbers("seconds", [](Record r) { return figure(r.seconds.mean, 3); });

  const auto add_row = [&](const char* name, double score, double rmse, double accuracy,
                           double log_loss) {
    auto& row = table.rows.emplace_back(table.columns.size());
    row[0] = name;
    for (std::size_t c = 1; c < row.size(); ++c) {
      const std::string& column = table.columns[c];
      row[c] = c == 1                 ? known(score)
               : column == "RMSE"     ? known(rmse)
               : column == "accuracy" ? known(accuracy)
               : column == "log loss" ? known(log_loss)
                                      : "";
    }
  };
  const BaselineRecord& baselines = results.front().baselines;
  if (std::isfinite(run.best_constant) || std::isfinite(baselines.constant) ||
      std::isfinite(baselines.accuracy)) {
    const double score = std::isfinite(run.best_constant) ? run.best_constant
                         : run.is_square()                ? baselines.constant
                                                          : kUnknown;
    add_row("(best constant)", score, run.in_units(baselines.constant), baselines.accuracy,
            baselines.log_loss);
  }
  if (run.in_order && std::isfinite(baselines.persistence)) {
    add_row("(last target)", run.is_square() ? baselines.persistence : kUnknown,
            run.in_units(baselines.persistence), kUnknown, kUnknown);
  }
  if (regret && !run.best_in_hindsight.empty()) {
    add_row("(best in hindsight)", least(run.best_in_hindsight), kUnknown, kUnknown, kUnknown);
  }
  return table.text(width);
}

/// Shows what every client got, of many clients those that gain least by taking part or, if that is
/// unknown, those with the largest loss.
std::string clients_table(const RunRecord& run, std::size_t width) {
  const AlgorithmRecord& shown = run.best() != nullptr ? *run.best() : run.results.front();
  const auto& clients = shown.clients;
  if (clients.size() < 2) return {};
  std::vector<double> worst;
  worst.reserve(clients.size());
  for (const ClientRecord& client : clients) worst.push_back(-run.gain(client));
  const bool gains = !counting(worst).empty();
  if (!gains) {
    std::transform(clients.begin(), clients.end(), worst.begin(),
                   [](const ClientRecord& client) { return client.given; });
  }
  const auto order = largest_of(worst, kMostTableRows);
  const bool cut = order.size() < clients.size();
  TextTable table;
  const auto add = [&](const char* name, const auto& value) {
    const auto has = [&](std::size_t j) { return std::isfinite(value(clients[j])); };
    if (std::none_of(order.begin(), order.end(), has)) return;
    table.add_column(name, false, order, [&](std::size_t j) { return known(value(clients[j])); });
  };
  const auto loss = [&](double ClientRecord::*member) {
    return [&run, member](const ClientRecord& client) { return run.shown(client.*member); };
  };
  table.add_column(!cut    ? "client"
                   : gains ? "clients that gain least"
                           : "clients with most loss",
                   true, order, [&](std::size_t j) { return clients[j].name; });
  table.add_column("examples", false, order,
                   [&](std::size_t j) { return figure(clients[j].examples); });
  add("accuracy", [](const ClientRecord& client) { return client.accuracy; });
  add("log loss", [](const ClientRecord& client) { return client.log_loss; });
  add(run.is_square() ? "RMSE" : "loss", loss(&ClientRecord::given));
  if (gains) {
    add("federated", loss(&ClientRecord::federated));
    add("alone", loss(&ClientRecord::alone));
    if (run.in_order) add("last target", loss(&ClientRecord::persistence));
  }
  add("constant", loss(&ClientRecord::constant));
  if (gains) {
    table.add_column("against alone", false, order, [&](std::size_t j) {
      const ClientRecord& client = clients[j];
      return client.compares() ? change_text(run.shown(client.given), run.shown(client.alone)) : "";
    });
  }
  return "\n" + table.text(width);
}

/// Shows how often each class came and was right, of many classes the most frequent ones.
std::string classes_table(const RunRecord& run, std::size_t width) {
  const AlgorithmRecord& shown = run.best() != nullptr ? *run.best() : run.results.front();
  const auto& classes = shown.classes;
  if (classes.empty()) return {};
  std::vector<double> sizes;
  sizes.reserve(classes.size());
  for (const ClassRecord& one : classes) sizes.push_back(one.examples);
  const auto order = largest_of(sizes, kMostTableRows);
  TextTable table;
  const auto add = [&](const char* name, double ClassRecord::*member) {
    table.add_column(name, false, order, [&](std::size_t c) { return figure(classes[c].*member); });
  };
  table.add_column(order.size() < classes.size() ? "most frequent classes" : "class", true, order,
                   [&](std::size_t c) { return classes[c].name; });
  add("examples", &ClassRecord::examples);
  add("predicted", &ClassRecord::predicted);
  add("right", &ClassRecord::right);
  table.add_column("found", false, order, [&](std::size_t c) {
    return classes[c].examples > 0.0 ? percent(classes[c].right / classes[c].examples) : "";
  });
  return "\n" + table.text(width);
}

/// Says what the regret of a served run is of.
std::string regret_note(const RunRecord& run) {
  const AlgorithmRecord& first = run.results.front();
  const std::string examples = figure(run.used);
  if (first.regret_exact) {
    return "regret: exact, from the clients' sums over all " + examples + " examples";
  }
  return "regret: from the clients' sums over " + examples + " of " + figure(run.rows) +
         " examples" + (run.hides_examples ? ", in which rare values may be replaced" : "");
}

/// Shows the final probabilities as bars, for many spaces only the largest.
std::string spaces_table(const RunRecord& run, std::size_t width) {
  const AlgorithmRecord& first = run.results.front();
  const auto& p = first.probabilities;
  if (p.size() < 2) return {};
  const auto order = largest_of(p, kMostTableRows);
  TextTable table;
  const auto numbers = [&](const std::string& name, const auto& cell) {
    table.add_column(name, false, order, cell);
  };
  table.add_column(order.size() < p.size() ? "likeliest spaces" : "space", true, order,
                   [&](std::size_t i) { return first.spaces[i]; });
  table.add_column(first.algorithm, true, order, [&](std::size_t i) { return bar(p[i], 20); });
  for (const AlgorithmRecord& result : run.results) {
    if (result.spaces != first.spaces) continue;
    numbers("p " + result.algorithm,
            [&](std::size_t i) { return share_text(result.probabilities[i]); });
  }
  if (!first.regret.empty()) {
    numbers("best loss/example",
            [&](std::size_t i) { return known(first.best_loss[i] / run.used); });
    numbers("regret", [&](std::size_t i) { return known(first.regret[i]); });
  }
  return "\n" + table.text(width);
}

}  // namespace

std::string result_text(const FinishedRun& run, std::size_t width) {
  const Json json = result_json(run);
  RunRecord record = read_run(json).value();
  record.data_name = run.data.name;
  return result_text(record, width);
}

std::string result_text(const RunRecord& run, std::size_t width) {
  const Answer answer = answer_of(run);
  std::string text = wrapped(answer.text, width) + "\n";
  for (const std::string& hint : answer.advice) {
    text += "\n" + wrapped("Next: " + hint, width, 6) + "\n";
  }
  text += "\n" + wrapped(headline(run), width) + "\n\n";
  text += algorithms_table(run, width) + classes_table(run, width) + clients_table(run, width) +
          spaces_table(run, width);
  if (std::isfinite(run.results.front().regret_examples)) {
    text += "\n" + wrapped(regret_note(run), width) + "\n";
  }
  return text;
}

}  // namespace caucus::report
