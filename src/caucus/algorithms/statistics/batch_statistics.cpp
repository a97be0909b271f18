#include "caucus/algorithms/statistics/batch_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/base/state_io.hpp"

namespace caucus {

constexpr double kLeastWeight = 0.025;  // half of the least curvature

double largest_weight(const Loss& loss) {
  constexpr double kAtKinks = 1e4;
  constexpr double kLogistic = 0.1019;  // of p^2 / (-4 ln(1 - p)), at p = 0.715
  return std::visit(
      [](const auto& kind) {
        using L = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<L, SquareLoss>) return 1.0;
        if constexpr (std::is_same_v<L, HuberLoss>) return 0.5;
        if constexpr (std::is_same_v<L, LogisticLoss>) return kLogistic;
        if constexpr (std::is_same_v<L, LinearLoss>) return kLeastWeight;
        return kAtKinks;
      },
      loss.kind());
}

QuadraticLoss quadratic_loss(const Loss& loss, double output, double y, double usual) {
  if (std::holds_alternative<SquareLoss>(loss.kind())) return {1.0, y};
  const auto [value, slope] = loss.value_and_derivative(output, y);
  // A quadratic with the loss's value and slope that is zero at its minimum has this weight. Where
  // a loss is near zero, its mean takes the place of the value. The linear loss has no minimum.
  constexpr double kTiny = 1e-12;
  const bool linear = std::holds_alternative<LinearLoss>(loss.kind());
  const double curved = linear ? 0.0 : slope * slope / (4.0 * std::max({value, usual, kTiny}));
  const double weight = std::clamp(curved, kLeastWeight, largest_weight(loss));
  return {weight, output - slope / (2.0 * weight)};
}

std::vector<bool> models_with_sums(const Plan& plan, std::span<const std::uint32_t> spaces) {
  const FeatureMaps& maps = plan.maps;
  const bool square = std::holds_alternative<SquareLoss>(plan.loss.kind());
  std::vector<bool> with_sums;
  for (std::size_t a = 0; a < spaces.size(); ++a) {
    const Space& space = maps.space(spaces[a]);
    bool needed = maps.dimension(spaces[a]) > 0;
    for (std::size_t b = 0; b < spaces.size(); ++b) {
      const Space& other = maps.space(spaces[b]);
      if (b < a && maps.map_of(spaces[b]) == maps.map_of(spaces[a])) needed = false;
      if (square && space.kind == SpaceKind::linear && space.intercept && other.is_kernel() &&
          other.intercept) {
        needed = false;  // x and 1 are among the coordinates of the kernel
      }
    }
    with_sums.push_back(needed);
  }
  return with_sums;
}

void BatchStatistics::begin(const Assignment& assignment) {
  client_ = assignment.client;
  examples_ = 0;
  std::vector<std::uint32_t> spaces;
  for (const HeldModel& model : assignment.held) spaces.push_back(model.space);
  const std::vector<bool> with_sums = models_with_sums(*plan_, spaces);
  // The last batch of a client may be longer by a rest that cannot be sent by itself.
  const std::size_t most = assignment.examples + rule_.least;
  held_.resize(spaces.size());
  for (std::size_t a = 0; a < held_.size(); ++a) {
    Held& held = held_[a];
    held.space = spaces[a];
    held.loss = 0.0;
    const std::size_t dimension = plan_->maps.dimension(held.space);
    const std::size_t rows = with_sums[a] ? rule_.coordinates(dimension, most) + 1 : 0;
    if (held.sums.size() == rows) {
      held.sums.clear();
    } else {
      held.sums = rows > 0 ? RowSums(rows) : RowSums();
    }
  }
}

void BatchStatistics::add(const Forecast& forecast, double y) {
  for (std::size_t a = 0; a < held_.size(); ++a) {
    Held& held = held_[a];
    const double output = forecast.outputs[a];
    const double usual = examples_ > 0 ? held.loss / examples_ : 0.0;
    held.loss += plan_->loss.value(output, y);
    if (held.sums.size() == 0) continue;
    const auto [weight, target] = quadratic_loss(plan_->loss, output, y, usual);
    held.sums.add(static_cast<float>(std::sqrt(weight)), static_cast<float>(target),
                  forecast.features[a]);
  }
  ++examples_;
}

void BatchStatistics::report(ReportBatch& into) {
  if (!rule_.sends(examples_)) return;
  into.add_report(client_, examples_);
  for (Held& held : held_) {
    std::size_t rows = 0;
    if (held.sums.size() > 0) {
      rows = std::min(held.sums.size(),
                      rule_.coordinates(plan_->maps.dimension(held.space), examples_) + 1);
    }
    triangle_.resize(triangle_size(rows));
    if (rows > 0) held.sums.write_triangle(rows, triangle_);
    if (!all_finite(triangle_)) triangle_.clear();  // the numbers were too large to learn from
    const float loss = reported_loss(held.loss / examples_);
    const auto sent = into.add_model(held.space, loss, triangle_.size());
    std::copy(triangle_.begin(), triangle_.end(), sent.begin());
  }
}

}  // namespace caucus
