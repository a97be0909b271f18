#include "caucus/selector.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/any_server.hpp"
#include "caucus/engine/participant/participant.hpp"
#include "caucus/engine/problem.hpp"

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
  constexpr std::size_t kMostRounds = std::numeric_limits<std::uint32_t>::max();
  if (learning.rounds_per_upload > kMostRounds) {
    return usage_error("rounds_per_upload", std::to_string(learning.rounds_per_upload),
                       "expected at most " + std::to_string(kMostRounds));
  }
  if (learning.min_batch > UploadRule::kLongest) {
    return usage_error("min_batch", std::to_string(learning.min_batch),
                       "expected at most " + std::to_string(UploadRule::kLongest));
  }
  CAUCUS_CHECK(check_classes(learning.loss));
  return learning.validate();
}

constexpr std::string_view kSavedSelector = "caucus selector 4";

namespace {

/// Returns the options with those that were not given.
SelectorOptions completed(SelectorOptions options) {
  LearningOptions& learning = options.learning;
  if (learning.spaces.empty()) {
    const bool bounded = std::holds_alternative<LinearLoss>(learning.loss.kind());
    learning.spaces = default_spaces(bounded ? 1.0 : std::numeric_limits<double>::infinity(),
                                     learning.schedule.kind == ScheduleKind::adaptive);
  }
  if (learning.min_batch == 0) learning.min_batch = 1;  // nobody sees the sums
  learning.sample_size = learning.resolved_sample_size();
  return options;
}

}  // namespace

/// A server and its only client.
struct Selector::Parts {
  Parts(SelectorOptions given, std::shared_ptr<Participant> client, const PreparedRun& run)
      : options(std::move(given)),
        participant(std::move(client)),
        server(run.settings),
        uploads(run.uploads) {
    for (const Space& space : options.learning.spaces) names.push_back(space.name());
  }

  /// The options are completed and valid.
  static Result<std::unique_ptr<Parts>> make(const SelectorOptions& options) {
    const SharedPlan shared = shared_plan(options.learning, {options.features, options.experts}, 1);
    CAUCUS_TRY(std::shared_ptr<Participant> client, Participant::make(shared, 0, options.ask));
    const std::shared_ptr<const Plan> plan(client, &client->prepared_plan());
    const std::vector<std::size_t> rounds = {0};  // nobody knows how many will come
    RunOptions alone;
    static_cast<LearningOptions&>(alone) = options.learning;
    CAUCUS_TRY(const PreparedRun run, prepare("fomd-oms", plan, {}, rounds, alone, 0));
    auto parts = std::make_unique<Parts>(options, std::move(client), run);
    CAUCUS_CHECK(parts->open(1, 0));
    return parts;
  }

  /// Opens the batch that begins after so many rounds.
  Status open(std::uint32_t number, std::size_t first) {
    batch = {number, first, first + uploads.length_after(first, static_cast<std::size_t>(changed))};
    CAUCUS_CHECK(participant->assign(record_of(number, number - 1, server.assign(batch, 0))));
    return Done{};
  }

  SelectorOptions options;
  std::vector<std::string> names;
  std::shared_ptr<Participant> participant;
  AnyServer server;  ///< uses the features of the participant
  UploadRule uploads;
  Batch batch;
  std::uint64_t rounds = 0;
  std::uint64_t changed = 0;                ///< the rounds after which the data have changed
  std::vector<double> class_probabilities;  ///< of the last prediction
  std::optional<std::uint64_t> predicted;   ///< the prediction that waits for its true value
};

Selector::Selector(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Selector::Selector(Selector&& other) noexcept = default;
Selector& Selector::operator=(Selector&& other) noexcept = default;
Selector::~Selector() = default;

Result<Selector> Selector::make(SelectorOptions options) {
  options = completed(std::move(options));
  CAUCUS_CHECK(options.validate());
  CAUCUS_TRY(auto parts, Parts::make(options));
  return Selector(std::move(parts));
}

Result<double> Selector::predict(std::span<const float> x) {
  Parts& own = *parts_;
  if (own.rounds == std::numeric_limits<std::uint32_t>::max()) {
    return usage_error("predict", "2^32 - 1 rounds have been played", "expected fewer");
  }
  CAUCUS_TRY(const Prediction prediction, own.participant->predict(x));
  if (own.predicted) own.participant->forget(*own.predicted);
  own.predicted = prediction.id;
  own.class_probabilities = prediction.probabilities;
  return prediction.output;
}

Status Selector::observe(double y) {
  Parts& own = *parts_;
  if (!own.predicted) {
    return usage_error("observe", "no forecast waits for its true value",
                       "expected predict() before each observe()");
  }
  if (!std::isfinite(y)) return usage_error("observe", "a value that is not finite");
  if (own.options.learning.loss.is_classification() && std::abs(y) != 1.0) {
    return usage_error("observe", std::to_string(y) + " is not a class", "expected -1 or 1");
  }
  if (own.options.learning.loss.has_classes() &&
      !(y >= 0.0 && y == std::floor(y) &&
        y < static_cast<double>(own.options.learning.loss.classes()))) {
    return usage_error("observe", std::to_string(y) + " is not a class",
                       "expected a whole number from 0 to " +
                           std::to_string(own.options.learning.loss.classes() - 1));
  }
  own.participant->observe(*own.predicted, y);
  own.predicted.reset();
  ++own.rounds;
  if (!own.participant->ready()) return Done{};
  ReportBatch reports = own.participant->take_report(false)->reports;
  if (reports.has_change(0)) own.changed = own.rounds;
  own.server.accept(reports);
  own.server.close(own.batch);
  return own.open(own.batch.number + 1, own.rounds);
}

const std::vector<double>& Selector::class_probabilities() const {
  return parts_->class_probabilities;
}
std::vector<double> Selector::probabilities() const { return parts_->server.probabilities(); }
const std::vector<std::string>& Selector::spaces() const { return parts_->names; }
std::uint64_t Selector::rounds() const { return parts_->rounds; }

std::string Selector::save() const {
  StateWriter to;
  to.text(kSavedSelector);
  to.u32(parts_->batch.number);
  to.u64(parts_->batch.first);
  to.u64(parts_->changed);
  parts_->server.save(to);
  parts_->participant->save(to);
  return sealed(to.take());
}

Status Selector::restore(std::string_view bytes) {
  CAUCUS_TRY(const std::string_view content, unsealed(bytes, "saved selector"));
  StateReader from(content, "saved selector");
  from.expect(kSavedSelector);
  const std::uint32_t number = from.u32();
  const auto first = static_cast<std::size_t>(from.u64());
  const std::uint64_t changed = from.u64();
  CAUCUS_CHECK(from.status());
  if (number == 0 || changed > first) return from.refuse("batch " + std::to_string(number));
  CAUCUS_TRY(auto parts, Parts::make(parts_->options));
  parts->changed = changed;
  CAUCUS_CHECK(parts->server.restore(from));
  CAUCUS_CHECK(parts->open(number, first));
  CAUCUS_CHECK(parts->participant->restore(from));
  CAUCUS_CHECK(from.done());
  if (parts->participant->ready()) return from.refuse("a batch that is full");
  parts->rounds = first + parts->participant->counts().observed;
  parts_ = std::move(parts);
  return Done{};
}

}  // namespace caucus
