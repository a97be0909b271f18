#include "caucus/selector.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

std::vector<Space> default_spaces(double radius, bool intercept) {
  std::vector<Space> spaces = {Space{.radius = radius, .intercept = intercept}};
  for (const double width : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    spaces.push_back(Space{
        .kind = SpaceKind::gaussian, .radius = radius, .intercept = intercept, .width = width});
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
  const double share = learning.schedule.fixed_share;
  if (!(share >= 0.0 && share < 1.0)) {
    return usage_error("fixed_share", std::to_string(share), "expected a number in [0, 1)");
  }
  if (std::holds_alternative<LinearLoss>(learning.loss.kind())) {
    for (const Space& space : learning.spaces) {
      if (!std::isinf(space.radius)) continue;
      return usage_error("loss", "the linear loss has no minimum in '" + space.name() + "'",
                         "expected finite radii");
    }
  }
  return Done{};
}

constexpr std::string_view kSavedSelector = "caucus selector 2";

/// The parts of a selector, for any algorithm.
class Selector::Parts {
 public:
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  Parts(Parts&&) = delete;
  Parts& operator=(Parts&&) = delete;
  virtual ~Parts() = default;

  virtual double predict(std::span<const float> x) = 0;
  virtual void observe(double y) = 0;
  [[nodiscard]] virtual std::vector<double> probabilities() const = 0;
  virtual void save(StateWriter& to) const = 0;
  /// Returns an object that continues from a saved state.
  virtual Result<std::unique_ptr<Parts>> restored(StateReader& from) const = 0;

  std::shared_ptr<const Plan> plan;
  std::vector<std::string> names;
  std::uint32_t rounds = 0;
  bool predicted = false;
};

namespace {

/// A server and its only client.
template <class A, class Parts>
class OwnFederation : public Parts {
 public:
  using Settings = std::shared_ptr<const typename A::Settings>;

  OwnFederation(Settings settings, const UploadRule& uploads)
      : settings_(std::move(settings)),
        uploads_(uploads),
        server_(A(settings_)),
        forecast_(server_.algorithm().new_forecast()),
        mean_(server_.algorithm().new_mean()) {
    begin_batch();
  }

  double predict(std::span<const float> x) override {
    x_.assign(x.begin(), x.end());  // some features are x itself, and observe() uses them
    server_.algorithm().predict(memory_, assignment_, x_, forecast_);
    return forecast_.output;
  }
  void observe(double y) override {
    server_.algorithm().report(memory_, forecast_, y, mean_);
    if (++this->rounds < batch_.last) return;
    mean_.report(reports_);
    server_.accept(reports_);
    server_.close(batch_);
    begin_batch();
  }
  [[nodiscard]] std::vector<double> probabilities() const override {
    return server_.algorithm().selection();
  }
  void save(StateWriter& to) const override {
    to.u32(this->rounds);
    to.u32(batch_.number);
    to.u64(batch_.first);
    server_.save(to);
    if constexpr (kHasMemory) {
      to.flag(memory_.has_value());
      if (memory_) memory_->save(to);
      mean_.save(to);
    }
  }
  Result<std::unique_ptr<Parts>> restored(StateReader& from) const override {
    auto own = std::make_unique<OwnFederation>(settings_, uploads_);
    own->plan = this->plan;
    own->names = this->names;
    own->rounds = from.u32();
    const std::uint32_t number = from.u32();
    const auto first = static_cast<std::size_t>(from.u64());
    CAUCUS_CHECK(own->server_.restore(from));
    own->batch_ = {number - 1, first, first};
    own->begin_batch();
    if (number == 0 || own->rounds < first || own->rounds >= own->batch_.last) {
      return from.refuse("a batch of other rounds").error();
    }
    if constexpr (kHasMemory) {
      if (from.flag()) {
        own->memory_.emplace(this->plan->maps.shape().features, this->plan->loss);
        CAUCUS_CHECK(own->memory_->restore(from));
      }
      CAUCUS_CHECK(own->mean_.restore(from));
      if (own->mean_.examples() != own->rounds - first)
        return from.refuse("sums of another batch").error();
    }
    CAUCUS_CHECK(from.done());
    return std::unique_ptr<Parts>(std::move(own));
  }

 private:
  /// Otherwise every batch is one round, and nothing is kept between two.
  static constexpr bool kHasMemory = !std::is_same_v<typename A::ClientState, NoMemory>;

  void begin_batch() {
    const std::size_t first = batch_.last;
    batch_ = {batch_.number + 1, first, first + uploads_.length_after(first)};
    server_.assign(batch_, 0, assignment_);
    mean_.begin(assignment_);
  }

  Settings settings_;
  UploadRule uploads_;
  Server<A> server_;
  Batch batch_{0, 0, 0};
  typename A::Assignment assignment_;
  std::vector<float> x_;
  typename A::Forecast forecast_;
  typename A::ClientState memory_;
  typename A::BatchMean mean_;
  ReportBatch reports_;
};

}  // namespace

Selector::Selector(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Selector::Selector(Selector&& other) noexcept = default;
Selector& Selector::operator=(Selector&& other) noexcept = default;
Selector::~Selector() = default;

Result<Selector> Selector::make(SelectorOptions options) {
  LearningOptions& learning = options.learning;
  if (learning.spaces.empty()) {
    const bool bounded = std::holds_alternative<LinearLoss>(learning.loss.kind());
    learning.spaces = default_spaces(bounded ? 1.0 : std::numeric_limits<double>::infinity(),
                                     learning.schedule.kind == ScheduleKind::adaptive);
  }
  CAUCUS_CHECK(options.validate());
  if (learning.min_batch == 0) learning.min_batch = 1;  // nobody sees the sums
  CAUCUS_TRY(auto maps, FeatureMaps::make(learning.spaces, {options.features, options.experts},
                                          learning.seed, 0, learning.sample_size));
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps), learning.loss});
  const bool sums = learns_from_sums("fomd-oms", learning, options.features, 1);
  const UploadRule uploads = upload_rule(learning, options.features, sums);
  if (!sums && uploads.rounds > 1) {
    return usage_error("rounds_per_upload", std::to_string(uploads.rounds),
                       "expected 1: without sums a selector learns from every example at once");
  }
  CAUCUS_TRY(const AnySettings settings,
             make_settings("fomd-oms", plan, {}, RunLength{.clients = 1}, learning, 0));
  std::unique_ptr<Parts> parts;
  if (const auto* own = std::get_if<std::shared_ptr<const StatisticsSettings>>(&settings)) {
    parts = std::make_unique<OwnFederation<StatisticsOms, Parts>>(*own, uploads);
  } else {
    parts = std::make_unique<OwnFederation<FirstOrderOms, Parts>>(
        std::get<std::shared_ptr<const FirstOrderSettings>>(settings), uploads);
  }
  parts->plan = plan;
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
  own.predicted = true;
  return own.predict(x);
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
  own.predicted = false;
  own.observe(y);
  return Done{};
}

std::vector<double> Selector::probabilities() const { return parts_->probabilities(); }
const std::vector<std::string>& Selector::spaces() const { return parts_->names; }
std::uint64_t Selector::rounds() const { return parts_->rounds; }

std::string Selector::save() const {
  StateWriter to;
  to.text(kSavedSelector);
  parts_->save(to);
  return sealed(to.take());
}

Status Selector::restore(std::string_view bytes) {
  CAUCUS_TRY(const std::string_view content, unsealed(bytes, "saved selector"));
  StateReader from(content, "saved selector");
  from.expect(kSavedSelector);
  CAUCUS_CHECK(from.status());
  CAUCUS_TRY(parts_, parts_->restored(from));
  return Done{};
}

}  // namespace caucus
