// Theorem 4, played: the two games behind the lower bounds, FOMD-OMS and NCO-OMS beside the
// explicit bounds. In game (ii), with J much smaller than K, cooperating clients can stay below
// what binds every noncooperative algorithm; in game (i), with J = K, cooperation gains nothing.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <utility>

#include "caucus/simulation/adversary_game.hpp"
#include "caucus/simulation/parallel.hpp"
#include "reproduce.hpp"
#include "statistics.hpp"
#include "text_table.hpp"
#include "words.hpp"

namespace caucus::cli {
namespace {

constexpr std::size_t kExchangeable = 5;  ///< clients of NCO-OMS, since one is like the other
constexpr std::size_t kLarge =
    1000;  ///< from this K on, half of the repetitions will do unless more are asked for

std::size_t repetitions_of(const ReproduceOptions& given, const GameSize& size) {
  const bool fewer = size.models >= kLarge && !given.quick && !given.repeats;
  return fewer ? given.reported() / 2 : given.reported();
}

struct Contender {
  const char* algorithm;
  ScheduleKind schedule;

  [[nodiscard]] std::string name() const {
    return std::string(algorithm) + ", " + word_of(kSchedules, schedule);
  }
};

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> list = {
      {"fomd-oms", ScheduleKind::adaptive}, {"fomd-oms", ScheduleKind::theory},
      {"nco-oms", ScheduleKind::adaptive},  {"nco-oms", ScheduleKind::theory},
      {"nco-oms", ScheduleKind::constant},
  };
  return list;
}

/// Sizes of a game along one axis: one chart.
struct Sweep {
  std::string title;
  GameKind kind;
  std::string axis;  ///< "K", "M", "T" or "J"
  std::vector<GameSize> sizes;
};

std::vector<Sweep> sweeps(bool quick) {
  const auto none = GameKind::any_algorithm;
  const auto alone = GameKind::noncooperative;
  if (quick) {
    return {{"Game (ii), J = 2, M = K/2: more models",
             alone,
             "K",
             {{2000, 50, 2, 25}, {4000, 200, 2, 100}, {10000, 1000, 2, 500}}},
            {"Game (i), J = K: longer games", none, "T", {{500, 10, 10, 10}, {2000, 10, 10, 10}}}};
  }
  return {
      {"Game (ii), J = 2, M = K/2: more models",
       alone,
       "K",
       {{2000, 20, 2, 10},
        {5000, 100, 2, 50},
        {10000, 400, 2, 200},
        {20000, 1000, 2, 500},
        {40000, 4000, 2, 2000}}},
      {"Game (ii), J = 2, K = 1000, T = 20000: more clients",
       alone,
       "M",
       {{20000, 1000, 2, 5}, {20000, 1000, 2, 20}, {20000, 1000, 2, 100}, {20000, 1000, 2, 500}}},
      {"Game (ii), J = 2, K = 1000, M = 500: longer games",
       alone,
       "T",
       {{5000, 1000, 2, 500}, {10000, 1000, 2, 500}, {20000, 1000, 2, 500}}},
      {"Game (ii), K = M = 50, T = 5000: more models per client",
       alone,
       "J",
       {{5000, 50, 2, 50}, {5000, 50, 5, 50}, {5000, 50, 15, 50}, {5000, 50, 50, 50}}},
      {"Game (i), J = K = 20, M = 50: longer games",
       none,
       "T",
       {{1000, 20, 20, 50}, {4000, 20, 20, 50}, {16000, 20, 20, 50}}},
      {"Game (i), J = K, M = 50, T = 4000: more models",
       none,
       "K",
       {{4000, 5, 5, 50}, {4000, 20, 20, 50}, {4000, 50, 50, 50}}}};
}

std::size_t along(const std::string& axis, const GameSize& size) {
  if (axis == "K") return size.models;
  if (axis == "M") return size.clients;
  return axis == "T" ? size.rounds : size.sample;
}

/// The rate of Hedge on importance-weighted losses: what theory advises for uniform beginnings.
double constant_rate(const GameSize& size) {
  const auto K = static_cast<double>(size.models);
  const double seen = static_cast<double>(size.sample) * static_cast<double>(size.rounds);
  return std::sqrt(std::log(K) / (K * seen));
}

GameSetting setting_of(GameKind kind, const GameSize& size, const Contender& contender) {
  GameSetting setting{kind, size, contender.algorithm, {}};
  if (setting.algorithm == "nco-oms" && kind == GameKind::noncooperative) {
    setting.size.clients = std::min(size.clients, kExchangeable);
  }
  setting.schedule.kind = contender.schedule;
  setting.schedule.eta = constant_rate(size);
  return setting;
}

std::string key_of(const GameSetting& setting) {
  const GameSize& size = setting.size;
  return std::to_string(static_cast<int>(setting.kind)) + " " + std::to_string(size.rounds) + " " +
         std::to_string(size.models) + " " + std::to_string(size.sample) + " " +
         std::to_string(size.clients) + " " + setting.algorithm + " " +
         word_of(kSchedules, setting.schedule.kind);
}

/// About how long one repetition takes, in an arbitrary unit: what clients do, and what servers do.
std::size_t work_of(const GameSetting& setting) {
  const GameSize& size = setting.size;
  const std::size_t servers = setting.algorithm == "nco-oms" ? size.clients : 1;
  const std::size_t pairs = size.sample * size.sample;
  return size.rounds * (size.clients * (10 + pairs) + size.models * (servers + 1));
}

/// Every game once, however many sweeps it is part of: regrets per client, one per repetition.
using Regrets = std::map<std::string, std::vector<double>>;

Result<Regrets> play(const ReproduceOptions& given, const std::vector<Sweep>& list,
                     Progress& progress) {
  struct Task {
    GameSetting setting;
    std::uint32_t repetition;
    double* regret;
  };
  Regrets regrets;
  std::vector<Task> tasks;
  for (const Sweep& sweep : list) {
    for (const GameSize& size : sweep.sizes) {
      for (const Contender& contender : contenders()) {
        const GameSetting setting = setting_of(sweep.kind, size, contender);
        auto [place, fresh] = regrets.try_emplace(key_of(setting));
        if (!fresh) continue;
        const std::size_t wanted = repetitions_of(given, size);
        place->second.resize(wanted);
        for (std::uint32_t r = 0; r < wanted; ++r) {
          tasks.push_back({setting, r, &place->second[r]});
          progress.total += work_of(setting);
        }
      }
    }
  }
  // The longest first, so that no thread is left with one at the end.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return work_of(a.setting) > work_of(b.setting);
  });
  std::vector<std::optional<Error>> errors(tasks.size());
  parallel_for(tasks.size(), given.threads, [&](std::size_t i) {
    auto regret = play_game(tasks[i].setting, given.seed, tasks[i].repetition);
    if (regret.ok()) {
      *tasks[i].regret = *regret;
    } else {
      errors[i] = std::move(regret.error());
    }
    progress.done += work_of(tasks[i].setting);
  });
  for (auto& error : errors) {
    if (error) return std::move(*error);
  }
  return regrets;
}

