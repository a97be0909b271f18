#include "caucus/algorithms/statistics/batch_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "caucus/core/base/vector.hpp"
#include "caucus/core/losses/classes.hpp"

namespace caucus {

constexpr double kLeastWeight = 0.025;  // half of the least curvature, for losses near 1
constexpr double kTiny = 1e-12;
constexpr double kAtKinks = 1e4;  // the largest weight where a loss has a kink

double largest_weight(const Loss& loss) {
  static constexpr double kLogistic = 0.1019;  // of p^2 / (-4 ln(1 - p)), at p = 0.715
  return std::visit(
      [](const auto& kind) {
        using L = std::decay_t<decltype(kind)>;
        if constexpr (std::is_base_of_v<SquareLoss, L>) return 1.0;
        if constexpr (std::is_same_v<L, HuberLoss>) return 0.5;
        if constexpr (std::is_same_v<L, LogisticLoss>) return kLogistic;
        if constexpr (std::is_same_v<L, LinearLoss>) return kLeastWeight;
        return kAtKinks;
      },
      loss.kind());
}

namespace {

/// Returns half of the curvature of the flattest quadratic that touches a loss of real targets at
/// this error and is nowhere below it. Near a kink it would be infinite: errors that are smaller
/// than usual count as usual ones.
double majorizing_weight(const SquareLoss&, double, double) { return 1.0; }
double majorizing_weight(const HuberLoss& loss, double error, double) {
  return 0.5 * std::min(1.0, loss.delta / std::max(std::abs(error), kTiny));
}
double at_kink(double slopes, double error, double usual) {  // `slopes` is their jump at the kink
  const double distance = std::max({std::abs(error), usual / slopes, kTiny});
  return std::min(kAtKinks, slopes / (4.0 * distance));
}
double majorizing_weight(const AbsoluteLoss&, double error, double usual) {
  return at_kink(2.0, error, usual);
}
double majorizing_weight(const PinballLoss&, double error, double usual) {
  return at_kink(1.0, error, usual);
}

}  // namespace

QuadraticLoss quadratic_loss(const Loss& loss, double output, double y, double usual) {
  const auto [value, slope] = loss.value_and_derivative(output, y);
  const double weight = std::visit(
      [&, value = value, slope = slope](const auto& kind) {
        using L = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<L, LinearLoss>) {
          return kLeastWeight;
        } else if constexpr (kOfClasses<L>) {
          // A quadratic with the loss's value and slope that is zero at its minimum has this
          // weight. Where a loss is near zero, its mean takes the place of the value.
          const double curved = slope * slope / (4.0 * std::max({value, usual, kTiny}));
          return std::clamp(curved, kLeastWeight, largest_weight(loss));
        } else {
          return majorizing_weight(kind, output - y, usual);
        }
      },
      loss.kind());
  if (loss.is_square()) return {weight, y};
  return {weight, output - slope / (2.0 * weight)};
}

std::vector<bool> models_with_sums(const Plan& plan, std::span<const std::uint32_t> spaces) {
  const FeatureMaps& maps = plan.maps;
  const bool square = plan.loss.is_square();
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
  // The last batch of a client also has the examples that are too few to be sent by themselves.
  begin(assignment, assignment.examples + rule_.least);
}

void BatchStatistics::begin(const Assignment& assignment, std::size_t most) {
  client_ = assignment.client;
  examples_ = 0;
  std::vector<std::uint32_t> spaces;
  for (const HeldModel& model : assignment.held) spaces.push_back(model.space);
  const std::vector<bool> with_sums = models_with_sums(*plan_, spaces);
  sums_ = static_cast<std::size_t>(std::count(with_sums.begin(), with_sums.end(), true));
  const std::size_t outputs = plan_->loss.outputs();
  held_.resize(spaces.size());
  for (std::size_t a = 0; a < held_.size(); ++a) {
    Held& held = held_[a];
    held.space = spaces[a];
    held.loss = 0.0;
    const std::size_t dimension = plan_->maps.dimension(held.space);
    const bool is_sent = with_sums[a] && rule_.sends(most);
    held.sums.reset(is_sent ? rule_.coordinates(dimension, most, sums_) + outputs : 0);
    held.rare = rare_rows(held.space, held.sums.size());
    held.leading.clear();
    for (std::size_t c = 0; c < outputs; ++c) {
      const auto weights =
          assignment.held[a].weights.subspan(c * dimension, leading_of(held.space));
      held.leading.insert(held.leading.end(), weights.begin(), weights.end());
    }
  }
}

std::size_t BatchStatistics::leading_of(std::uint32_t space_index) const {
  const Space& space = plan_->maps.space(space_index);
  const std::size_t inputs = plan_->maps.shape().features;
  if (space.kind == SpaceKind::expert) return 0;
  return (space.kind == SpaceKind::linear || space.intercept ? inputs : 0) +
         (space.intercept ? 1 : 0);
}

RareRows BatchStatistics::rare_rows(std::uint32_t space, std::size_t size) const {
  const std::size_t inputs = plan_->maps.shape().features;
  const std::size_t leading = leading_of(space);
  const std::size_t classes = plan_->loss.classes();
  const std::size_t targets = plan_->loss.outputs();
  if (!rule_.hides_examples || size <= targets) return {};
  const bool hides_values = leading > 0 && size >= leading + targets;
  if (!hides_values && classes == 0) return {};
  return {hides_values ? inputs : 0, leading, size - targets, classes};
}

