#include "caucus/federation/validation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/losses/classes.hpp"
#include "caucus/engine/participant/records.hpp"
#include "caucus/federation/sums_validation.hpp"

namespace caucus {
namespace {

double with_rounding(double bound) { return bound * (1.0 + kRounding) + kTiny; }

}  // namespace

double ReportRules::reach(const SampledModel& model) const {
  const double bound = bounds_.features[model.space];
  const bool expert = plan_->maps.space(model.space).kind == SpaceKind::expert;
  if (expert && plan_->loss.has_classes()) return 1.0;
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
      return "a part answers batch " + std::to_string(batch) + ", which is no longer remembered";
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
    const SampledModel& model = sampled.models[a];
    Reported one{&reports, begin + a, &model, {}, examples};
    if (model.weights) one.weights = *model.weights;
    const std::size_t floats = most_floats(spaces[a], with_sums[a] ? sums : 0, examples);
    if (auto found = fault_of_model(one, floats)) return found;
  }
  return std::nullopt;
}

std::size_t ReportRules::most_floats(std::uint32_t space, std::size_t sums,
                                     std::uint32_t examples) const {
  const std::size_t dimension = plan_->maps.dimension(space);
  if (!bounds_.sums) return dimension;
  if (sums == 0) return 0;
  const std::size_t coordinates = bounds_.sums->coordinates(dimension, examples, sums);
  return triangle_size(coordinates + plan_->loss.outputs());
}

std::optional<std::string> ReportRules::fault_of_model(const Reported& one,
                                                       std::size_t floats) const {
  const SampledModel& model = *one.model;
  if (const std::uint32_t space = one.reports->spaces[one.place]; space != model.space) {
    return "space " + std::to_string(space) + " where " + std::to_string(model.space) +
           " was assigned";
  }
  // If a client's batch has more examples than were assigned, its sums may have fewer coordinates
  // than these examples allow.
  const std::size_t sent = one.direction().size();
  const bool is_part = bounds_.sums && sent < floats && sent == triangle_size(triangle_rows(sent));
  if (sent != floats && !is_part) {
    return (bounds_.sums ? "sums of " : "a gradient of ") + std::to_string(sent) +
           " numbers instead of " + std::to_string(floats);
  }
  const double loss = one.loss();
  if (!std::isfinite(loss)) return "a loss that is not finite";
  const double largest = reach(model);
  if (loss < least_loss(largest)) return beyond("loss", loss, least_loss(largest));
  const double most = with_rounding(plan_->loss.largest(largest, bounds_.target));
  if (loss > most) return beyond("loss", loss, most);
  if (plan_->maps.dimension(model.space) == 0) return std::nullopt;
  return bounds_.sums ? fault_of_triangle(one) : fault_of_gradient(one);
}

std::optional<std::string> ReportRules::fault_of_gradient(const Reported& one) const {
  double square = 0.0;  // |g|^2; floats' squares fit a double, and NaN shows
  for (const float g : one.direction()) square += static_cast<double>(g) * static_cast<double>(g);
  if (!std::isfinite(square)) return "a gradient that is not finite";
  const double largest = reach(*one.model);
  const double loss = one.loss();
  const double bound = bounds_.features[one.model->space];
  const double steepest = with_rounding(plan_->loss.steepest(largest, bounds_.target) * bound);
  if (square > steepest * steepest) return beyond("gradient norm", std::sqrt(square), steepest);
  const double by_loss = with_rounding(4.0 * bound * bound * loss);
  if (is_square(plan_->loss) && square > by_loss) {
    return beyond("squared gradient norm", square, by_loss) + " for its loss";
  }
  const Space& space = plan_->maps.space(one.model->space);
  const double least_size = (space.is_kernel() ? 1.0 : 0.0) + (space.intercept ? 1.0 : 0.0);
  const double least_square = 4.0 * least_size * loss * (1.0 - kRounding) - kTiny;
  if (is_square(plan_->loss) && one.examples == 1 && square < least_square) {
    return beyond("squared gradient norm", square, least_square) + " for its loss";
  }
  if (one.weights.empty()) return std::nullopt;
  double along = 0.0;  // <g, w>
  for (std::size_t k = 0; k < one.weights.size(); ++k) {
    along += static_cast<double>(one.direction()[k]) * static_cast<double>(one.weights[k]);
  }
  // The client computes <w, z> in floats.
  constexpr double kRoundingOfForecasts = 1e-5;
  const double room =
      kRounding * std::abs(loss) + kRoundingOfForecasts * steepest * one.model->norm + kTiny;
  double least = loss - plan_->loss.largest(0.0, bounds_.target);
  if (is_square(plan_->loss)) {
    const double apart = 2.0 * bounds_.target * std::sqrt(std::max(0.0, loss));
    least = 2.0 * loss - apart;
    if (along > 2.0 * loss + apart + room) {
      return beyond("gradient along the model", along, 2.0 * loss + apart) + " for its loss";
    }
  }
  if (along < least - room) {
    return beyond("gradient along the model", along, least) + " for its loss";
  }
  return std::nullopt;
}

