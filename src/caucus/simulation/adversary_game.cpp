#include "caucus/simulation/adversary_game.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "caucus/core/losses/bounds.hpp"
#include "caucus/core/losses/constants.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/simulation/repetition.hpp"

namespace caucus {
namespace {

std::variant<FullAdversary, PartialAdversary> make_adversary(GameKind kind, const GameSize& size,
                                                             std::uint64_t seed) {
  if (kind == GameKind::any_algorithm) return FullAdversary{seed, size.rounds};
  return PartialAdversary(seed, size.rounds, size.models, size.sample_size);
}

ExperimentOptions options_of(const GameSetting& setting, std::uint64_t seed) {
  ExperimentOptions options;
  for (std::uint32_t i = 0; i < setting.size.models; ++i) {
    options.spaces.push_back(Space{.kind = SpaceKind::expert, .expert = i});
  }
  options.algorithms = {setting.algorithm};
  options.loss = loss_of(setting.kind);
  options.sample_size = setting.size.sample_size;
  options.clients = setting.size.clients;
  options.schedule = setting.schedule;
  if (options.schedule.kind == ScheduleKind::adaptive) {  // a round of the game is a batch
    options.schedule.kind = ScheduleKind::adaptive_first_order;
  }
  options.constants = setting.constants;
  options.seed = seed;
  return options;
}

}  // namespace

Loss loss_of(GameKind kind) {
  if (kind == GameKind::any_algorithm) return Loss(AbsoluteLoss{});
  return Loss(LinearLoss{});
}

AdversaryGame::AdversaryGame(GameKind kind, const GameSize& size, std::uint64_t seed)
    : adversary_(make_adversary(kind, size, seed)),
      loss_(loss_of(kind)),
      size_(size),
      x_(size.models),
      losses_(size.models, 0.0) {}

void AdversaryGame::make(std::size_t round) const {
  std::visit([&](const auto& adversary) { adversary.row(round, x_, y_); }, adversary_);
  made_ = round + 1;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    losses_[i] += loss_.value(static_cast<double>(x_[i]), static_cast<double>(y_));
  }
}

double AdversaryGame::best_loss() const {
  return *std::min_element(losses_.begin(), losses_.end());
}

Result<double> play_game(const GameSetting& setting, std::uint64_t seed, std::uint32_t repetition) {
  const ExperimentOptions options = options_of(setting, seed);
  CAUCUS_CHECK(options.validate());
  CAUCUS_TRY(auto made, make_plan(options, {0, setting.size.models}, repetition));
  const auto plan = std::make_shared<const Plan>(std::move(made));
  const std::vector<SpaceConstants> constants(setting.size.models);  // all bounds are 1
  const std::vector<std::size_t> rounds(setting.size.clients, setting.size.rounds);
  CAUCUS_TRY(const PreparedRun prepared,
             prepare(setting.algorithm, plan, constants, rounds, options, repetition));
  const AdversaryGame game(setting.kind, setting.size, seed + repetition);
  std::atomic<std::size_t> unseen{0};
  const auto played =
      play_repetition(make_algorithm(setting.algorithm, prepared.settings, setting.size.clients),
                      RepetitionInput<AdversaryGame>{
                          options.loss, game, prepared.length, prepared.uploads, {}, {}, unseen});
  return played.telemetry.loss / static_cast<double>(setting.size.clients) - game.best_loss();
}

double game_bound(GameKind kind, const GameSize& size) {
  const auto T = static_cast<double>(size.rounds);
  const auto K = static_cast<double>(size.models);
  if (kind == GameKind::any_algorithm) return lower_bound_any(1.0, T, K);
  return lower_bound_noncooperative(1.0, T, K, static_cast<double>(size.sample_size));
}

}  // namespace caucus
