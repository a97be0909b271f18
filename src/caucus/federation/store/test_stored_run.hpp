// For tests and fuzzers: a small run as a store keeps it, in files under tests/fuzz/corpus/store.
// Its reports are made up of numbers that floats hold exactly, so that they are the same bytes
// whichever kernels compute.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/participant/test_reports.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/test_settings.hpp"

namespace caucus {

inline constexpr std::array kStoredSchedules = {
    std::pair{ScheduleKind::adaptive, "adaptive"},
    std::pair{ScheduleKind::adaptive_first_order, "first_order"},
    std::pair{ScheduleKind::theory, "paper"}};

/// Returns settings with few numbers, so that a fuzzer can change each of them.
inline FederationSettings stored_settings(ScheduleKind schedule) {
  FederationSettings settings = test_settings(3, schedule, 2);
  settings.plan.spaces[2].features = 1;
  settings.plan.spaces.pop_back();
  settings.problem.spaces = settings.plan.spaces;
  settings.plan.features = 0;  // the clients tell
  settings.plan.label_delay = 1;
  settings.violations = 1;
  settings.max_abs_target = 1024.0;  // so that made-up gradients may have any angle with the models
  return settings;
}

/// Fills in the sums of the same row (y, z) in every example. The model's loss on it follows if its
/// weights are known, in few digits, so that it is the same with all kernels.
inline void make_sums_up(const Plan& plan, const SampledModel& model, std::uint32_t examples,
                         float y, TestModel& into) {
  std::vector<float> row(plan.maps.dimension(model.space) + 1, 0.125F);
  row[0] = y;
  if (plan.maps.space(model.space).intercept) row[1 + plan.maps.shape().features] = 1.0F;
  for (std::size_t r = 0; r < row.size(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      into.gradient.push_back(static_cast<float>(examples) * row[r] * row[c]);
    }
  }
  if (!model.weights) return;
  double error = -static_cast<double>(y);
  for (std::size_t k = 0; k < model.weights->size(); ++k) {
    error += static_cast<double>((*model.weights)[k]) * static_cast<double>(row[k + 1]);
  }
  int exponent = 0;
  const double digits = std::frexp(error * error, &exponent);
  into.loss = static_cast<float>(std::ldexp(std::round(digits * 4096.0) / 4096.0, exponent));
}

/// An answer to the models of one batch, within all bounds.
inline TestPart made_up_part(const Federation& federation, const SampledSet& set,
                             std::uint32_t client) {
  // A mean over several examples may have any gradient that is short enough for its loss.
  const std::uint32_t least = federation.settings().plan.statistics ? 1 : 2;
  TestPart part{set.batch, client + least, {}};
  const float loss = set.batch % 2 == 0 ? 0.0625F : 0.25F;
  std::vector<std::uint32_t> spaces;
  for (const SampledModel& model : set.models) spaces.push_back(model.space);
  const Plan& plan = federation.server()->plan();
  const bool sums = federation.settings().plan.statistics;
  const auto with_sums = models_with_sums(plan, spaces);
  for (std::size_t a = 0; a < spaces.size(); ++a) {
    auto& held = part.held.emplace_back(TestModel{spaces[a], loss, {}});
    const std::size_t dimension = plan.maps.dimension(spaces[a]);
    if (sums) {
      const float y = set.batch % 2 == 0 ? 0.125F : -0.25F;
      if (with_sums[a]) make_sums_up(plan, set.models[a], part.examples, y, held);
      continue;
    }
    held.gradient.resize(dimension);
    float next = 0.0625F * static_cast<float>(client + set.batch % 3);
    for (float& g : held.gradient) next = -(g = next + 0.03125F);
  }
  return part;
}

/// Returns a report of an active client. In every other batch it includes a late label of the batch
/// before.
inline ReportRecord made_up_report(const Federation& federation, std::uint32_t client) {
  const auto& sampled = federation.members()[client].sampled;
  ReportRecord report;
  report.batch = federation.batch();
  TestParts parts;
  if (report.batch % 2 == 0 && sampled.size() > 1) {
    parts.push_back(made_up_part(federation, sampled.front(), client));
  }
  parts.push_back(made_up_part(federation, sampled.back(), client));
  for (const TestPart& part : parts) report.played.forecasts += part.examples;
  report.reports = batch_of(parts);
  const double n = report.played.forecasts;
  report.played.loss = 0.25 * n;
  report.played.squared_error = 0.5 * n;
  report.played.targets = 0.03125 * n;
  report.played.squared_targets = 0.125 * n;
  report.played.log_loss = 0.0625 * n;
  report.played.correct = 1;
  return report;
}

/// By name, so that another order among the bytes is seen.
inline constexpr std::uint64_t MemberCounters::*kCounters[] = {
    &MemberCounters::reports,  &MemberCounters::late,      &MemberCounters::repeated,
    &MemberCounters::early,    &MemberCounters::rejected,  &MemberCounters::joins,
    &MemberCounters::bytes_up, &MemberCounters::bytes_down};

/// The second client finishes in batch 2, in which the third is cut off; the first goes on to batch
/// 30: after 25 it is known that the others have left.
class MadeUpRun {
 public:
  explicit MadeUpRun(ScheduleKind schedule)
      : federation(Federation::make(stored_settings(schedule), {}).value()) {
    constexpr std::uint64_t kExamples[] = {100, 9, 12};
    for (std::uint32_t j = 0; j < 3; ++j) {
      (void)federation.join({.client = "c" + std::to_string(j + 1)}, Time{});
      (void)federation.ready(j, {kExamples[j], 1, 0}, Time{});
    }
    (void)federation.start(Time{});
  }
  /// From where it stands.
  explicit MadeUpRun(Federation from) : federation(std::move(from)) {}

