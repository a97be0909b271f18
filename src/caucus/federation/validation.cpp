#include "caucus/federation/validation.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {
namespace {

// Clients compute in floats, so the bounds hold for them only up to this factor.
constexpr double kRounding = 1e-3;
constexpr double kTiny = 1e-30;

double with_rounding(double bound) { return bound * (1.0 + kRounding) + kTiny; }

bool is_square(const Loss& loss) { return std::holds_alternative<SquareLoss>(loss.kind()); }

std::string beyond(const char* what, double value, double bound) {
  return std::string(what) + " " + to_text(value) + " is beyond " + to_text(bound);
}

}  // namespace

double ReportRules::reach(const SampledModel& model) const {
  const double bound = bounds_.features[model.space];
  const bool expert = plan_->maps.space(model.space).kind == SpaceKind::expert;
  return std::min(expert ? bound : model.norm * bound, kLargestForecast);
}

double ReportRules::least_loss(double largest) const {
  // 1 - v y is the one loss that can be negative.
  const bool linear = std::holds_alternative<LinearLoss>(plan_->loss.kind());
  return linear ? 1.0 - with_rounding(largest * bounds_.target) : 0.0;
}

std::optional<std::string> ReportRules::fault(const TrackedMember& member,
                                              const ReportRecord& report) const {
  std::uint64_t before = 0;
  std::uint64_t examples = 0;
  for (std::size_t n = 0; n < report.reports.size(); ++n) {
    const std::uint64_t batch = report.reports.sampled_in[n];
    if (batch <= before) return "its parts are not in order";
    before = batch;
    const SampledSet* sampled = member.find_sampled(batch);
    if (sampled == nullptr) {
      return "a part answers batch " + std::to_string(batch) + ", which is too long ago";
    }
    if (auto found = fault(report.reports, n, *sampled)) return found;
    examples += report.reports.examples[n];
  }
  if (report.played.forecasts != examples) {
    return "sums over " + std::to_string(report.played.forecasts) + " forecasts for " +
           std::to_string(examples) + " examples";
  }
  if (member.examples > 0 && member.counted + examples > member.examples) {
    return std::to_string(member.counted + examples) + " examples, where it said that it has " +
           std::to_string(member.examples);
  }
  return fault(report.played, member.sampled);
}

std::optional<std::string> ReportRules::fault(const ReportBatch& reports, std::size_t report,
                                              const SampledSet& sampled) const {
  const std::uint32_t examples = reports.examples[report];
  if (examples == 0) return "a part without examples";
  if (examples > bounds_.examples) {
    return "a part of " + std::to_string(examples) + " examples, more than " +
           std::to_string(bounds_.examples);
  }
  const std::size_t begin = reports.begin_of(report);
  const std::size_t models = reports.ends[report] - begin;
  if (models != sampled.models.size()) {
    return std::to_string(models) + " models instead of the " +
           std::to_string(sampled.models.size()) + " that were assigned";
  }
  if (bounds_.sums && !bounds_.sums->sends(examples)) {
    return "sums over " + std::to_string(examples) + " examples, which do not hide them";
  }
  std::vector<std::uint32_t> spaces;
  for (const SampledModel& model : sampled.models) spaces.push_back(model.space);
  const auto with_sums =
      bounds_.sums ? models_with_sums(*plan_, spaces) : std::vector<bool>(models, false);
  const auto sums = static_cast<std::size_t>(std::count(with_sums.begin(), with_sums.end(), true));
  for (std::size_t a = 0; a < models; ++a) {
    const std::size_t floats = most_floats(spaces[a], with_sums[a] ? sums : 0, examples);
    if (auto found = fault_of_model(reports, begin + a, sampled.models[a], floats, examples)) {
      return found;
    }
  }
  return std::nullopt;
}

std::size_t ReportRules::most_floats(std::uint32_t space, std::size_t sums,
                                     std::uint32_t examples) const {
  const std::size_t dimension = plan_->maps.dimension(space);
  if (!bounds_.sums) return dimension;
  return sums > 0 ? triangle_size(bounds_.sums->coordinates(dimension, examples, sums) + 1) : 0;
}

