// Options of learning: the candidate spaces, the loss, the number of models that a client holds,
// and the schedule of the learning rates. The defaults need no tuning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "caucus/loss.hpp"
#include "caucus/result.hpp"
#include "caucus/space.hpp"

namespace caucus {

enum class ScheduleKind {
  adaptive,              ///< nothing to tune; least squares from sums over growing batches
  adaptive_first_order,  ///< nothing to tune; gradients of every round, for large dimensions
  theory,                ///< the paper's rates, not for a Selector
  constant               ///< constant rates, not for a Selector
};
constexpr bool is_adaptive(ScheduleKind kind) {
  return kind == ScheduleKind::adaptive || kind == ScheduleKind::adaptive_first_order;
}

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::adaptive;
  /// Share of the past that is forgotten, 0.001 to 0.01 if data drift: per round under `adaptive`,
  /// per batch under the others.
  double fixed_share = 0.0;
};

/// A linear space and Gaussian kernels of the widths 0.5, 1, 2, ..., 64, all of this radius.
std::vector<Space> default_spaces(double radius, bool intercept);

struct LearningOptions {
  std::vector<Space> spaces;
  Loss loss;
  std::size_t sample_size = 0;  ///< J, the models that a client holds; 0 means min(2, K)
  /// N; 0 means that batches grow under the adaptive schedule, and 1 under the others.
  std::size_t rounds_per_upload = 0;
  double growth = 0.3;        ///< length of a growing batch, as a share of the rounds before it
  std::size_t min_batch = 0;  ///< least length of such a batch; 0 means enough to hide the examples
  bool personal = true;       ///< adaptive: each client corrects forecasts by its own examples
  ScheduleOptions schedule;
  std::uint64_t seed = 1;

  /// Checks what can be checked before the examples are known.
  [[nodiscard]] Status validate() const;

  [[nodiscard]] std::size_t resolved_sample_size() const {
    return sample_size > 0 ? sample_size : (spaces.size() < 2 ? spaces.size() : 2);
  }
};

}  // namespace caucus