  /// False if a report was judged otherwise than it should be.
  bool play_batch() {
    bool right = true;
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (!federation.members()[j].active()) continue;
      const std::uint64_t batch = federation.batch();
      const bool lies = j == 2 && batch == 2;
      ReportRecord report = made_up_report(federation, j);
      if (lies) report.reports.losses[0] = -1.0F;
      report.last = (j == 1 && batch == 2) || batch == 30;
      std::string why;
      const Verdict verdict = federation.receive(j, std::move(report), Time{}, why);
      right = right && verdict == (lies ? Verdict::rejected : Verdict::accepted);
    }
    if (federation.batch() == 3) count_something();
    closed.push_back(federation.close(Time{}));
    return right;
  }

  Federation federation;
  std::vector<ClosedBatch> closed;

 private:
  /// No two counters are the same.
  void count_something() {
    std::uint64_t next = 100;
    for (std::uint32_t j = 0; j < 3; ++j) {
      for (const auto counter : kCounters) federation.counters(j).*counter = next++;
    }
  }
};

/// A snapshot without its checksum, and the rows of the batches after it.
struct StoredBytes {
  std::uint8_t schedule = 0;
  std::string snapshot;
  std::vector<std::string> rows;
};

/// The snapshot and each row have their length, in two bytes, in front of them.
inline std::string to_file(const StoredBytes& stored) {
  StateWriter writer;
  writer.u8(stored.schedule);
  std::string file = writer.take();
  const auto append = [&](const std::string& bytes) {
    writer.u8(static_cast<std::uint8_t>(bytes.size() % 256));
    writer.u8(static_cast<std::uint8_t>(bytes.size() / 256));
    file += writer.take() + bytes;
  };
  append(stored.snapshot);
  for (const std::string& row : stored.rows) append(row);
  return file;
}

/// Whatever the bytes are.
inline StoredBytes from_file(std::string_view file) {
  StoredBytes stored;
  StateReader reader(file);
  stored.schedule = static_cast<std::uint8_t>(reader.u8() % kStoredSchedules.size());
  for (bool first = true; reader.left() >= 2; first = false) {
    const std::size_t low = reader.u8();
    const std::size_t length = std::min(low + 256U * reader.u8(), reader.left());
    std::string bytes(file.substr(file.size() - reader.left(), length));
    reader = StateReader(file.substr(file.size() - reader.left() + length));
    if (first) {
      stored.snapshot = std::move(bytes);
    } else {
      stored.rows.push_back(std::move(bytes));
    }
  }
  return stored;
}

}  // namespace caucus
