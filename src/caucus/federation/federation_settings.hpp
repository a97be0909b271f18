// What a federation is, before anybody has joined.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/validation.hpp"
#include "caucus/options.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct FederationSettings {
  SharedPlan plan;          ///< with features = 0 if only the clients know
  LearningOptions problem;  ///< the same, as the algorithm wants it
  std::vector<std::string> clients;
  std::size_t quorum = 0;                             ///< 0: all
  std::optional<std::chrono::milliseconds> deadline;  ///< of a batch, from its opening on
  std::size_t violations = 3;            ///< reports that cannot be true before a client is cut off
  std::optional<double> max_abs_target;  ///< Y, where no label range tells
  std::optional<double> max_feature_norm;  ///< |x|, where no feature range tells

  /// What can be seen to be impossible before anybody joins.
  [[nodiscard]] Status validate() const;
};

/// What the ranges of the columns tell; nothing if there are none.
Result<std::optional<Scaling>> known_scaling(const SharedPlan& plan);

/// What honest clients' examples can be: from the given bounds, or from the ranges of the columns.
/// An error says what is missing.
Result<ExampleBounds> example_bounds(const FederationSettings& settings);

/// C_i and G_i for the schedule; of no use under an adaptive one.
Result<std::vector<SpaceConstants>> space_constants(const FederationSettings& settings);

}  // namespace caucus
