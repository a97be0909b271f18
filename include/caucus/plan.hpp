// The plan of a run, which the server sends to every client, so that all of them compute the same
// features and losses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/loss.hpp"
#include "caucus/space.hpp"

namespace caucus {

/// Identifies a run, so that a client and a store know whether they belong together.
using RunId = std::array<std::uint8_t, 16>;

struct SharedPlan {
  std::vector<Space> spaces;
  Loss loss;
  std::uint64_t seed = 1;
  std::size_t sample_size = 0;            ///< J as in LearningOptions, or 0 for min(2, K)
  std::size_t rounds_per_upload = 1;      ///< 0 if every assignment says how long its batch is
  bool statistics = false;                ///< reports are sums over a batch, not means of gradients
  bool hides_examples = false;            ///< no report has too few examples to hide them
  bool personal = false;                  ///< each client corrects forecasts by its own examples
  std::size_t features = 0, experts = 0;  ///< in x; both 0 if the first client decides
  std::string arithmetic;                 ///< the SIMD variant, which determines the last bits
  std::size_t label_delay = 0;            ///< by how many batches a true value may be late
  std::optional<ReadOptions> columns;     ///< how the columns of a file become x and y
};

}  // namespace caucus