void BatchStatistics::add(const Forecast& forecast, double y) {
  for (std::size_t a = 0; a < held_.size(); ++a) {
    const std::size_t outputs = plan_->loss.outputs();
    add(held_[a], examples_, std::span(forecast.outputs).subspan(a * outputs, outputs),
        forecast.features[a], y);
  }
  ++examples_;
}

void BatchStatistics::add(const ExampleBlock& block, std::span<const double> y) {
  for (std::size_t a = 0; a < held_.size(); ++a) {
    for (std::size_t e = 0; e < y.size(); ++e) {
      add(held_[a], examples_ + e, block.outputs(a, e), block.features(a, e), y[e]);
    }
  }
  examples_ += static_cast<std::uint32_t>(y.size());
}

inline BatchStatistics::ScaledLoss BatchStatistics::scaled_loss(double output, double y,
                                                                double usual) const {
  const auto [weight, target] = quadratic_loss(plan_->loss, output, y, usual);
  return {static_cast<float>(std::sqrt(weight)), static_cast<float>(target)};
}

inline void BatchStatistics::add(Held& held, std::size_t before, std::span<const double> outputs,
                                 std::span<const float> features, double y) {
  if (plan_->loss.has_classes()) return add_class(held, outputs, features, class_of(y));
  const double output = outputs[0];
  const double usual = before > 0 ? held.loss / static_cast<double>(before) : 0.0;
  const double loss = plan_->loss.value(output, y);
  held.loss += loss;
  if (held.sums.size() == 0) return;
  const auto [factor, target] = scaled_loss(output, y, usual);
  held.sums.add(factor, target, features);
  held.rare.add({factor, target, y, loss, usual}, features);
}

void BatchStatistics::add_class(Held& held, std::span<const double> outputs,
                                std::span<const float> features, std::size_t y) {
  const double loss = squared_error(outputs, y);
  held.loss += loss;
  if (held.sums.size() == 0) return;
  held.sums.add(1.0F, one_hot(y), features);
  held.rare.add({1.0F, 0.0F, static_cast<double>(y), loss}, features, outputs);
}

std::span<const float> BatchStatistics::one_hot(std::size_t y) {
  targets_.assign(plan_->loss.classes(), 0.0F);
  targets_[y] = 1.0F;
  return targets_;
}

void BatchStatistics::hide_class(Held& held, const RareRows::Row& row, std::span<const float> z,
                                 std::span<const float> targets) {
  const std::size_t classes = plan_->loss.classes();
  std::vector<double> outputs = row.outputs;
  if (!std::equal(z.begin(), z.end(), row.z.begin())) {  // without random features
    const std::size_t leading = held.leading.size() / classes;
    for (std::size_t c = 0; c < classes; ++c) {
      outputs[c] =
          dot(std::span<const float>(held.leading).subspan(c * leading, leading), z.first(leading));
    }
  }
  const auto own = one_hot(class_of(row.y));
  if (targets.empty()) targets = own;
  held.sums.subtract(1.0F, own, row.z);
  held.sums.add(1.0F, targets, z);
  held.loss -= row.loss;
  for (std::size_t c = 0; c < classes; ++c) {
    const double error = outputs[c] - static_cast<double>(targets[c]);
    held.loss += error * error;
  }
}

/// The loss and the sums become those of rows that the client might have had.
void BatchStatistics::hide_rare_rows(Held& held) {
  held.rare.for_each([&](const RareRows::Row& row, std::span<const float> z,
                         std::span<const float> targets) {
    if (plan_->loss.has_classes()) return hide_class(held, row, z, targets);
    const double output = dot(std::span<const float>(held.leading), z.first(held.leading.size()));
    const auto [factor, target] = scaled_loss(output, row.y, row.usual);
    held.sums.subtract(row.factor, row.target, row.z);
    held.sums.add(factor, target, z);
    held.loss += plan_->loss.value(output, row.y) - row.loss;
  });
  held.rare.clear();
}

void BatchStatistics::report(ReportBatch& into) {
  if (!rule_.sends(examples_)) return;
  into.add_report(client_, examples_);
  for (Held& held : held_) {
    std::size_t rows = 0;
    if (held.sums.size() > 0) {
      rows = std::min(held.sums.size(),
                      rule_.coordinates(plan_->maps.dimension(held.space), examples_, sums_) +
                          plan_->loss.outputs());
    }
    hide_rare_rows(held);
    const float loss = reported_loss(held.loss / examples_);
    const auto sent = into.add_model(held.space, loss, triangle_size(rows));
    if (rows > 0) held.sums.write_triangle(rows, sent);
    if (!std::isfinite(magnitude(sent))) into.sizes.back() = 0;  // too large to learn from
  }
}

void BatchStatistics::save(StateWriter& to) const {
  to.u32(examples_);
  for (const Held& held : held_) {
    to.real(held.loss);
    if (held.sums.size() == 0) continue;
    held.sums.save(to);
    held.rare.save(to);
  }
}

Status BatchStatistics::restore(StateReader& from) {
  examples_ = from.u32();
  for (Held& held : held_) {
    held.loss = from.real();
    if (held.sums.size() > 0) {
      CAUCUS_CHECK(held.sums.restore(from));
      CAUCUS_CHECK(held.rare.restore(from));
    }
    CAUCUS_CHECK(from.status());
    if (!std::isfinite(held.loss)) return from.refuse("a loss that is not finite");
  }
  return from.status();
}

}  // namespace caucus
