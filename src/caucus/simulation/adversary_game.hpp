// The two games behind the lower bounds (paper, Theorem 4). No data are stored: the example of a
// round is generated when it is needed, and all clients see the same one. The K hypotheses are the
// single coordinates, as experts, and all losses are in [0, 1].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "caucus/data/problems.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/loss.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/options.hpp"

namespace caucus {

enum class GameKind {
  any_algorithm,  ///< game (i): fair coins, absolute loss; bounds every algorithm
  noncooperative  ///< game (ii): a hidden coordinate is slightly better, loss 1 - v y
};

struct GameSize {
  std::size_t rounds = 1000;    ///< T
  std::size_t models = 10;      ///< K
  std::size_t sample_size = 2;  ///< J
  std::size_t clients = 10;     ///< M
};

Loss loss_of(GameKind kind);

/// An ExampleSource that stores one round at a time. Each thread needs its own, and rounds must be
/// requested in order.
class AdversaryGame {
 public:
  AdversaryGame(GameKind kind, const GameSize& size, std::uint64_t seed);

  [[nodiscard]] std::size_t clients() const { return size_.clients; }
  [[nodiscard]] std::size_t rounds(std::size_t) const { return size_.rounds; }
  [[nodiscard]] Example example(std::size_t, std::size_t round) const {
    if (round + 1 != made_) make(round);
    return {x_, static_cast<double>(y_)};
  }

  /// Returns the summed loss for one client of the best coordinate in the rounds so far.
  [[nodiscard]] double best_loss() const;

 private:
  void make(std::size_t round) const;

  std::variant<FullAdversary, PartialAdversary> adversary_;
  Loss loss_;
  GameSize size_;
  mutable std::size_t made_ = 0;  ///< the stored round plus one
  mutable std::vector<float> x_;
  mutable float y_ = 0.0F;
  mutable std::vector<double> losses_;  ///< the summed loss of every coordinate
};

struct GameSetting {
  GameKind kind = GameKind::noncooperative;
  GameSize size;
  std::string algorithm = "fomd-oms";
  ScheduleOptions schedule;
  ScheduleConstants constants = {};
};

/// Returns the regret per client against the best coordinate in hindsight. The clients of nco-oms
/// are exchangeable, so `size.clients` may be small for it.
Result<double> play_game(const GameSetting& setting, std::uint64_t seed, std::uint32_t repetition);

/// Returns the lower bound of a game on the regret per client: 0.25 sqrt(T ln K), which holds in
/// the limit, or 0.1 sqrt(K T / J), which holds for clients that do not cooperate.
double game_bound(GameKind kind, const GameSize& size);

}  // namespace caucus
