#include "caucus/reproduce/games.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/engine/parallel.hpp"
#include "caucus/report/words.hpp"

namespace caucus::reproduce {
namespace {

constexpr std::size_t kExchangeable =
    5;  ///< clients of NCO-OMS; few suffice, since they are exchangeable
constexpr std::size_t kLarge = 1000;  ///< from this K on half of the repetitions are run

/// Returns the number of repetitions, which is not halved for large games if the user gives it.
std::size_t repetitions_of(const Options& given, const GameSize& size) {
  const bool fewer = size.models >= kLarge && !given.quick && !given.repeats;
  return fewer ? given.reported() / 2 : given.reported();
}

/// The theory's rate of Hedge on importance-weighted losses with uniform initial probabilities.
double constant_rate(const GameSize& size) {
  const auto K = static_cast<double>(size.models);
  const double seen = static_cast<double>(size.sample_size) * static_cast<double>(size.rounds);
  return std::sqrt(std::log(K) / (K * seen));
}

GameSetting setting_of(GameKind kind, const GameSize& size, const GameContender& contender) {
  GameSetting setting{kind, size, contender.algorithm, {}};
  if (setting.algorithm == "nco-oms" && kind == GameKind::noncooperative) {
    setting.size.clients = std::min(size.clients, kExchangeable);
  }
  setting.schedule.kind = contender.schedule;
  setting.constants.eta = constant_rate(size);
  return setting;
}

std::string key_of(const GameSetting& setting) {
  const GameSize& size = setting.size;
  return std::to_string(static_cast<int>(setting.kind)) + " " + std::to_string(size.rounds) + " " +
         std::to_string(size.models) + " " + std::to_string(size.sample_size) + " " +
         std::to_string(size.clients) + " " + setting.algorithm + " " +
         report::word_of(report::kSchedules, setting.schedule.kind);
}

/// The approximate cost of one repetition in an arbitrary unit: the work of clients and of servers.
std::size_t work_of(const GameSetting& setting) {
  const GameSize& size = setting.size;
  const std::size_t servers = setting.algorithm == "nco-oms" ? size.clients : 1;
  const std::size_t pairs = size.sample_size * size.sample_size;
  return size.rounds * (size.clients * (10 + pairs) + size.models * (servers + 1));
}

}  // namespace

std::string GameContender::name() const {
  return std::string(algorithm) + ", " + report::word_of(report::kSchedules, schedule);
}

const std::vector<GameContender>& game_contenders() {
  static const std::vector<GameContender> list = {
      {"fomd-oms", ScheduleKind::adaptive}, {"fomd-oms", ScheduleKind::theory},
      {"nco-oms", ScheduleKind::adaptive},  {"nco-oms", ScheduleKind::theory},
      {"nco-oms", ScheduleKind::constant},
  };
  return list;
}

std::vector<GameSweep> game_sweeps(bool quick) {
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

Result<GameRegrets> play_games(const Options& given, const std::vector<GameSweep>& list,
                               Progress& progress) {
  struct Task {
    GameSetting setting;
    std::uint32_t repetition;
    double* regret;
  };
  GameRegrets regrets;
  std::vector<Task> tasks;
  for (const GameSweep& sweep : list) {
    for (const GameSize& size : sweep.sizes) {
      for (const GameContender& contender : game_contenders()) {
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
  // The longest games start first, so that all threads finish at about the same time.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return work_of(a.setting) > work_of(b.setting);
  });
  std::vector<Result<double>> played(tasks.size(), 0.0);
  parallel_for(tasks.size(), given.threads, [&](std::size_t i) {
    played[i] = play_game(tasks[i].setting, given.seed, tasks[i].repetition);
    progress.done += work_of(tasks[i].setting);
  });
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CAUCUS_TRY(*tasks[i].regret, played[i]);
  }
  return regrets;
}

std::vector<double> regret_ratios(const GameRegrets& regrets, GameKind kind, const GameSize& size,
                                  const GameContender& contender) {
  std::vector<double> list = regrets.at(key_of(setting_of(kind, size, contender)));
  for (double& value : list) value /= game_bound(kind, size);
  return list;
}

}  // namespace caucus::reproduce
