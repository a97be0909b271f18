// For tests: federations of a few clients with made-up data, and what a simulation makes of the
// same.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/engine/participant/participant.hpp"
#include "caucus/engine/simulated_clients.hpp"
#include "caucus/engine/test_source.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/test_settings.hpp"

namespace caucus {

/// What a run ends with, to be compared bit for bit.
struct Learned {
  std::vector<double> probabilities;
  std::vector<std::vector<float>> weights;
  double loss = 0.0, squared_error = 0.0;
  std::vector<double> loss_of_client;
  std::size_t upload_bits = 0, download_bits = 0;
  RecordedCurve curve;

  friend bool operator==(const Learned&, const Learned&) = default;
};

inline Learned learned_by(const Federation& federation) {
  const LearnedModel model = federation.server()->learned();
  const Telemetry& t = federation.telemetry();
  return {model.probabilities, model.weights, t.loss,          t.squared_error,
          t.loss_of_client,    t.upload_bits, t.download_bits, federation.curve().curve};
}

/// Returns what a simulation of the same settings and examples learns.
inline Learned simulated(const FederationSettings& settings, const TestSource& source) {
  const SharedPlan& shared = settings.plan;
  auto maps =
      FeatureMaps::make(shared.spaces, {shared.features, 0}, shared.seed, 0, shared.sample_size);
  const auto plan = std::make_shared<const Plan>(Plan{std::move(*maps), shared.loss});
  std::vector<std::size_t> rounds;
  for (std::size_t j = 0; j < source.clients(); ++j) rounds.push_back(source.rounds(j));
  const UploadRule uploads = upload_rule(settings.problem, shared.features, shared.statistics);
  const RunLength length = run_length(rounds, uploads);
  const auto algorithm =
      make_settings("fomd-oms", plan, *space_constants(settings), length, settings.problem, 0);
  Learned learned;
  AnyAlgorithm any = make_algorithm("fomd-oms", *algorithm, source.clients());
  LearnedModel model;
  std::visit(
      [&](auto& chosen) {
        using A = std::remove_reference_t<decltype(chosen)>;
        Telemetry telemetry(shared.loss, source.clients());
        Server<A> server(std::move(chosen));
        SimulatedClients<A, TestSource> clients(server, source, {}, telemetry, {}, 1, uploads);
        CurveRecorder curve;
        const auto p = [&] { return server.algorithm().selection(); };
        Batch batch{0, 0, 0};
        while (batch.last < length.rounds) {
          const std::size_t first = batch.last;
          batch = {batch.number + 1, first,
                   uploads.end_of(first, first + uploads.length_after(first), length.rounds)};
          clients.play(server, batch);
          server.close(batch);
          curve.after_batch(batch.last, telemetry.loss, p);
        }
        curve.finish(batch.last, telemetry.loss, p);
        learned.loss = telemetry.loss;
        learned.squared_error = telemetry.squared_error;
        learned.loss_of_client = telemetry.loss_of_client;
        learned.upload_bits = telemetry.upload_bits;
        learned.download_bits = telemetry.download_bits;
        learned.curve = curve.curve;
        model = server.algorithm().learned();
      },
      any);
  learned.probabilities = model.probabilities;
  learned.weights = model.weights;
  return learned;
}

/// A client that reads its rows one after the other.
class TestClient {
 public:
  TestClient(const SharedPlan& plan, std::uint32_t index, const TestSource& source)
      : participant_(Participant::make(plan, index).value()), index_(index), source_(&source) {}

  [[nodiscard]] HelloRecord hello() const {
    return {.client = "c" + std::to_string(index_ + 1), .resume = true};
  }
  [[nodiscard]] ReadyRecord ready() const { return {source_->rounds(index_), 4, 0}; }

  /// Answers an assignment.
  std::optional<ReportRecord> play(const AssignmentRecord& assignment) {
    auto before = participant_->assign(assignment);
    EXPECT_TRUE(before.ok());
    if (*before) return **before;
    const SharedPlan& plan = participant_->plan();
    const std::size_t wanted =
        assignment.examples > 0 ? assignment.examples : plan.rounds_per_upload;
    const UploadRule rule = client_rule(plan, plan.features);
    const std::size_t end = rule.end_of(row_, row_ + wanted, rows());
    const auto may_end = [&] {
      return participant_->ready() && row_ < rows() && rule.sends(rows() - row_);
    };
    for (bool ends = false; row_ < end && !ends; ends = may_end()) {
      const Example example = source_->example(index_, row_++);
      const auto prediction = participant_->predict(example.x);
      EXPECT_TRUE(prediction.ok());
      EXPECT_TRUE(participant_->observe(prediction->id, example.y));
    }
    const auto report = participant_->take_report(row_ == rows());
    return report ? std::optional(*report) : std::nullopt;
  }
  void go_to(std::size_t row) { row_ = row; }
  [[nodiscard]] std::size_t row() const { return row_; }
  [[nodiscard]] Participant& participant() { return *participant_; }

 private:
  [[nodiscard]] std::size_t rows() const { return source_->rounds(index_); }

  std::unique_ptr<Participant> participant_;
  std::uint32_t index_;
  const TestSource* source_;
  std::size_t row_ = 0;
};

}  // namespace caucus
