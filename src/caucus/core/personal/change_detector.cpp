#include "caucus/core/personal/change_detector.hpp"

#include <algorithm>
#include <utility>

namespace caucus {

// The constants were chosen by measurement (docs/adaptive.md).
constexpr double kAllowed = 2.0;
constexpr double kLargestRatio = 12.0;
constexpr double kAlarm = 12.0;
constexpr double kPeaks = 4.0;
constexpr double kFewest = 20.0;

bool ChangeDetector::add(double error) {
  if (usual_ > 0.0) excess_ += std::min(error / usual_, kLargestRatio) - kAllowed;
  excess_ = std::max(0.0, excess_);
  peak_ = std::max(peak_, excess_);
  if (excess_ == 0.0) largest_peak_ = std::max(largest_peak_, std::exchange(peak_, 0.0));
  if (excess_ > std::max(kAlarm, kPeaks * largest_peak_)) {
    const double largest_peak = largest_peak_;
    *this = ChangeDetector();
    largest_peak_ = largest_peak;
    return true;
  }
  sum_ += error;
  count_ += 1.0;
  const double mean = sum_ / count_;
  if (count_ >= kFewest && (usual_ == 0.0 || mean < usual_)) usual_ = mean;
  return false;
}

void ChangeDetector::save(StateWriter& to) const {
  for (const double value : {usual_, sum_, count_, excess_, peak_, largest_peak_}) to.real(value);
}

Status ChangeDetector::restore(StateReader& from) {
  for (double* const value : {&usual_, &sum_, &count_, &excess_, &peak_, &largest_peak_}) {
    *value = from.real();
    if (!is_amount(*value)) return from.refuse("a mean of errors", "expected a number >= 0");
  }
  return from.status();
}

}  // namespace caucus
