// What must hold of a federation whatever it was told.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "caucus/federation/federation.hpp"

namespace caucus {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void require_one_line(const Error& error) {
  require(!error.what.empty() && error.line().size() < 1000);
  require(error.line().find('\n') == std::string::npos);
}

inline void require_finite(const LearnedModel& learned) {
  for (const double p : learned.probabilities) require(p >= 0.0 && p <= 1.0);
  for (const auto& weights : learned.weights) require(all_finite(weights));
}

/// The federation again, from a snapshot and the batches that were closed since; nothing if the
/// snapshot is refused.
inline std::optional<Federation> recovered(const FederationSettings& settings,
                                           const std::string& snapshot,
                                           const std::vector<ClosedBatch>& since) {
  Federation federation = Federation::make(settings, {}).value();
  if (!federation.restore(snapshot).ok()) return std::nullopt;
  for (const ClosedBatch& closed : since) {
    const Status status = federation.replay(closed.number, closed.reports);
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", status.error().line().c_str());
    std::abort();
  }
  return federation;
}

}  // namespace caucus
