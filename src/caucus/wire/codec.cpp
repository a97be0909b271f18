#include "caucus/wire/codec.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "caucus/core/base/text.hpp"

namespace caucus::wire {
namespace {

std::string bytes_of(const RunId& run) { return {run.begin(), run.end()}; }

Result<RunId> run_of(const std::string& bytes) {
  RunId run{};
  if (bytes.size() != run.size()) {
    return network_error("run", std::to_string(bytes.size()) + " bytes", "expected 16");
  }
  std::copy(bytes.begin(), bytes.end(), run.begin());
  return run;
}

// Both enumerations have the same numbers.
static_assert(static_cast<int>(SpaceKind::linear) == v1::Space::LINEAR &&
              static_cast<int>(SpaceKind::gaussian) == v1::Space::GAUSSIAN &&
              static_cast<int>(SpaceKind::laplacian) == v1::Space::LAPLACIAN &&
              static_cast<int>(SpaceKind::cauchy) == v1::Space::CAUCHY &&
              static_cast<int>(SpaceKind::expert) == v1::Space::EXPERT);

void encode(const Space& space, v1::Space& into) {
  into.set_kind(static_cast<v1::Space::Kind>(space.kind));
  into.set_radius(space.radius);
  into.set_box(space.constraint == Constraint::box);
  into.set_width(space.width);
  into.set_features(space.features);
  into.set_intercept(space.intercept);
  into.set_independent_base(space.independent_base);
  into.set_expert(space.expert);
  into.set_title(space.title);
}

Result<Space> decode(const v1::Space& space) {
  if (!v1::Space::Kind_IsValid(space.kind())) {
    return network_error("plan", "a space of kind " + std::to_string(space.kind()),
                         "expected one that this version knows");
  }
  Space decoded;
  decoded.kind = static_cast<SpaceKind>(space.kind());
  decoded.radius = space.radius();
  decoded.constraint = space.box() ? Constraint::box : Constraint::ball;
  decoded.width = space.width();
  decoded.features = space.features();
  decoded.intercept = space.intercept();
  decoded.independent_base = space.independent_base();
  decoded.expert = space.expert();
  decoded.title = space.title();
  if (!(decoded.radius > 0.0) || (decoded.is_kernel() && !(decoded.width > 0.0))) {
    return network_error(
        "plan",
        "a space of radius " + to_text(decoded.radius) + " and width " + to_text(decoded.width),
        "expected positive numbers");
  }
  return decoded;
}

void encode(const Interval& interval, v1::Interval& into) {
  into.set_least(interval.first);
  into.set_largest(interval.second);
}

Interval decode(const v1::Interval& interval) { return {interval.least(), interval.largest()}; }

void encode(const Encoding& encoding, v1::Encoding& into) {
  into.set_name(encoding.name);
  into.set_role(static_cast<v1::Encoding::Role>(encoding.role));
  into.set_kind(static_cast<v1::Encoding::Kind>(encoding.kind));
  into.set_expert(static_cast<std::uint32_t>(encoding.expert));
  for (const std::string& level : encoding.levels) into.add_levels(level);
  into.set_hashed(static_cast<std::uint32_t>(encoding.hashed));
  into.set_day_first(encoding.day_first);
  into.set_indicator(encoding.indicator);
  into.set_fill(encoding.fill);
  into.set_words_missing(encoding.words_missing);
}

constexpr std::uint32_t kMostHashed = 100'000;
constexpr std::size_t kMostLags = 1000;

Result<Encoding> decode(const v1::Encoding& encoding) {
  if (!v1::Encoding::Role_IsValid(encoding.role()) ||
      !v1::Encoding::Kind_IsValid(encoding.kind()) || encoding.hashed() > kMostHashed ||
      !std::isfinite(encoding.fill())) {
    return network_error("plan", "an unknown encoding of a column");
  }
  return Encoding{.name = encoding.name(),
                  .role = static_cast<Encoding::Role>(encoding.role()),
                  .kind = static_cast<Encoding::Kind>(encoding.kind()),
                  .expert = encoding.expert(),
                  .levels = {encoding.levels().begin(), encoding.levels().end()},
                  .hashed = encoding.hashed(),
                  .day_first = encoding.day_first(),
                  .indicator = encoding.indicator(),
                  .fill = encoding.fill(),
                  .words_missing = encoding.words_missing()};
}

void encode(const ReadOptions& columns, v1::Columns& into) {
  into.set_target(columns.target);
  if (columns.feature_range) encode(*columns.feature_range, *into.mutable_feature_range());
  if (columns.label_range) encode(*columns.label_range, *into.mutable_label_range());
  if (columns.ranges) {
    for (std::size_t k = 0; k < columns.ranges->columns(); ++k) {
      encode(Interval{columns.ranges->minimum[k], columns.ranges->maximum[k]}, *into.add_ranges());
    }
    for (const std::string& name : columns.ranges->names) into.add_names(name);
  }
  for (const std::string& column : columns.expert_columns) into.add_experts(column);
  into.set_experts_are_features(columns.experts_are_features);
  for (const std::string& name : columns.classes) into.add_classes(name);
  for (const Encoding& encoding : columns.encodings) encode(encoding, *into.add_encodings());
  into.set_time(columns.time);
  into.set_lags(static_cast<std::uint32_t>(columns.lags));
  into.set_impute(static_cast<std::uint32_t>(columns.impute));
}

Result<ReadOptions> decode(const v1::Columns& columns) {
  ReadOptions decoded;
  decoded.target = columns.target();
  if (columns.has_feature_range()) decoded.feature_range = decode(columns.feature_range());
  if (columns.has_label_range()) decoded.label_range = decode(columns.label_range());
  if (columns.ranges_size() > 0) {
    Ranges ranges;
    ranges.names.assign(columns.names().begin(), columns.names().end());
    for (const v1::Interval& range : columns.ranges()) {
      ranges.minimum.push_back(range.least());
      ranges.maximum.push_back(range.largest());
    }
    if (!ranges.names.empty() && ranges.names.size() != ranges.columns()) {
      return network_error("plan", "ranges of " + std::to_string(ranges.columns()) +
                                       " columns with " + std::to_string(ranges.names.size()) +
                                       " names");
    }
    decoded.ranges = std::move(ranges);
  }
  decoded.expert_columns.assign(columns.experts().begin(), columns.experts().end());
  decoded.experts_are_features = columns.experts_are_features();
  decoded.classes.assign(columns.classes().begin(), columns.classes().end());
  for (const v1::Encoding& encoding : columns.encodings()) {
    CAUCUS_TRY(Encoding one, decode(encoding));
    decoded.encodings.push_back(std::move(one));
  }
  decoded.time = columns.time();
  decoded.lags = columns.lags();
  if (decoded.lags > kMostLags || columns.impute() > static_cast<std::uint32_t>(Impute::drop)) {
    return network_error("plan", "an unknown treatment of columns");
  }
  decoded.impute = static_cast<Impute>(columns.impute());
  CAUCUS_CHECK(decoded.validate());
  return decoded;
}

void encode(const SharedPlan& plan, v1::Plan& into) {
  for (const Space& space : plan.spaces) encode(space, *into.add_spaces());
  into.set_loss(plan.loss.name());
  into.set_seed(plan.seed);
  into.set_held(static_cast<std::uint32_t>(plan.sample_size));
  into.set_rounds_per_upload(plan.rounds_per_upload);
  into.set_features(static_cast<std::uint32_t>(plan.features));
  into.set_experts(static_cast<std::uint32_t>(plan.experts));
  into.set_arithmetic(plan.arithmetic);
  into.set_label_delay(plan.label_delay);
  into.set_statistics(plan.statistics);
  into.set_hides_examples(plan.hides_examples);
  into.set_personal(plan.personal);
  if (plan.columns) encode(*plan.columns, *into.mutable_columns());
}

Result<SharedPlan> decode(const v1::Plan& plan) {
  if (plan.spaces().empty()) return network_error("plan", "no spaces");
  if (plan.rounds_per_upload() == 0 && !plan.statistics()) {
    return network_error("plan", "no rounds per upload");
  }
  SharedPlan decoded;
  CAUCUS_TRY(decoded.loss, parse_loss(plan.loss()));
  decoded.seed = plan.seed();
  decoded.sample_size = plan.held();
  decoded.rounds_per_upload = plan.rounds_per_upload();
  decoded.features = plan.features();
  decoded.experts = plan.experts();
  decoded.arithmetic = plan.arithmetic();
  decoded.label_delay = plan.label_delay();
  decoded.statistics = plan.statistics();
  decoded.hides_examples = plan.hides_examples();
  decoded.personal = plan.personal();
  for (const v1::Space& space : plan.spaces()) {
    CAUCUS_TRY(auto one, decode(space));
    decoded.spaces.push_back(std::move(one));
  }
  if (plan.has_columns()) {
    CAUCUS_TRY(decoded.columns, decode(plan.columns()));
  }
  return decoded;
}

}  // namespace

void encode(const HelloRecord& hello, v1::Hello& into) {
  into.set_protocol(hello.protocol);
  into.set_client(hello.client);
  into.set_token(hello.token);
  into.set_software(hello.software);
  if (hello.run) into.set_run(bytes_of(*hello.run));
  into.set_resume(hello.resume);
}

Result<HelloRecord> decode(const v1::Hello& hello) {
  HelloRecord decoded{hello.protocol(), hello.client(), hello.token(), hello.software(), {},
                      hello.resume()};
  if (!hello.run().empty()) {
    CAUCUS_TRY(decoded.run, run_of(hello.run()));
  }
  return decoded;
}

void encode(const ReadyRecord& ready, v1::Ready& into) {
  into.set_examples(ready.examples);
  into.set_features(static_cast<std::uint32_t>(ready.features));
  into.set_experts(static_cast<std::uint32_t>(ready.experts));
  into.set_clipped(ready.clipped);
}

ReadyRecord decode(const v1::Ready& ready) {
  return {ready.examples(), ready.features(), ready.experts(), ready.clipped()};
}

void encode(const WelcomeRecord& welcome, v1::Welcome& into) {
  into.set_run(bytes_of(welcome.run));
  into.set_client(welcome.client);
  into.set_examples(welcome.examples);
  encode(welcome.plan, *into.mutable_plan());
  into.set_start(welcome.start);
  into.set_since(welcome.since);
}

Result<WelcomeRecord> decode(const v1::Welcome& welcome) {
  CAUCUS_TRY(const RunId run, run_of(welcome.run()));
  CAUCUS_TRY(SharedPlan plan, decode(welcome.plan()));
  return WelcomeRecord{
      run, welcome.client(), welcome.examples(), std::move(plan), welcome.start(), welcome.since()};
}

void encode(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment,
            v1::Assignment& into) {
  into.set_batch(batch);
  into.set_durable(durable);
  into.set_examples(assignment.examples);
  into.set_least_after_change(assignment.least_after_change);
  for (const HeldModel& held : assignment.held) {
    v1::HeldModel& model = *into.add_held();
    model.set_space(held.space);
    model.set_share(held.share);
    model.mutable_weights()->Add(held.weights.begin(), held.weights.end());
  }
}

AssignmentRecord decode(const v1::Assignment& assignment) {
  AssignmentRecord decoded{assignment.batch(),
                           assignment.durable(),
                           {},
                           assignment.examples(),
                           assignment.least_after_change()};
  for (const v1::HeldModel& model : assignment.held()) {
    decoded.held.push_back(
        {model.space(), model.share(), {model.weights().begin(), model.weights().end()}});
  }
  return decoded;
}

void encode(const ReportRecord& report, v1::Report& into) {
  into.set_batch(report.batch);
  into.set_last(report.last);
  v1::Played& played = *into.mutable_played();
  played.set_forecasts(report.played.forecasts);
  played.set_loss(report.played.loss);
  played.set_squared_error(report.played.squared_error);
  played.set_targets(report.played.targets);
  played.set_squared_targets(report.played.squared_targets);
  played.set_log_loss(report.played.log_loss);
  played.set_correct(report.played.correct);
  played.mutable_of_class()->Add(report.played.of_class.begin(), report.played.of_class.end());
  if (report.played.personal.examples > 0) {
    const PersonalRecord& record = report.played.personal;
    v1::Personal& personal = *played.mutable_personal();
    personal.set_examples(record.examples);
    personal.set_given(record.given);
    personal.set_federated(record.federated);
    personal.set_alone(record.alone);
    personal.set_persistence(record.persistence);
    personal.set_federated_squares(record.federated_squares);
  }
  const ReportBatch& reports = report.reports;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    v1::Part& part = *into.add_parts();
    part.set_sampled(reports.sampled_in[n]);
    part.set_examples(reports.examples[n]);
    part.set_change(reports.has_change(n));
    for (std::size_t m = reports.begin_of(n); m < reports.ends[n]; ++m) {
      v1::HeldReport& model = *part.add_held();
      model.set_space(reports.spaces[m]);
      model.set_loss(reports.losses[m]);
      const auto gradient = reports.direction(m);  // the factor of a mean is 1
      model.mutable_gradient()->Add(gradient.begin(), gradient.end());
    }
  }
}

