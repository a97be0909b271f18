#include "caucus/selector.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "caucus/algorithms/adaptive_oms.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {
namespace {

constexpr std::string_view kSaved = "caucus selector 1";

}  // namespace

Status SelectorOptions::validate() const {
  if (features + experts == 0) {
    return usage_error("selector", "examples without numbers", "expected features or experts");
  }
  if (!is_adaptive(learning.schedule.kind)) {
    return usage_error("schedule", "its rates depend on the number of rounds",
                       "expected an adaptive schedule");
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

/// A server and its only client. Batch t is round t.
class Selector::Parts {
 public:
  static Result<std::unique_ptr<Parts>> make(SelectorOptions options) {
    LearningOptions& learning = options.learning;
    if (learning.spaces.empty()) {
      const bool bounded = std::holds_alternative<LinearLoss>(learning.loss.kind());
      learning.spaces = default_spaces(bounded ? 1.0 : std::numeric_limits<double>::infinity());
    }
    CAUCUS_CHECK(options.validate());
    CAUCUS_TRY(auto maps, FeatureMaps::make(learning.spaces, {options.features, options.experts},
                                            learning.seed, 0, learning.sample));
    auto plan = std::make_shared<const Plan>(Plan{std::move(maps), learning.loss});
    CAUCUS_TRY(const AnySettings settings,
               make_settings("fomd-oms", plan, {}, RunLength{.clients = 1}, learning, 0));
    return std::make_unique<Parts>(
        std::move(plan), std::get<std::shared_ptr<const AdaptiveSettings>>(settings), learning);
  }

  Parts(std::shared_ptr<const Plan> plan, std::shared_ptr<const AdaptiveSettings> settings,
        const LearningOptions& learning)
      : plan_(std::move(plan)), settings_(std::move(settings)), forecast_(plan_->maps) {
    server_.emplace(AdaptiveOms(settings_));
    for (const Space& space : learning.spaces) names_.push_back(space.name());
  }

  Result<double> predict(std::span<const float> x) {
    if (x.size() != plan_->maps.example_size()) {
      return usage_error("predict", std::to_string(x.size()) + " numbers",
                         "expected " + std::to_string(plan_->maps.example_size()));
    }
    for (const float value : x) {
      if (!std::isfinite(value)) return usage_error("predict", "a number that is not finite");
    }
    if (rounds_ == std::numeric_limits<std::uint32_t>::max()) {
      return usage_error("predict", "2^32 - 1 rounds have been played", "expected fewer");
    }
    x_.assign(x.begin(), x.end());  // some features are x itself, and observe() uses them
    if (!assigned_) server_->assign(batch(), 0, assignment_);
    assigned_ = true;
    server_->algorithm().predict(memory_, assignment_, x_, forecast_);
    predicted_ = true;
    return forecast_.output;
  }

  Status observe(double y) {
    if (!predicted_) {
      return usage_error("observe", "no forecast waits for its true value",
                         "expected predict() before each observe()");
    }
    if (!std::isfinite(y)) return usage_error("observe", "a value that is not finite");
    if (plan_->loss.is_classification() && std::abs(y) != 1.0) {
      return usage_error("observe", std::to_string(y) + " is not a class", "expected -1 or 1");
    }
    mean_.begin(assignment_);
    server_->algorithm().report(memory_, forecast_, y, mean_);
    mean_.report(reports_);
    server_->accept(reports_);
    server_->close(batch());
    ++rounds_;
    assigned_ = predicted_ = false;
    return Done{};
  }

  [[nodiscard]] std::vector<double> probabilities() const {
    return server_->algorithm().probabilities().probabilities();
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

  [[nodiscard]] std::string save() const {
    StateWriter to;
    to.text(kSaved);
    to.u32(rounds_);
    server_->save(to);
    return sealed(to.take());
  }

  Status restore(std::string_view bytes) {
    CAUCUS_TRY(const std::string_view content, unsealed(bytes, "saved selector"));
    StateReader from(content, "saved selector");
    from.expect(kSaved);
    const std::uint32_t rounds = from.u32();
    Server<AdaptiveOms> server{AdaptiveOms(settings_)};
    CAUCUS_CHECK(server.restore(from));
    CAUCUS_CHECK(from.done());
    server_.emplace(std::move(server));
    rounds_ = rounds;
    assigned_ = predicted_ = false;
    return Done{};
  }

 private:
  [[nodiscard]] Batch batch() const { return {rounds_ + 1, rounds_, std::size_t{rounds_} + 1}; }

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const AdaptiveSettings> settings_;
  std::optional<Server<AdaptiveOms>> server_;
  std::vector<std::string> names_;
  std::uint32_t rounds_ = 0;

  // The client's half of the open round:
  bool assigned_ = false, predicted_ = false;
  Assignment assignment_;
  std::vector<float> x_;
  Forecast forecast_;
  NoMemory memory_;
  BatchMean mean_;
  ReportBatch reports_;
};

Result<Selector> Selector::make(SelectorOptions options) {
  CAUCUS_TRY(auto parts, Parts::make(std::move(options)));
  return Selector(std::move(parts));
}

Selector::Selector(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Selector::Selector(Selector&& other) noexcept = default;
Selector& Selector::operator=(Selector&& other) noexcept = default;
Selector::~Selector() = default;

Result<double> Selector::predict(std::span<const float> x) { return parts_->predict(x); }
Status Selector::observe(double y) { return parts_->observe(y); }
std::vector<double> Selector::probabilities() const { return parts_->probabilities(); }
const std::vector<std::string>& Selector::spaces() const { return parts_->names(); }
std::uint64_t Selector::rounds() const { return parts_->rounds(); }
std::string Selector::save() const { return parts_->save(); }
Status Selector::restore(std::string_view bytes) { return parts_->restore(bytes); }

}  // namespace caucus
