// The games of Theorem 4 at many sizes: the players and their regrets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "caucus/reproduce/reproduce.hpp"
#include "caucus/simulation/adversary_game.hpp"

namespace caucus::reproduce {

struct GameContender {
  const char* algorithm;
  ScheduleKind schedule;

  [[nodiscard]] std::string name() const;
};

const std::vector<GameContender>& game_contenders();

/// Sizes of a game along one axis, which make one chart.
struct GameSweep {
  std::string title;
  GameKind kind;
  std::string axis;  ///< "K", "M", "T" or "J"
  std::vector<GameSize> sizes;
};

/// Returns the sweeps, with --quick fewer and smaller ones. The first shows the gain of
/// collaboration.
std::vector<GameSweep> game_sweeps(bool quick);

/// The regrets per client of every game, one per repetition. A game that several sweeps contain is
/// played once.
using GameRegrets = std::map<std::string, std::vector<double>>;

Result<GameRegrets> play_games(const Options& given, const std::vector<GameSweep>& list,
                               Progress& progress);

/// Returns the regret divided by the bound for every repetition.
std::vector<double> regret_ratios(const GameRegrets& regrets, GameKind kind, const GameSize& size,
                                  const GameContender& contender);

}  // namespace caucus::reproduce
