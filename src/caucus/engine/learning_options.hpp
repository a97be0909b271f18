// What is learned and how, with the defaults: all that simulation and server have to know alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "caucus/algorithms/baselines/baseline_settings.hpp"
#include "caucus/core/features/space.hpp"
#include "caucus/core/losses/loss.hpp"

namespace caucus {

enum class ScheduleKind {
  adaptive,              ///< no constants; second-order steps where they are affordable
  adaptive_first_order,  ///< the same with first-order steps everywhere
  theory,                ///< the paper's rates
  constant               ///< given rates
};
constexpr bool is_adaptive(ScheduleKind kind) {
  return kind == ScheduleKind::adaptive || kind == ScheduleKind::adaptive_first_order;
}

enum class Horizon {
  rounds,   ///< T is the number of batches, the paper's text
  examples  ///< T is the number of reports of all clients, the authors' scripts
};

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::adaptive;
  Horizon horizon = Horizon::rounds;
  std::optional<double> feature_bound;  ///< b_i; automatic if absent
  std::optional<double> label_bound;    ///< Y; automatic if absent
  double gradient_scale = 2.0;
  std::optional<double> loss_bound;  ///< C_i for all spaces
  double eta = 1.0;                  ///< constant only
  double lambda = 1.0;               ///< constant only
  double fixed_share = 0.0;          ///< for drifting data
};

struct LearningOptions {
  std::vector<Space> spaces;
  Loss loss;
  std::size_t sample = 0;  ///< J; 0 stands for min(2, K)
  std::size_t rounds_per_upload = 1;
  ScheduleOptions schedule;
  BaselineRates rates;
  std::uint64_t seed = 1;

  [[nodiscard]] std::size_t sampled() const {
    return sample > 0 ? sample : (spaces.size() < 2 ? spaces.size() : 2);
  }
};

}  // namespace caucus
