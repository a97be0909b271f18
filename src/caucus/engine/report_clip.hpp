// Bounds what one client can do to models that are learned from gradients. For the square loss a
// gradient is at most as long as its loss allows, so a lie that moves a model far has a large loss.
// Each client's level is a running mean of the losses of the model that was drawn for it by p, and
// m is the median of the levels at the end of the last batch.
//   A loss c above k m, k = 5 + 4 / sqrt(n) for a report of n examples, counts as k m, and its
//   gradient sqrt(k m / c) times: as that of an example with the loss k m.
//   If the client's level is l > 4 m, its gradients count f = (4 m / l)^2 times, and its losses c
//   as m + f (c - m).
//   With trim, f = 0 for the quarter of the clients with the largest levels.
#pragma once

#include <cstdint>
#include <map>

#include "caucus/algorithms/report_batch.hpp"
#include "caucus/algorithms/robust.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class ReportClip {
 public:
  explicit ReportClip(Robust kind) : kind_(kind) {}

  /// Clips reports in place and learns their clients' levels.
  void clip(ReportBatch& reports);
  /// Ends a batch and ranks the levels again.
  void close();

  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  static constexpr double kRate = 0.1;       ///< of the running means
  static constexpr double kLevels = 4.0;     ///< medians that a level may be
  static constexpr std::size_t kFewest = 3;  ///< with fewer clients there is no majority

  Robust kind_;
  std::map<std::uint32_t, double> levels_;  ///< by client
  double highest_ = 0.0;                    ///< the level beyond which trim leaves a client out
  double median_ = 0.0;                     ///< 0 while nothing is clipped
};

}  // namespace caucus
