#include "caucus/algorithms/baselines/shared_model.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/ball.hpp"
#include "caucus/box.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {

void PointBatch::begin(const TimedAssignment& assignment) {
  client_ = assignment.client;
  examples_ = 0;
}

void PointBatch::set(std::span<const float> point) {
  ++examples_;
  point_.assign(point.begin(), point.end());
}

void PointBatch::report(ReportBatch& into) const {
  if (examples_ == 0) return;
  into.add_report(client_, examples_);
  const auto copy = into.add_model(0, 0.0F, point_.size());
  std::copy(point_.begin(), point_.end(), copy.begin());
}

void PointAggregate::clear() {
  reporters_ = 0;
  std::fill(sum_.begin(), sum_.end(), 0.0F);
}

void PointAggregate::add(const ReportBatch& reports) {
  reporters_ += reports.size();
  for (std::size_t n = 0; n < reports.size(); ++n) caucus::add(sum_, reports.direction(n));
}

void PointAggregate::mean_into(std::span<float> point) const {
  if (reporters_ == 0) return;
  const auto reporters = static_cast<double>(reporters_);
  for (std::size_t k = 0; k < point.size(); ++k) {
    point[k] = static_cast<float>(static_cast<double>(sum_[k]) / reporters);
  }
}

void step_within(const Space& space, std::span<float> w, double rate,
                 std::span<const float> direction) {
  if (w.empty()) return;  // a frozen expert
  if (std::isinf(space.radius)) {
    bounded_step(w, 1.0, rate, direction);
  } else {
    space.region().descend(w, direction, static_cast<double>(bounded_float(rate)));
  }
}

void project_into(const Space& space, std::span<float> w) {
  if (space.constraint == Constraint::box) {
    const double side = space.radius / std::sqrt(static_cast<double>(w.size()));
    for (float& v : w) v = static_cast<float>(std::clamp(static_cast<double>(v), -side, side));
    return;
  }
  double square = 0.0;
  for (const float v : w) square += static_cast<double>(v) * static_cast<double>(v);
  const double shrink = space.radius / std::sqrt(square);
  if (!(shrink < 1.0)) return;
  for (float& v : w) v = static_cast<float>(shrink * static_cast<double>(v));
}

}  // namespace caucus
