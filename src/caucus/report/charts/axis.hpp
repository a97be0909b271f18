// Axes of a chart: which values they cover, where their ticks are, and where a value lies.
#pragma once

#include <string>
#include <vector>

namespace caucus::report {

enum class Scale { linear, log };

/// The least and the largest of the finite values seen; on a log scale only positive ones count.
class Extent {
 public:
  explicit Extent(Scale scale = Scale::linear) : scale_(scale) {}
  void add(double value);
  void add(const std::vector<double>& values);
  [[nodiscard]] bool empty() const { return low > high; }

  double low = 1.0, high = 0.0;

 private:
  Scale scale_;
};

struct Tick {
  double value = 0.0;
  std::string label;
};

struct Axis {
  Scale scale = Scale::linear;
  double low = 0.0, high = 1.0;
  std::vector<Tick> ticks;

  /// Where the value lies, 0 at `low` and 1 at `high`; what lies outside comes to the nearest end.
  [[nodiscard]] double share(double value) const;
};

/// From the least value (or 0, if that is near) to the largest; ticks are round numbers between.
Axis tight_axis(Scale scale, const Extent& extent, int wanted_ticks);
/// A little wider: a linear axis ends at ticks, and starts at 0 where that costs little room.
Axis roomy_axis(Scale scale, const Extent& extent, int wanted_ticks);

/// The given places moved apart until any two are `gap` apart, within [low, high]: the order is
/// kept and the sum of squared moves is least. Where there is no room for that, the gap shrinks.
std::vector<double> nudged_apart(const std::vector<double>& places, double gap, double low,
                                 double high);

}  // namespace caucus::report
