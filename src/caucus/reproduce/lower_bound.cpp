// Plays the two games behind the lower bounds of Theorem 4 with FOMD-OMS and NCO-OMS, and compares
// with the explicit bounds. In game (ii), with J much smaller than K, cooperating clients can have
// less regret than any noncooperative algorithm; in game (i), with J = K, cooperation gains
// nothing.
#include <cmath>
#include <utility>

#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"
#include "caucus/reproduce/games.hpp"
#include "caucus/reproduce/reproduce.hpp"

namespace caucus::reproduce {
namespace {

std::size_t along(const std::string& axis, const GameSize& size) {
  if (axis == "K") return size.models;
  if (axis == "M") return size.clients;
  return axis == "T" ? size.rounds : size.sample_size;
}

FoundTable sweep_table(const GameSweep& sweep, const GameRegrets& regrets) {
  const bool first = sweep.kind == GameKind::any_algorithm;
  FoundTable table{sweep.title,
                   std::string("regret per client divided by the bound ") +
                       (first ? "0.25 sqrt(T ln K), which in the limit binds every algorithm"
                              : "0.1 sqrt(K T / J), which binds every noncooperative algorithm"),
                   {"K", "J", "M", "T", "repetitions", "bound"},
                   {}};
  for (const GameContender& each : game_contenders()) table.columns.push_back(each.name());
  for (const GameSize& size : sweep.sizes) {
    const auto played = regret_ratios(regrets, sweep.kind, size, game_contenders().front()).size();
    std::vector<report::Json> row = {size.models, size.sample_size, size.clients,
                                     size.rounds, played,           game_bound(sweep.kind, size)};
    for (const GameContender& each : game_contenders()) {
      const auto values = regret_ratios(regrets, sweep.kind, size, each);
      row.emplace_back(report::rounded(report::mean(values), 3) + " ± " +
                       report::rounded(report::standard_deviation(values), 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

LineChart sweep_chart(const GameSweep& sweep, const GameRegrets& regrets) {
  LineChart chart{{sweep.title,
                   "mean over repetitions and one standard deviation; in game (ii) NCO-OMS by "
                   "5 of its exchangeable clients"},
                  {sweep.axis, Scale::log},
                  {"regret per client / lower bound", Scale::log}};
  for (const GameContender& each : game_contenders()) {
    Series series{each.name(), {}, {}, {}, {}};
    for (const GameSize& size : sweep.sizes) {
      series.add(static_cast<double>(along(sweep.axis, size)),
                 regret_ratios(regrets, sweep.kind, size, each));
    }
    chart.series.push_back(std::move(series));
  }
  const std::vector<double> x = chart.series.front().x;
  const std::vector<double> ones(x.size(), 1.0);
  chart.series.push_back({"lower bound", x, ones, {}, {}, LineStyle::dashed});
  return chart;
}

std::string size_text(const GameSize& size) {
  return "K = " + report::grouped(size.models) + ", J = " + report::grouped(size.sample_size) +
         ", M = " + report::grouped(size.clients) + ", T = " + report::grouped(size.rounds);
}

void add_partial_verdicts(const GameSweep& growing, const GameRegrets& regrets,
                          Reproduction& found) {
  const GameSize& largest = growing.sizes.back();
  const auto at = [&](const GameContender& each) {
    return report::mean(regret_ratios(regrets, growing.kind, largest, each));
  };
  const GameContender adaptive{"fomd-oms", ScheduleKind::adaptive};
  const auto below_half = [&](const std::string& claim, const GameContender& each) {
    found.verdicts.push_back(
        {"J = o(K): " + claim, at(each) < 0.5,
         size_text(largest) + ": " + report::rounded(at(each), 3) + " of the bound"});
  };
  below_half("FOMD-OMS (adaptive) stays below half of what binds every noncooperative algorithm",
             adaptive);
  below_half("so does FOMD-OMS with the rates of the theorem, at this horizon",
             {"fomd-oms", ScheduleKind::theory});
  bool above = true;
  std::string list;
  for (const GameContender& each : game_contenders()) {
    if (std::string(each.algorithm) != "nco-oms") continue;
    above = above && at(each) > 1.0;
    list += (list.empty() ? "" : ", ") + report::word_of(report::kSchedules, each.schedule) + " " +
            report::rounded(at(each), 3);
  }
  found.verdicts.push_back({"J = o(K): NCO-OMS lies above the bound with every schedule", above,
                            size_text(largest) + ": " + list});
  bool everywhere = true;
  list.clear();
  for (const GameSize& size : growing.sizes) {
    const double ratio = report::mean(regret_ratios(regrets, growing.kind, size, adaptive));
    everywhere = everywhere && ratio < 1.0;
    list += (list.empty() ? "K = " : ", ") + report::grouped(size.models) + ": " +
            report::rounded(ratio, 3);
  }
  found.verdicts.push_back(
      {"J = 2, M = K/2: FOMD-OMS (adaptive) is below the bound for small K and M too", everywhere,
       list});
}

/// Returns whether the mean difference over the same games is within two standard errors.
bool within_noise(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < a.size(); ++r) differences.push_back(a[r] - b[r]);
  const double error =
      report::standard_deviation(differences) / std::sqrt(static_cast<double>(differences.size()));
  return std::abs(report::mean(differences)) <= 2.0 * error;
}

void add_full_verdict(const std::vector<GameSweep>& list, const GameRegrets& regrets,
                      Reproduction& found) {
  bool equal = true;
  std::string evidence;
  for (const GameSweep& sweep : list) {
    if (sweep.kind != GameKind::any_algorithm) continue;
    const GameSize& size = sweep.sizes.back();
    for (const ScheduleKind schedule : {ScheduleKind::adaptive, ScheduleKind::theory}) {
      const auto together = regret_ratios(regrets, sweep.kind, size, {"fomd-oms", schedule});
      const auto alone = regret_ratios(regrets, sweep.kind, size, {"nco-oms", schedule});
      const double fomd = report::mean(together);
      const double nco = report::mean(alone);
      equal = equal && (std::abs(nco / fomd - 1.0) < 0.1 || within_noise(together, alone));
      evidence += (evidence.empty() ? "" : "; ") + size_text(size) + ", " +
                  report::word_of(report::kSchedules, schedule) + ": FOMD " +
                  report::rounded(fomd, 3) + ", NCO " + report::rounded(nco, 3);
    }
  }
  found.verdicts.push_back(
      {"J = K: collaboration gains nothing, the regrets differ by less than 10% or two "
       "standard errors",
       equal, evidence});
}

}  // namespace

Result<Reproduction> lower_bound(const Options& options, Progress& progress) {
  const auto list = game_sweeps(options.quick);
  CAUCUS_TRY(const GameRegrets regrets, play_games(options, list, progress));
  Reproduction found;
  for (const GameSweep& sweep : list) {
    found.tables.push_back(sweep_table(sweep, regrets));
    found.charts.emplace_back(sweep_chart(sweep, regrets));
  }
  add_partial_verdicts(list.front(), regrets, found);
  add_full_verdict(list, regrets, found);
  return found;
}

}  // namespace caucus::reproduce
