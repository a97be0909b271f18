// Axes of a chart: their range, their ticks, and the position of a value.
#pragma once

#include <string>
#include <vector>

namespace caucus::report {

enum class Scale { linear, log };

/// The least and the largest finite value; on a log scale only positive values count.
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

  /// The place of the value, 0 at `low` and 1 at `high`. Values outside go to the nearest end.
  [[nodiscard]] double share(double value) const;
};

/// The axis from the least value (or 0, if that is near) to the largest, with round ticks between.
Axis tight_axis(Scale scale, const Extent& extent, int wanted_ticks);
/// Extends the axis: a linear axis ends at ticks, and starts at 0 if that takes little room.
Axis roomy_axis(Scale scale, const Extent& extent, int wanted_ticks);

/// Moves positions within [low, high] until any two are `gap` apart. The order is kept and the sum
/// of squared moves is minimal. If there is not enough room, the gap shrinks.
std::vector<double> nudged_apart(const std::vector<double>& places, double gap, double low,
                                 double high);

}  // namespace caucus::report
