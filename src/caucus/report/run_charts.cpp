#include "caucus/report/run_charts.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/report/html_text.hpp"
#include "caucus/report/statistics.hpp"

namespace caucus::report {
namespace {

/// The spaces with the largest regret of any algorithm, in the order of the run.
std::vector<std::size_t> worst_spaces(const std::vector<const AlgorithmRecord*>& results,
                                      std::size_t most) {
  const std::size_t spaces = results.front()->spaces.size();
  std::vector<double> worst(spaces, -HUGE_VAL);
  for (const AlgorithmRecord* result : results) {
    for (std::size_t i = 0; i < spaces; ++i) {
      if (result->regret[i] > worst[i]) worst[i] = result->regret[i];
    }
  }
  return largest_of(worst, most);
}

/// Adds a line for each distinct value, with the names of its algorithms if results differ.
void add_bounds(BarChart& chart, const std::vector<const AlgorithmRecord*>& results,
                double AlgorithmRecord::*bound, const std::string& name) {
  std::vector<double> values;
  values.reserve(results.size());
  for (const AlgorithmRecord* result : results) values.push_back(result->*bound);
  const bool differ = std::any_of(values.begin(), values.end(), [&](double v) {
    return std::isfinite(v) && v != values.front();
  });
  for (std::size_t a = 0; a < (differ ? values.size() : 1); ++a) {
    if (!std::isfinite(values[a])) continue;
    const std::string whose = differ ? " (" + results[a]->label + ")" : "";
    chart.references.push_back({name + whose + ": " + figure(values[a]), values[a]});
  }
}

BarChart regret_per_space(const std::vector<const AlgorithmRecord*>& results) {
  constexpr std::size_t kMostSpaces = 20;
  BarChart chart;
  chart.text = {
      "Regret against each space",
      "Summed loss of all clients less that of the space's best model in hindsight. Below "
      "zero: better than every model of that space."};
  chart.label = "regret, summed over all clients";
  chart.row_label = "space";
  for (const AlgorithmRecord* result : results) {
    chart.groups.push_back(result->label);
    chart.looks.push_back(result->look);
  }
  const auto unknown = [](std::size_t i) {
    return [i](const AlgorithmRecord* result) { return std::isnan(result->regret[i]); };
  };
  for (const std::size_t i : worst_spaces(results, kMostSpaces)) {
    if (std::all_of(results.begin(), results.end(), unknown(i))) continue;
    BarRow& row = chart.rows.emplace_back();
    row.name = results.front()->spaces[i];
    for (const AlgorithmRecord* result : results) row.values.push_back(result->regret[i]);
  }
  const std::size_t all = results.front()->spaces.size();
  if (all > kMostSpaces) {
    chart.text.note += " The " + figure(static_cast<double>(kMostSpaces)) +
                       " spaces with the largest regret, of " + figure(static_cast<double>(all)) +
                       ".";
  }
  add_bounds(chart, results, &AlgorithmRecord::bound_any, "bound for any algorithm");
  add_bounds(chart, results, &AlgorithmRecord::bound_noncooperative, "bound without cooperation");
  if (!chart.references.empty()) {
    chart.text.note +=
        " Dotted: lower bounds with explicit constants, for losses in [0, 1] and the worst data "
        "there can be. No "
        "algorithm can promise a smaller regret than the first, and none without cooperation that "
        "plays one hypothesis a smaller one than the second; on data less hostile than the worst a "
        "regret may well lie below them.";
  }
  return chart;
}

/// Makes one chart for all algorithms, or one for each if their spaces differ.
std::vector<Chart> regret_bars(const RunRecord& run) {
  std::vector<const AlgorithmRecord*> results;
  for (const AlgorithmRecord& r : run.results) {
    if (!r.regret.empty() && std::isfinite(r.loss.mean)) results.push_back(&r);
  }
  if (results.empty()) return {};
  const bool alike = std::all_of(results.begin(), results.end(), [&](const AlgorithmRecord* r) {
    return r->spaces == results.front()->spaces;
  });
  if (alike) return {regret_per_space(results)};
  std::vector<Chart> charts;
  for (const AlgorithmRecord* result : results) {
    BarChart chart = regret_per_space({result});
    chart.text.title += ": " + result->label;
    charts.emplace_back(std::move(chart));
  }
  return charts;
}

/// Shows the losses of every client and, where its clients have a personal layer, what
/// collaboration gave each. Of many clients it shows those that gain least or lose most.
std::vector<Chart> client_bars(const RunRecord& run) {
  constexpr std::size_t kMostClients = 20;
  struct Group {
    const char* name;
    double ClientRecord::*loss;
  };
  std::vector<Chart> charts;
  for (const AlgorithmRecord& result : run.results) {
    if (result.clients.size() < 2) continue;
    const bool in_units = run.is_square() && std::isfinite(run.unit);
    const auto& clients = result.clients;
    const bool compares = std::any_of(clients.begin(), clients.end(),
                                      [](const ClientRecord& one) { return one.compares(); });
    BarChart chart;
    chart.text = {"Losses of each client: " + result.label, "Given: of the forecasts given."};
    chart.label = in_units          ? "root mean squared error, in the units of the target"
                  : run.is_square() ? "squared error per example"
                                    : run.loss + " loss per example";
    chart.row_label = "client";
    std::vector<Group> groups = {{"given", &ClientRecord::given}};
    if (compares) {
      chart.text.note +=
          " Federated: without the correction that each client learns from its own rows, and 0 "
          "before the first models. Alone: a regression on the client's own rows.";
      groups.push_back({"federated", &ClientRecord::federated});
      groups.push_back({"alone", &ClientRecord::alone});
      if (run.in_order) groups.push_back({"last target", &ClientRecord::persistence});
    }
    if (std::any_of(clients.begin(), clients.end(),
                    [](const ClientRecord& one) { return std::isfinite(one.constant); })) {
      chart.text.note += " Constant: the constant that is best for the client's examples.";
      groups.push_back({"constant", &ClientRecord::constant});
    }
    for (const Group& group : groups) chart.groups.emplace_back(group.name);
    std::vector<double> worst;
    worst.reserve(clients.size());
    for (const ClientRecord& client : clients) {
      worst.push_back(compares ? -run.gain(client) : client.given);
    }
    for (const std::size_t j : largest_of(worst, kMostClients)) {
      BarRow& row = chart.rows.emplace_back();
      row.name = clients[j].name;
      for (const Group& group : groups) {
        row.values.push_back(run.shown(clients[j].*group.loss));
      }
    }
    if (clients.size() > kMostClients) {
      chart.text.note += " The " + figure(static_cast<double>(kMostClients)) + " clients that " +
                         (compares ? "gain least over being alone" : "have the largest loss") +
                         ", of " + figure(static_cast<double>(clients.size())) + ".";
    }
    charts.emplace_back(std::move(chart));
  }
  return charts;
}

AreaChart probabilities(const AlgorithmRecord& result, double repeats) {
  constexpr std::size_t kMostAreas = 12;
  const CurveRecord& curve = result.curve;
  const std::size_t spaces = result.spaces.size();
  const bool all = spaces <= kMostAreas;
  AreaChart chart;
  chart.text = {"Probabilities over time: " + result.label,
                repeats > 1.0 ? "p of each space, mean over repetitions." : "p of each space."};
  chart.x = {"round", Scale::log};
  chart.at = curve.round;
  for (const std::size_t i :
       largest_of(curve.probabilities.back(), all ? kMostAreas : kMostAreas - 1)) {
    chart.names.push_back(result.spaces[i]);
    auto& share = chart.shares.emplace_back();
    for (const auto& p : curve.probabilities) share.push_back(p[i]);
  }
  if (all) return chart;
  chart.last_is_rest = true;
  chart.names.push_back("the other " + figure(static_cast<double>(spaces - kMostAreas + 1)));
  std::vector<double> rest(curve.probabilities.size(), 1.0);
  for (const auto& share : chart.shares) {
    for (std::size_t t = 0; t < rest.size(); ++t) {
      if (std::isfinite(share[t])) rest[t] = std::max(0.0, rest[t] - share[t]);
    }
  }
  chart.shares.push_back(std::move(rest));
  chart.text.note += " The " + figure(static_cast<double>(kMostAreas - 1)) +
                     " likeliest at the end, of " + figure(static_cast<double>(spaces)) + ".";
  return chart;
}

std::vector<Chart> probability_charts(const RunRecord& run) {
  std::vector<Chart> charts;
  for (const AlgorithmRecord& result : run.results) {
    if (result.spaces.size() > 1 && result.curve.probabilities.size() > 1) {
      charts.emplace_back(probabilities(result, run.repeats));
    }
  }
  return charts;
}

ScatterChart loss_against_bits(const RunRecord& run) {
  ScatterChart chart;
  chart.text = {run.score_name() + " against communication", "Left and low is better."};
  chart.x.label = "bits per client and round, up and down";
  chart.y.label = run.score_name();
  Extent x;
  Extent y;
  for (const AlgorithmRecord& r : run.results) {
    const Spread& score = run.score(r);
    const double bits = r.upload_bits + r.download_bits;
    if (!std::isfinite(bits) || !std::isfinite(score.mean)) continue;
    chart.points.push_back({r.label, bits, score.mean, score.sd, r.look});
    x.add(bits);
    y.add(score.mean);
  }
  if (std::any_of(chart.points.begin(), chart.points.end(),
                  [](const ScatterPoint& point) { return point.spread > 0.0; })) {
    chart.text.note += " Vertical lines: one standard deviation over repetitions to either side.";
  }
  if (x.low > 0.0 && x.high > 20.0 * x.low) chart.x.scale = Scale::log;
  if (y.low > 0.0 && y.high > 20.0 * y.low) chart.y.scale = Scale::log;
  return chart;
}

BarChart time_bars(const RunRecord& run) {
  BarChart chart;
  chart.text = {"Time",
                "The whole loop of one repetition: sampling, clients, aggregation, both updates."};
  chart.label = "seconds per repetition";
  chart.row_label = "algorithm";
  bool several = false;
  for (const AlgorithmRecord& r : run.results) {
    if (!std::isfinite(r.seconds.mean)) continue;
    chart.rows.push_back({r.label, {r.seconds.mean}, {r.seconds.sd}});
    several = several || r.seconds.sd > 0.0;
  }
  if (several) chart.text.note += " Mean ± standard deviation over repetitions.";
  return chart;
}

}  // namespace

/// A figure of one point or one bar says no more than the table, and is left out.
std::vector<ChartSection> run_charts(const RunRecord& run) {
  const auto has = [&](auto member) {
    return std::any_of(run.results.begin(), run.results.end(),
                       [&](const AlgorithmRecord& r) { return (r.curve.*member).size() > 1; });
  };
  ChartSection loss{"Loss", {}};
  if (has(&CurveRecord::loss)) {
    if (run.clients > 0.0) loss.charts.emplace_back(loss_per_example(run));
    loss.charts.emplace_back(cumulative_loss(run));
  }
  ChartSection regret{"Regret", {}};
  if (has(&CurveRecord::regret)) regret.charts.emplace_back(regret_curve(run));
  for (Chart& chart : regret_bars(run)) regret.charts.push_back(std::move(chart));
  ChartSection cost{"Cost", {}};
  ScatterChart bits = loss_against_bits(run);
  if (bits.points.size() > 1) cost.charts.emplace_back(std::move(bits));
  BarChart time = time_bars(run);
  if (time.rows.size() > 1) cost.charts.emplace_back(std::move(time));
  return {std::move(loss),
          {"Clients", client_bars(run)},
          std::move(regret),
          {"Probabilities", probability_charts(run)},
          std::move(cost)};
}

}  // namespace caucus::report
