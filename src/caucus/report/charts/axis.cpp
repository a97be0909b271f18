#include "caucus/report/charts/axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

// Beyond these limits differences and quotients of values could overflow.
constexpr double kLargest = 1e290;
constexpr double kSmallest = 1e-290;

/// Returns the next larger 1, 2 or 5 times a power of ten.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

/// Writes every tick with the decimals that the step needs.
std::string tick_label(double value, double step, double largest) {
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step * (1.0 + 1e-9)))));
  const bool plain = decimals <= 5 && largest < (decimals == 0 ? 1e7 : 1e4);
  if (!plain) return figure(value);
  return decimals == 0 || value == 0.0 ? figure(std::round(value)) : fixed(value, decimals);
}

std::vector<Tick> linear_ticks(double low, double high, double step) {
  std::vector<Tick> ticks;
  const double first = std::ceil(low / step - 1e-6);
  const double last = std::floor(high / step + 1e-6);
  const double largest = std::max(std::abs(low), std::abs(high));
  const int count = static_cast<int>(std::clamp(last - first + 1.0, 0.0, 100.0));
  for (int i = 0; i < count; ++i) {
    const double k = first + i;
    const double value = k == 0.0 ? 0.0 : k * step;
    ticks.push_back({value, tick_label(value, step, largest)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int wanted) {
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int decades = last - static_cast<int>(std::ceil(std::log10(low) - 1e-9)) + 1;
  const auto with = [&](const std::vector<double>& factors, int stride) {
    std::vector<Tick> ticks;
    for (int e = first; e <= last; ++e) {
      if (e % stride != 0) continue;
      for (const double factor : factors) {
        const double value = factor * std::pow(10.0, e);
        if (value < low * (1.0 - 1e-9) || value > high * (1.0 + 1e-9)) continue;
        ticks.push_back({value, figure(value)});
      }
    }
    return ticks;
  };
  if (decades >= 3) return with({1.0}, std::max(1, (decades + wanted - 1) / wanted));
  auto ticks = with({1.0, 2.0, 5.0}, 1);
  if (ticks.size() >= 3) return ticks;
  return linear_ticks(low, high, round_step((high - low) / wanted));
}

/// Returns the ends of a range that is not empty, even if all values are the same.
Axis bare_axis(Scale scale, const Extent& extent) {
  Axis axis{scale, extent.low, extent.high, {}};
  if (extent.empty()) {
    axis.low = scale == Scale::log ? 1.0 : 0.0;
    axis.high = scale == Scale::log ? 10.0 : 1.0;
  }
  if (scale == Scale::log) {
    if (axis.high < axis.low * 1.001) {
      axis.low /= 2.0;
      axis.high *= 2.0;
    }
    return axis;
  }
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  if (axis.high - axis.low <= 1e-9 * size || size < kSmallest) {
    const double room = size < kSmallest ? 1.0 : 0.1 * size;
    axis.high += room;
    if (axis.low != 0.0) axis.low -= room;
  }
  return axis;
}

}  // namespace

void Extent::add(double value) {
  if (!std::isfinite(value) || (scale_ == Scale::log && value <= 0.0)) return;
  value = std::clamp(value, -kLargest, kLargest);
  if (scale_ == Scale::log) value = std::max(value, kSmallest);
  if (empty()) low = high = value;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Extent::add(const std::vector<double>& values) {
  for (const double value : values) add(value);
}

double Axis::share(double value) const {
  if (std::isnan(value)) return 0.0;
  value = std::clamp(value, low, high);
  if (scale == Scale::linear) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

Axis tight_axis(Scale scale, const Extent& extent, int wanted_ticks) {
  Axis axis = bare_axis(scale, extent);
  if (scale == Scale::linear && axis.low > 0.0 && axis.low < 0.05 * axis.high) axis.low = 0.0;
  const double step = round_step((axis.high - axis.low) / wanted_ticks);
  axis.ticks = scale == Scale::log ? log_ticks(axis.low, axis.high, wanted_ticks)
                                   : linear_ticks(axis.low, axis.high, step);
  return axis;
}

Axis roomy_axis(Scale scale, const Extent& extent, int wanted_ticks) {
  Axis axis = bare_axis(scale, extent);
  if (scale == Scale::log) {
    const double room = std::pow(axis.high / axis.low, 0.04);
    axis.low /= room;
    axis.high *= room;
    axis.ticks = log_ticks(axis.low, axis.high, wanted_ticks);
    return axis;
  }
  if (axis.low > 0.0 && axis.low < 0.5 * axis.high) axis.low = 0.0;
  if (axis.high < 0.0 && axis.high > 0.5 * axis.low) axis.high = 0.0;
  const double step = round_step((axis.high - axis.low) / wanted_ticks);
  axis.low = step * std::floor(axis.low / step + 1e-6);
  axis.high = step * std::ceil(axis.high / step - 1e-6);
  axis.ticks = linear_ticks(axis.low, axis.high, step);
  return axis;
}

std::vector<double> nudged_apart(const std::vector<double>& places, double gap, double low,
                                 double high) {
  const std::size_t n = places.size();
  if (n == 0) return {};
  if (n > 1) gap = std::min(gap, (high - low) / static_cast<double>(n - 1));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  // After subtracting i * gap the positions need only be ordered: isotonic regression by pooling
  // adjacent violators.
  struct Block {
    double sum = 0.0;
    std::size_t count = 0;

    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < n; ++i) {
    Block last{places[order[i]] - static_cast<double>(i) * gap, 1};
    for (; !blocks.empty() && blocks.back().mean() > last.mean(); blocks.pop_back()) {
      last = {blocks.back().sum + last.sum, blocks.back().count + last.count};
    }
    blocks.push_back(last);
  }
  std::vector<double> moved(n);
  const double top = std::max(low, high - static_cast<double>(n - 1) * gap);
  std::size_t i = 0;
  for (const Block& block : blocks) {
    const double base = std::clamp(block.mean(), low, top);
    for (const std::size_t end = i + block.count; i < end; ++i) {
      moved[order[i]] = base + static_cast<double>(i) * gap;
    }
  }
  return moved;
}

}  // namespace caucus::report