std::optional<std::string> ReportRules::fault_of_triangle(const Reported& one) const {
  const auto triangle = one.direction();
  if (triangle.empty()) return std::nullopt;
  const SampledModel& model = *one.model;
  const FeatureMaps& maps = plan_->maps;
  const std::size_t targets = plan_->loss.outputs();
  const std::size_t rows = triangle_rows(triangle.size());
  if (rows < targets) return "sums without all targets";
  SymmetricMatrix sums(rows);
  sums.add_triangle(rows, triangle);
  SumsClaim claim{&plan_->loss,
                  static_cast<double>(one.examples),
                  bounds_.features[model.space],
                  bounds_.target,
                  reach(model),
                  {}};
  const std::size_t inputs = maps.shape().features;
  if (maps.space(model.space).intercept && rows > inputs + targets) claim.intercept = inputs;
  if (auto found = fault_in_sums(sums, claim)) return found;
  if (one.weights.empty()) return std::nullopt;
  const std::size_t dimension = one.weights.size() / targets;
  std::vector<double> weights;
  for (std::size_t c = 0; c < targets; ++c) {
    const auto own = one.weights.subspan(c * dimension, dimension);
    const auto missing = own.subspan(rows - targets);  // not sent, to hide examples
    const auto is_zero = [](float w) { return w == 0.0F; };
    if (!std::all_of(missing.begin(), missing.end(), is_zero)) return std::nullopt;
    weights.insert(weights.end(), own.begin(),
                   own.begin() + static_cast<std::ptrdiff_t>(rows - targets));
  }
  return fault_in_loss(sums, claim, weights, one.loss());
}

std::optional<std::string> ReportRules::fault_of_classes(const PlayedSums& played) const {
  const std::size_t classes = plan_->loss.classes();
  if (played.of_class.size() != 3 * classes) return "counts of another number of classes";
  std::array<std::uint64_t, 3> sums{};
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += played.of_class[3 * c + k];
    if (played.of_class[3 * c + 2] > std::min(played.of_class[3 * c], played.of_class[3 * c + 1])) {
      return "more right forecasts of a class than there are of it";
    }
  }
  if (sums[0] != played.forecasts || sums[1] != played.forecasts || sums[2] != played.correct) {
    return "counts of classes that do not fit the number of forecasts";
  }
  return std::nullopt;
}

std::optional<std::string> ReportRules::fault_of_sums(const PlayedSums& played,
                                                      double largest) const {
  const double n = played.forecasts;
  const double Y = bounds_.target;
  double most_log_loss = LogisticLoss::largest(largest, Y);
  if (plan_->loss.has_classes()) {
    if (auto found = fault_of_classes(played)) return found;
    largest = 1.0;  // forecasts are probabilities
    most_log_loss = -std::log(kLeastProbability);
  } else if (plan_->loss.is_classification()) {
    // Before the first models forecasts are log-odds of the client's own rows.
    largest = std::max(largest, -std::log(kLeastProbability));
    most_log_loss = LogisticLoss::largest(largest, Y);
  }
  if (!plan_->loss.has_classes() && !played.of_class.empty()) {
    return "counts of classes where there are none";
  }
  struct Sum {
    const char* name;
    double value, least, most;
  };
  const double error = (largest + Y) * (largest + Y);
  for (const auto& [name, value, least, most] :
       {Sum{"sum of losses", played.loss, n * least_loss(largest),
            n * plan_->loss.largest(largest, Y)},
        Sum{"sum of squared errors", played.squared_error, 0.0, n * error},
        Sum{"sum of targets", played.targets, -with_rounding(n * Y), n * Y},
        Sum{"sum of squared targets", played.squared_targets, 0.0, n * Y * Y},
        Sum{"sum of log losses", played.log_loss, 0.0, n * most_log_loss}}) {
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