ReportRecord decode(const v1::Report& report) {
  const v1::Played& played = report.played();
  ReportRecord decoded{report.batch(),
                       {},
                       {played.forecasts(),
                        played.loss(),
                        played.squared_error(),
                        played.squared_targets(),
                        played.log_loss(),
                        played.correct(),
                        {played.personal().examples(), played.personal().given(),
                         played.personal().federated(), played.personal().alone(),
                         played.personal().persistence(), played.personal().federated_squares()},
                        played.targets(),
                        {played.of_class().begin(), played.of_class().end()}},
                       report.last()};
  for (const v1::Part& part : report.parts()) {
    decoded.reports.sampled_in.push_back(part.sampled());
    decoded.reports.add_report(0, part.examples());
    if (part.change()) decoded.reports.mark_change();
    for (const v1::HeldReport& held : part.held()) {
      const auto gradient = decoded.reports.add_model(
          held.space(), held.loss(), static_cast<std::size_t>(held.gradient_size()));
      std::copy(held.gradient().begin(), held.gradient().end(), gradient.begin());
    }
  }
  return decoded;
}

std::string plan_bytes(const SharedPlan& plan) {
  v1::Plan message;
  encode(plan, message);
  return message.SerializeAsString();  // without maps the order is that of the fields
}

}  // namespace caucus::wire
