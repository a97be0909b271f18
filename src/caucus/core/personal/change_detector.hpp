// Notices that forecasts have become worse for good: a cumulative sum test of their errors,
//   c <- max(0, c + min(|error| / usual, 12) - 2),
// where `usual` is the least mean |error| since the last change, over at least 20 examples. In this
// mean the examples before an upload count half as much after it. There is a change if c exceeds 12
// and four times the largest c that went back to 0 by itself, so that errors with heavy tails raise
// few alarms.
#pragma once

#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class ChangeDetector {
 public:
  /// Adds an error >= 0. Returns whether there is a change; then the usual error is learned anew.
  bool add(double error);
  /// Says that what was added until now has been uploaded.
  void end_batch() {
    sum_ *= 0.5;
    count_ *= 0.5;
  }

  /// restore() needs a new object; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  double usual_ = 0.0;              ///< 0 if it is not known yet
  double sum_ = 0.0, count_ = 0.0;  ///< of the errors, earlier ones with less weight
  double excess_ = 0.0;             ///< c
  double peak_ = 0.0;               ///< the largest c since it was 0
  double largest_peak_ = 0.0;       ///< of those that were no change
};

}  // namespace caucus
