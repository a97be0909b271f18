// What an experiment consists of, with the defaults; only the command line turns text into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caucus/algorithms/baseline_settings.hpp"
#include "caucus/core/loss.hpp"
#include "caucus/core/result.hpp"
#include "caucus/core/space.hpp"
#include "caucus/data/partition.hpp"

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

struct ExperimentOptions {
  std::vector<Space> spaces;
  std::vector<std::string> algorithms = {"fomd-oms"};
  Loss loss;
  std::size_t sample = 0;  ///< J; 0 stands for min(2, K)
  std::size_t rounds_per_upload = 1;
  PartitionSpec partition;
  std::size_t clients = 10;
  double dropout = 0.0;
  ScheduleOptions schedule;
  BaselineRates rates;
  std::size_t repeats = 1;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0 stands for all
  bool regret = false;
  bool keep_forecasts = false;  ///< of the first repetition

  [[nodiscard]] std::size_t sampled() const {
    return sample > 0 ? sample : (spaces.size() < 2 ? spaces.size() : 2);
  }
  /// What can be seen to be impossible without the data.
  [[nodiscard]] Status validate() const;
};

}  // namespace caucus
