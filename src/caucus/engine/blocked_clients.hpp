// Plays simulated clients one after another, sixteen examples at a time: the fast form of
// plain_clients.hpp for the adaptive schedule, whose models are fixed while a batch lasts. The
// features and the sums of a block are computed at once; in between, the personal layer predicts
// and learns one example at a time. The bits are the same.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/engine/clients.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

/// An algorithm whose clients keep BatchStatistics and correct the forecast of their models.
template <class A>
concept HasStatisticsClients = std::same_as<typename A::BatchMean, BatchStatistics> &&
    requires(const A& shared, const typename A::Assignment& assignment,
             typename A::ClientState& memory, std::span<const float> x) {
  { shared.personal_forecast(memory, assignment, x, 0.0) } -> std::same_as<double>;
};

template <HasStatisticsClients A>
class BlockedClients {
 public:
  BlockedClients(const A& algorithm, std::size_t clients, std::size_t /*threads*/)
      : block_(algorithm.plan()), statistics_(algorithm.new_mean()), memory_(clients) {}

  /// Plays the batch of every client; the server accepts their reports.
  template <class Source>
  void play(Server<A>& server, const Batch& batch, Clients<Source>& clients) {
    clients.each(batch, 0, clients.source->clients(), [&](std::uint32_t client, std::size_t last) {
      Batch own{batch.number, batch.first, last};
      play_client(server, own, client, clients);
      if (!clients.template loses<A>(batch, client)) server.accept(reports_);
    });
  }

  /// Plays the batch of one client, which ends early if its data change. Returns its report, which
  /// lasts until the next call.
  template <class Source>
  ReportBatch& play_client(Server<A>& server, Batch& batch, std::uint32_t client,
                           Clients<Source>& clients) {
    const A& shared = server.algorithm();
    server.assign(batch, client, assignment_);
    statistics_.begin(assignment_, batch.last - batch.first);
    // A change may end the batch after any example, and those after it hold other experts.
    const std::size_t most = clients.asks() ? 1 : ExampleBlock::kExamples;
    for (std::size_t round = batch.first; round < batch.last; round += most) {
      const std::size_t count = std::min(most, batch.last - round);
      play_block(shared, client, round, count, batch, clients);
    }
    auto& memory = memory_[client];
    if (memory) clients.telemetry->record_personal(client, memory->take_record());
    reports_.clear();
    statistics_.report(reports_);
    if (memory && !reports_.empty() && memory->end_batch()) reports_.mark_change();
    clients.telemetry->sent({&client, 1}, shared.upload_bits(reports_),
                            shared.download_bits(assignment_));
    return reports_;
  }

 private:
  /// Plays these examples, or fewer if the data change: then it shortens the batch.
  template <class Source>
  void play_block(const A& shared, std::uint32_t client, std::size_t first, std::size_t count,
                  Batch& batch, Clients<Source>& clients) {
    std::array<std::span<const float>, ExampleBlock::kExamples> x;
    std::array<double, ExampleBlock::kExamples> y{};
    std::array<PlayedExample, ExampleBlock::kExamples> given{};
    for (std::size_t e = 0; e < count; ++e) {
      clients.ask(assignment_, client, first + e);
      const Example example = clients.source->example(client, first + e);
      x[e] = example.x;
      y[e] = example.y;
      clients.fetch(client, 1, first + ExampleBlock::kExamples + e);
    }
    block_.compute(assignment_, std::span(x).first(count));
    const std::size_t classes = shared.plan().loss.classes();
    probabilities_.resize(ExampleBlock::kExamples * classes);
    auto& memory = memory_[client];
    const std::size_t least = assignment_.least_after_change;
    for (std::size_t e = 0; e < count; ++e) {
      given[e] = {client, first + e, 0.0, y[e]};
      if (classes > 0) {
        const auto into = std::span(probabilities_).subspan(e * classes, classes);
        given[e].output =
            shared.personal_classes(memory, assignment_, x[e], block_.classes(e), into);
        given[e].probabilities = into;
      } else {
        given[e].output = shared.personal_forecast(memory, assignment_, x[e], block_.forecast(e));
      }
      if (memory) memory->observe(y[e]);
      const std::size_t end = first + e + 1;
      if (least == 0 || !memory || !memory->has_change()) continue;
      if (end < batch.first + least || !clients.may_end(client, end)) continue;
      batch.last = end;
      count = e + 1;
    }
    clients.record(std::span<const PlayedExample>(given).first(count));
    statistics_.add(block_, std::span<const double>(y).first(count));
  }

  typename A::Assignment assignment_;
  ExampleBlock block_;
  BatchStatistics statistics_;
  ReportBatch reports_;
  std::vector<double> probabilities_;  ///< of a block
  std::vector<typename A::ClientState> memory_;
};

}  // namespace caucus
