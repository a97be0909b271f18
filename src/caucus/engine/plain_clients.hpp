// Plays simulated clients one after another, one example at a time, through the five steps. This
// defines the result of every algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "caucus/engine/clients.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

template <Algorithm A>
class PlainClients {
 public:
  PlainClients(const A& algorithm, std::size_t clients, std::size_t /*threads*/)
      : forecast_(algorithm.new_forecast()), mean_(algorithm.new_mean()), memory_(clients) {}

  /// Plays the batch of every client; the server accepts their reports.
  template <class Source>
  void play(Server<A>& server, const Batch& batch, Clients<Source>& clients) {
    clients.each(batch, 0, clients.source->clients(), [&](std::uint32_t client, std::size_t last) {
      const Batch own{batch.number, batch.first, last};
      play_client(server, own, client, clients);
      if (!clients.template loses<A>(batch, client)) server.accept(reports_);
    });
  }

  /// Plays the batch of one client. Returns its report, which lasts until the next call.
  template <class Source>
  ReportBatch& play_client(Server<A>& server, const Batch& batch, std::uint32_t client,
                           Clients<Source>& clients) {
    const A& shared = server.algorithm();
    server.assign(batch, client, assignment_);
    mean_.begin(assignment_);
    for (std::size_t round = batch.first; round < batch.last; ++round) {
      const Example example = clients.source->example(client, round);
      shared.predict(memory_[client], assignment_, example.x, forecast_);
      const PlayedExample given{client, round, forecast_.output, example.y};
      clients.record({&given, 1});
      shared.report(memory_[client], forecast_, example.y, mean_);
    }
    if constexpr (requires { memory_[client]->take_record(); }) {
      if (memory_[client]) {
        clients.telemetry->record_personal(client, memory_[client]->take_record());
      }
    }
    reports_.clear();
    mean_.report(reports_);
    clients.telemetry->sent({&client, 1}, upload_bits(shared), shared.download_bits(assignment_));
    return reports_;
  }

 private:
  /// The size of the upload is that of the report if the client chooses it, else of the assignment.
  std::size_t upload_bits(const A& shared) const {
    if constexpr (requires { shared.upload_bits(reports_); }) {
      return shared.upload_bits(reports_);
    } else {
      return shared.upload_bits(assignment_);
    }
  }

  typename A::Assignment assignment_;
  typename A::Forecast forecast_;
  typename A::BatchMean mean_;
  ReportBatch reports_;
  std::vector<typename A::ClientState> memory_;
};

}  // namespace caucus
