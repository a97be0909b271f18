#include "caucus/selector.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "caucus/algorithms/adaptive_oms.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

std::vector<Space> default_spaces(double radius) {
  std::vector<Space> spaces = {Space{.kind = SpaceKind::linear, .radius = radius}};
  for (const double width : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    spaces.push_back(Space{.kind = SpaceKind::gaussian, .radius = radius, .width = width});
  }
  return spaces;
}

Status SelectorOptions::validate() const {
  if (features + experts == 0) {
    return usage_error("selector", "examples without numbers", "expected features or experts");
  }
  if (!is_adaptive(learning.schedule.kind)) {
    return usage_error("schedule", "its rates depend on the number of rounds",
                       "expected an adaptive schedule");
  }
  if (learning.schedule.kind == ScheduleKind::statistics) {
    return usage_error("schedule", "the statistics schedule learns from batches",
                       "expected adaptive or adaptive-first-order");
  }
  if (learning.rounds_per_upload != 1) {
    return usage_error("rounds_per_upload", std::to_string(learning.rounds_per_upload),
                       "expected 1: a selector learns from every example at once");
  }
  const double share = learning.schedule.fixed_share;
  if (!(share >= 0.0 && share < 1.0)) {
    return usage_error("fixed_share", std::to_string(share), "expected a number in [0, 1)");
  }
  if (std::holds_alternative<LinearLoss>(learning.loss.kind())) {
    for (const Space& space : learning.spaces) {
      if (!std::isinf(space.radius)) continue;
      return usage_error("loss", "the linear loss has no least value in '" + space.name() + "'",
                         "expected finite radii");
    }
  }
  return Done{};
}

constexpr std::string_view kSavedSelector = "caucus selector 1";

/// A server and its only client. Batch t is round t.
struct Selector::Parts {
  Parts(std::shared_ptr<const Plan> shared, std::shared_ptr<const AdaptiveSettings> adaptive)
      : plan(std::move(shared)),
        settings(std::move(adaptive)),
        server(AdaptiveOms(settings)),
        forecast(plan->maps) {}
  [[nodiscard]] Batch batch() const { return {rounds + 1, rounds, std::size_t{rounds} + 1}; }

  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const AdaptiveSettings> settings;
  Server<AdaptiveOms> server;
  std::vector<std::string> names;
  std::uint32_t rounds = 0;

  // The client's part of the open round:
  bool assigned = false, predicted = false;
  Assignment assignment;
  std::vector<float> x;
  Forecast forecast;
  NoMemory memory;
  BatchMean mean;
  ReportBatch reports;
};

Selector::Selector(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Selector::Selector(Selector&& other) noexcept = default;
Selector& Selector::operator=(Selector&& other) noexcept = default;
Selector::~Selector() = default;

Result<Selector> Selector::make(SelectorOptions options) {
  LearningOptions& learning = options.learning;
  if (learning.spaces.empty()) {
    const bool bounded = std::holds_alternative<LinearLoss>(learning.loss.kind());
    learning.spaces = default_spaces(bounded ? 1.0 : std::numeric_limits<double>::infinity());
  }
  CAUCUS_CHECK(options.validate());
  CAUCUS_TRY(auto maps, FeatureMaps::make(learning.spaces, {options.features, options.experts},
                                          learning.seed, 0, learning.sample_size));
  auto plan = std::make_shared<const Plan>(Plan{std::move(maps), learning.loss});
  CAUCUS_TRY(const AnySettings settings,
             make_settings("fomd-oms", plan, {}, RunLength{.clients = 1}, learning, 0));
  auto parts = std::make_unique<Parts>(std::move(plan),
                                       std::get<std::shared_ptr<const AdaptiveSettings>>(settings));
  for (const Space& space : learning.spaces) parts->names.push_back(space.name());
  return Selector(std::move(parts));
}

Result<double> Selector::predict(std::span<const float> x) {
  Parts& own = *parts_;
  if (x.size() != own.plan->maps.example_size()) {
    return usage_error("predict", std::to_string(x.size()) + " numbers",
                       "expected " + std::to_string(own.plan->maps.example_size()));
  }
  if (!all_finite(x)) return usage_error("predict", "a number that is not finite");
  if (own.rounds == std::numeric_limits<std::uint32_t>::max()) {
    return usage_error("predict", "2^32 - 1 rounds have been played", "expected fewer");
  }
  own.x.assign(x.begin(), x.end());  // some features are x itself, and observe() uses them
  if (!own.assigned) own.server.assign(own.batch(), 0, own.assignment);
  own.assigned = own.predicted = true;
  own.server.algorithm().predict(own.memory, own.assignment, own.x, own.forecast);
  return own.forecast.output;
}

Status Selector::observe(double y) {
  Parts& own = *parts_;
  if (!own.predicted) {
    return usage_error("observe", "no forecast waits for its true value",
                       "expected predict() before each observe()");
  }
  if (!std::isfinite(y)) return usage_error("observe", "a value that is not finite");
  if (own.plan->loss.is_classification() && std::abs(y) != 1.0) {
    return usage_error("observe", std::to_string(y) + " is not a class", "expected -1 or 1");
  }
  own.mean.begin(own.assignment);
  own.server.algorithm().report(own.memory, own.forecast, y, own.mean);
  own.mean.report(own.reports);
  own.server.accept(own.reports);
  own.server.close(own.batch());
  ++own.rounds;
  own.assigned = own.predicted = false;
  return Done{};
}

std::vector<double> Selector::probabilities() const {
  return parts_->server.algorithm().selection();
}
const std::vector<std::string>& Selector::spaces() const { return parts_->names; }
std::uint64_t Selector::rounds() const { return parts_->rounds; }

std::string Selector::save() const {
  StateWriter to;
  to.text(kSavedSelector);
  to.u32(parts_->rounds);
  parts_->server.save(to);
  return sealed(to.take());
}

Status Selector::restore(std::string_view bytes) {
  CAUCUS_TRY(const std::string_view content, unsealed(bytes, "saved selector"));
  StateReader from(content, "saved selector");
  from.expect(kSavedSelector);
  const std::uint32_t rounds = from.u32();
  Server<AdaptiveOms> server{AdaptiveOms(parts_->settings)};
  CAUCUS_CHECK(server.restore(from));
  CAUCUS_CHECK(from.done());
  parts_->server = std::move(server);
  parts_->rounds = rounds;
  parts_->assigned = parts_->predicted = false;
  return Done{};
}

}  // namespace caucus
