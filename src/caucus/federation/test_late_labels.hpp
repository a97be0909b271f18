// For tests: clients whose labels come late, and the algorithm that hears the same without a
// server.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "caucus/algorithms/first_order_oms.hpp"
#include "caucus/federation/test_together.hpp"

namespace caucus {

inline FederationSettings late_settings(ScheduleKind schedule) {
  return test_settings(4, schedule);
}

/// Labels of client 0 come at once, those of 1 a batch later, those of 2 in heaps every third batch
/// and those of 3 as late as can be.
class SlowLabels : public Together {
 public:
  SlowLabels(FederationSettings settings, const TestSource& examples)
      : Together(std::move(settings), examples), source(&examples), waiting(examples.clients()) {}

  /// What the clients have said; the batch is left open.
  std::map<std::uint32_t, ReportRecord> play_late() {
    std::map<std::uint32_t, ReportRecord> reports;
    for (std::uint32_t j = 0; j < clients.size(); ++j) {
      if (!federation.awaits(j)) continue;
      reports[j] = answer(j);
      EXPECT_EQ(send(j, reports[j]), Verdict::accepted) << why;
    }
    return reports;
  }
  void play_late(std::size_t batches) {
    for (std::size_t n = 0; n < batches; ++n) {
      play_late();
      closed.push_back(federation.close(now));
      snapshots.push_back(federation.snapshot());
    }
  }

  std::vector<std::string> snapshots;  ///< after each closed batch

 private:
  ReportRecord answer(std::uint32_t client) {
    Participant& participant = clients[client].participant();
    EXPECT_TRUE(participant.assign(assignment(client)).ok());
    const std::uint64_t round = federation.batch() - 1;
    const Example example = source->example(client, round);
    waiting[client].emplace_back(participant.predict(example.x)->id, example.y);
    const bool heap = client == 2 && federation.batch() % 3 == 0;
    const std::size_t left = heap ? 0 : client == 2 ? 3 : client;
    for (; waiting[client].size() > left; waiting[client].pop_front()) {
      const auto& [id, y] = waiting[client].front();
      EXPECT_TRUE(participant.observe(id, y));
    }
    return *participant.take_report(round + 1 == source->rounds(client));
  }

  const TestSource* source;
  std::vector<std::deque<std::pair<std::uint64_t, double>>> waiting;
};

/// The algorithm alone. It hears the same reports, and remembers on its own what it drew.
class AlgorithmAlone {
 public:
  AlgorithmAlone(const FederationSettings& settings, bool tells_when_drawn)
      : server_(make(settings)), tells_when_drawn_(tells_when_drawn) {}

  void play(std::uint32_t number, const std::map<std::uint32_t, ReportRecord>& reports) {
    const Batch batch{number, number - 1, number};
    for (const auto& [client, report] : reports) remember(batch, client);
    auto sums = server_.new_aggregate();
    for (const auto& [client, report] : reports) {
      if (!report.reports.empty()) add(client, report, sums);
    }
    server_.step(batch, sums);
  }
  [[nodiscard]] std::vector<std::vector<float>> weights() const {
    std::vector<std::vector<float>> all;
    for (std::size_t i = 0; i < server_.models(); ++i) {
      all.emplace_back(server_.weights(i).begin(), server_.weights(i).end());
    }
    return all;
  }
  std::size_t late_parts = 0;

 private:
  using Given = std::vector<double>;  ///< the probabilities of the models

  static FirstOrderOms make(const FederationSettings& settings) {
    const SharedPlan& shared = settings.plan;
    auto maps = FeatureMaps::make(shared.spaces, {4, 0}, shared.seed, 0, shared.sample_size);
    auto plan = std::make_shared<const Plan>(Plan{std::move(*maps), shared.loss});
    return FirstOrderOms(std::make_shared<const FirstOrderSettings>(
        FirstOrderSettings{plan, settings.problem.resolved_sample_size(),
                           settings.problem.schedule.fixed_share, shared.seed, 0}));
  }
  void remember(const Batch& batch, std::uint32_t client) {
    Assignment assignment;
    server_.assign(batch, client, assignment);
    Given& given = given_[{batch.number, client}];
    for (const HeldModel& held : assignment.held) {
      given.push_back(server_.probabilities()[held.space]);
    }
  }
  void add(std::uint32_t client, const ReportRecord& report, KeptReports& sums) {
    ReportBatch reports = report.reports;
    std::fill(reports.clients.begin(), reports.clients.end(), client);
    for (std::size_t n = 0; n < reports.size(); ++n) {
      if (reports.sampled_in[n] == report.batch) continue;
      ++late_parts;
      const Given& given = given_.at({reports.sampled_in[n], client});
      if (!tells_when_drawn_) continue;
      for (std::size_t a = 0; a < given.size(); ++a) {
        reports.mark_late(reports.begin_of(n) + a, given[a]);
      }
    }
    server_.aggregate(reports, sums);
  }

  FirstOrderOms server_;
  bool tells_when_drawn_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Given> given_;
};

}  // namespace caucus
