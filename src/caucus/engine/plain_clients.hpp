// Plays simulated clients one after another, one example at a time, through the five steps. This
// defines the result of every algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "caucus/core/personal/personal_layer.hpp"
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
      Batch own{batch.number, batch.first, last};
      play_client(server, own, client, clients);
      if (!clients.template loses<A>(batch, client)) server.accept(reports_);
    });
  }

  /// Plays the batch of one client, which may end early if its data change. Returns its report,
  /// which lasts until the next call.
  template <class Source>
  ReportBatch& play_client(Server<A>& server, Batch& batch, std::uint32_t client,
                           Clients<Source>& clients) {
    const A& shared = server.algorithm();
    server.assign(batch, client, assignment_);
    mean_.begin(assignment_);
    for (std::size_t round = batch.first; round < batch.last; ++round) {
      clients.ask(assignment_, client, round);
      const Example example = clients.source->example(client, round);
      shared.predict(memory_[client], assignment_, example.x, forecast_);
      const PlayedExample given{client, round, forecast_.output, example.y, forecast_.classes};
      clients.record({&given, 1});
      shared.report(memory_[client], forecast_, example.y, mean_);
      if constexpr (kHasPersonalLayer) {
        const std::size_t least = assignment_.least_after_change;
        const bool changed = memory_[client] && memory_[client]->has_change();
        const bool enough = least > 0 && round + 1 >= batch.first + least;
        if (changed && enough && clients.may_end(client, round + 1)) batch.last = round + 1;
      }
    }
    reports_.clear();
    mean_.report(reports_);
    if constexpr (kHasPersonalLayer) {
      if (auto& memory = memory_[client]) {
        clients.telemetry->record_personal(client, memory->take_record());
        if (!reports_.empty() && memory->end_batch()) reports_.mark_change();
      }
    }
    clients.telemetry->sent({&client, 1}, upload_bits(shared), shared.download_bits(assignment_));
    return reports_;
  }

 private:
  static constexpr bool kHasPersonalLayer =
      std::is_same_v<typename A::ClientState, std::optional<PersonalLayer>>;

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