/// Regret divided by the bound, for every repetition.
std::vector<double> ratios(const Regrets& regrets, GameKind kind, const GameSize& size,
                           const Contender& contender) {
  std::vector<double> list = regrets.at(key_of(setting_of(kind, size, contender)));
  for (double& value : list) value /= game_bound(kind, size);
  return list;
}

ReproduceTable sweep_table(const Sweep& sweep, const Regrets& regrets) {
  const bool first = sweep.kind == GameKind::any_algorithm;
  ReproduceTable table{
      sweep.title,
      std::string("regret per client divided by the bound ") +
          (first ? "0.25 sqrt(T ln K), which in the limit binds every algorithm"
                 : "0.1 sqrt(K T / J), which binds every noncooperative algorithm"),
      {"K", "J", "M", "T", "repetitions", "bound"},
      {}};
  for (const Contender& each : contenders()) table.columns.push_back(each.name());
  for (const GameSize& size : sweep.sizes) {
    const auto played = ratios(regrets, sweep.kind, size, contenders().front()).size();
    std::vector<Json> row = {size.models, size.sample, size.clients,
                             size.rounds, played,      game_bound(sweep.kind, size)};
    for (const Contender& each : contenders()) {
      const auto values = ratios(regrets, sweep.kind, size, each);
      row.emplace_back(rounded(mean(values), 3) + " ± " + rounded(standard_deviation(values), 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReproduceChart sweep_chart(const Sweep& sweep, const Regrets& regrets) {
  ReproduceChart chart{sweep.title,
                       "mean over repetitions and one standard deviation; in game (ii) NCO-OMS by "
                       "5 of its exchangeable clients",
                       {sweep.axis, "log"},
                       {"regret per client / lower bound", "log"},
                       {}};
  for (const Contender& each : contenders()) {
    ChartSeries series{each.name(), {}, {}, {}, {}};
    for (const GameSize& size : sweep.sizes) {
      series.add(static_cast<double>(along(sweep.axis, size)),
                 ratios(regrets, sweep.kind, size, each));
    }
    chart.series.push_back(std::move(series));
  }
  ChartSeries bound{"lower bound", {}, {}, {}, {}, "dashed"};
  for (const GameSize& size : sweep.sizes) {
    bound.add(static_cast<double>(along(sweep.axis, size)), 1.0);
  }
  chart.series.push_back(std::move(bound));
  return chart;
}

std::string size_text(const GameSize& size) {
  return "K = " + grouped(size.models) + ", J = " + grouped(size.sample) +
         ", M = " + grouped(size.clients) + ", T = " + grouped(size.rounds);
}

void add_partial_verdicts(const Sweep& growing, const Regrets& regrets, Reproduction& found) {
  const GameSize& largest = growing.sizes.back();
  const auto at = [&](const Contender& each) {
    return mean(ratios(regrets, growing.kind, largest, each));
  };
  const Contender adaptive{"fomd-oms", ScheduleKind::adaptive};
  const Contender theory{"fomd-oms", ScheduleKind::theory};
  found.verdicts.push_back(
      {"J = o(K): FOMD-OMS (adaptive) stays below half of what binds every noncooperative "
       "algorithm",
       at(adaptive) < 0.5, size_text(largest) + ": " + rounded(at(adaptive), 3) + " of the bound"});
  found.verdicts.push_back(
      {"J = o(K): so does FOMD-OMS with the rates of the theorem, at this horizon",
       at(theory) < 0.5, size_text(largest) + ": " + rounded(at(theory), 3) + " of the bound"});
  bool above = true;
  std::string list;
  for (const Contender& each : contenders()) {
    if (std::string(each.algorithm) != "nco-oms") continue;
    above = above && at(each) > 1.0;
    list += (list.empty() ? "" : ", ") + word_of(kSchedules, each.schedule) + " " +
            rounded(at(each), 3);
  }
  found.verdicts.push_back({"J = o(K): NCO-OMS lies above the bound with every schedule", above,
                            size_text(largest) + ": " + list});
  bool everywhere = true;
  list.clear();
  for (const GameSize& size : growing.sizes) {
    const double ratio = mean(ratios(regrets, growing.kind, size, adaptive));
    everywhere = everywhere && ratio < 1.0;
    list += (list.empty() ? "K = " : ", ") + grouped(size.models) + ": " + rounded(ratio, 3);
  }
  found.verdicts.push_back(
      {"J = 2, M = K/2: FOMD-OMS (adaptive) is below the bound for small K and M too", everywhere,
       list});
}

/// Whether the mean difference, over the same games, is within two of its standard errors.
bool within_noise(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < a.size(); ++r) differences.push_back(a[r] - b[r]);
  const double error =
      standard_deviation(differences) / std::sqrt(static_cast<double>(differences.size()));
  return std::abs(mean(differences)) <= 2.0 * error;
}

void add_full_verdict(const std::vector<Sweep>& list, const Regrets& regrets, Reproduction& found) {
  bool equal = true;
  std::string evidence;
  for (const Sweep& sweep : list) {
    if (sweep.kind != GameKind::any_algorithm) continue;
    const GameSize& size = sweep.sizes.back();
    for (const ScheduleKind schedule : {ScheduleKind::adaptive, ScheduleKind::theory}) {
      const auto together = ratios(regrets, sweep.kind, size, {"fomd-oms", schedule});
      const auto alone = ratios(regrets, sweep.kind, size, {"nco-oms", schedule});
      const double fomd = mean(together);
      const double nco = mean(alone);
      equal = equal && (std::abs(nco / fomd - 1.0) < 0.1 || within_noise(together, alone));
      evidence += (evidence.empty() ? "" : "; ") + size_text(size) + ", " +
                  word_of(kSchedules, schedule) + ": FOMD " + rounded(fomd, 3) + ", NCO " +
                  rounded(nco, 3);
    }
  }
  found.verdicts.push_back(
      {"J = K: collaboration gains nothing, the regrets differ by less than 10% or two "
       "standard errors",
       equal, evidence});
}

}  // namespace

Result<Reproduction> reproduce_lower_bound(const ReproduceOptions& options, Progress& progress) {
  const auto list = sweeps(options.quick);
  CAUCUS_TRY(const Regrets regrets, play(options, list, progress));
  Reproduction found;
  for (const Sweep& sweep : list) {
    found.tables.push_back(sweep_table(sweep, regrets));
    found.charts.push_back(sweep_chart(sweep, regrets));
  }
  add_partial_verdicts(list.front(), regrets, found);
  add_full_verdict(list, regrets, found);
  return found;
}

}  // namespace caucus::cli
