// The settings of a federation, known before a client has joined.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/engine/participant/records.hpp"
#include "caucus/engine/run_options.hpp"
#include "caucus/federation/validation.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct FederationSettings {
  SharedPlan plan;     ///< features = 0 if only the clients know them
  RunOptions problem;  ///< the same settings for the algorithm
  std::vector<std::string> clients;
  std::size_t quorum = 0;                             ///< 0 means all
  std::optional<std::chrono::milliseconds> deadline;  ///< the time that a batch may be open
  std::size_t violations = 3;              ///< this many rejected reports cut a client off
  std::optional<double> max_abs_target;    ///< Y, needed without a label range
  std::optional<double> max_feature_norm;  ///< |x|, needed without a feature range

  /// Returns an error for settings that cannot work with any clients.
  [[nodiscard]] Status validate() const;
};

/// Returns the bounds of honest clients' examples, as given or from the ranges of the columns.
/// An error says what is missing.
Result<ExampleBounds> example_bounds(const FederationSettings& settings);

/// Returns C_i and G_i for the schedule; an adaptive schedule does not use them.
Result<std::vector<SpaceConstants>> space_constants(const FederationSettings& settings);

}  // namespace caucus