std::optional<std::string> ReportRules::fault_of_model(const ReportBatch& reports,
                                                       std::size_t reported,
                                                       const SampledModel& model,
                                                       std::size_t floats,
                                                       std::uint32_t examples) const {
  const std::uint32_t space = reports.spaces[reported];
  const std::span<const float> gradient = reports.direction(reported);
  if (space != model.space) {
    return "space " + std::to_string(space) + " where " + std::to_string(model.space) +
           " was assigned";
  }
  const std::size_t dimension = plan_->maps.dimension(model.space);
  // A client that has more examples than its batch was to have sends sums of fewer coordinates.
  const bool is_part = bounds_.sums && gradient.size() < floats &&
                       gradient.size() == triangle_size(triangle_rows(gradient.size()));
  if (gradient.size() != floats && !is_part) {
    return (bounds_.sums ? "sums of " : "a gradient of ") + std::to_string(gradient.size()) +
           " numbers instead of " + std::to_string(floats);
  }
  const auto loss = static_cast<double>(reports.losses[reported]);
  if (!std::isfinite(loss)) return "a loss that is not finite";
  double square = 0.0;  // |g|^2; floats' squares fit a double, and NaN shows
  for (const float g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
  if (!std::isfinite(square)) return "a gradient that is not finite";

  const double largest = reach(model);
  if (loss < least_loss(largest)) return beyond("loss", loss, least_loss(largest));
  const double most = with_rounding(plan_->loss.largest(largest, bounds_.target));
  if (loss > most) return beyond("loss", loss, most);
  if (dimension == 0) return std::nullopt;
  if (bounds_.sums) return fault_of_triangle(gradient, model, examples);
  const double bound = bounds_.features[model.space];
  const double steepest = with_rounding(plan_->loss.steepest(largest, bounds_.target) * bound);
  if (square > steepest * steepest) return beyond("gradient norm", std::sqrt(square), steepest);
  const double by_loss = with_rounding(4.0 * bound * bound * loss);
  if (is_square(plan_->loss) && square > by_loss) {
    return beyond("squared gradient norm", square, by_loss) + " for its loss";
  }
  return std::nullopt;
}

std::optional<std::string> ReportRules::fault_of_triangle(std::span<const float> triangle,
                                                          const SampledModel& model,
                                                          double examples) const {
  if (triangle.empty()) return std::nullopt;
  const std::size_t rows = triangle_rows(triangle.size());
  SymmetricMatrix sums(rows);
  sums.add_triangle(rows, triangle);
  if (!is_semidefinite(sums)) return "sums that are not positive semidefinite";
  if (!is_square(plan_->loss)) return std::nullopt;  // others weigh examples and move targets
  double trace = 0.0;
  for (std::size_t k = 1; k < rows; ++k) trace += sums(k, k);
  const double bound = bounds_.features[model.space];
  const double most_trace = with_rounding(examples * bound * bound);
  if (trace > most_trace) return beyond("sum of squared features", trace, most_trace);
  const double most_targets = with_rounding(examples * bounds_.target * bounds_.target);
  if (sums(0, 0) > most_targets) return beyond("sum of squared targets", sums(0, 0), most_targets);
  return std::nullopt;
}

std::optional<std::string> ReportRules::fault_of_sums(const PlayedSums& played,
                                                      double largest) const {
  const double n = played.forecasts;
  const double Y = bounds_.target;
  struct Sum {
    const char* name;
    double value, least, most;
  };
  const double error = (largest + Y) * (largest + Y);
  for (const auto& [name, value, least, most] :
       {Sum{"sum of losses", played.loss, n * least_loss(largest),
            n * plan_->loss.largest(largest, Y)},
        Sum{"sum of squared errors", played.squared_error, 0.0, n * error},
        Sum{"sum of squared targets", played.squared_targets, 0.0, n * Y * Y},
        Sum{"sum of log losses", played.log_loss, 0.0, n * LogisticLoss::largest(largest, Y)}}) {
    if (!std::isfinite(value)) return std::string(name) + " is not finite";
    if (value < least) return beyond(name, value, least);
    if (value > with_rounding(most)) return beyond(name, value, most);
  }
  if (played.correct > played.forecasts) return "more forecasts are right than were given";
  const PersonalRecord& personal = played.personal;
  for (const double value : {personal.given, personal.federated, personal.alone,
                             personal.persistence, personal.federated_squares}) {
    if (!std::isfinite(value)) return "a sum of personal losses is not finite";
  }
  return std::nullopt;
}

}  // namespace caucus
