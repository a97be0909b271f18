// Simulated clients that do not wait for each other. The time is the round: every client has one
// example in each. A client whose batch is full uploads it, the server learns from the uploads of a
// round in the order of the clients, and these clients go on with new models in the next round.
// Clients with the same amount of data end their batches together, which gives the bits of
// synchronous batches, until one of them notices a change and ends its batch early.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "caucus/engine/clients.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

/// Backend plays the batch of one client (plain_clients.hpp).
template <Algorithm A, class Source, class Backend>
class AsynchronousClients {
 public:
  AsynchronousClients(Backend& backend, Clients<Source>& clients)
      : backend_(&backend),
        clients_(&clients),
        batches_(clients.source->clients(), 0),
        changed_(batches_.size(), 0) {
    std::size_t rounds = 0;
    for (std::size_t j = 0; j < batches_.size(); ++j) {
      rounds = std::max(rounds, clients.source->rounds(j));
    }
    loss_of_round_.resize(rounds);
    clients.loss_of_round = &loss_of_round_;
  }

  /// Plays all rounds. Calls after_close(round, loss of all clients so far) whenever the server has
  /// learned.
  template <class AfterClose>
  void play(Server<A>& server, AfterClose&& after_close) {
    std::vector<std::uint32_t> all(clients_->source->clients());
    std::iota(all.begin(), all.end(), 0U);
    begin(server, 0, all);
    while (!uploads_.empty()) {
      auto first = uploads_.begin();
      const std::size_t round = first->first;
      Uploads uploads = std::move(first->second);
      uploads_.erase(first);
      server.close({static_cast<std::uint32_t>(++closes_), round, round}, uploads.aggregate);
      clients_->telemetry->end_batch();
      after_close(round, loss_until(round));
      begin(server, round, uploads.clients);
    }
  }

 private:
  /// The reports that arrive at the end of one round.
  struct Uploads {
    typename A::Aggregate aggregate;
    std::vector<std::uint32_t> clients;
  };

  /// Assigns new models to clients after `first` rounds, and plays their next batches, which do not
  /// depend on what the server learns meanwhile.
  void begin(Server<A>& server, std::size_t first, const std::vector<std::uint32_t>& clients) {
    for (const std::uint32_t client : clients) {
      const UploadRule& rule = clients_->uploads;
      const std::size_t rounds = clients_->source->rounds(client);
      const std::size_t length = rule.length_after(first, changed_[client]);
      Batch batch{0, first, rule.end_of(first, first + length, rounds)};
      if (batch.last == first) continue;
      batch.number = ++batches_[client];
      ReportBatch& report = backend_->play_client(server, batch, client, *clients_);
      const std::size_t last = batch.last;
      if (report.has_change(0)) changed_[client] = last;
      const bool lost = clients_->template loses<A>(batch, client);
      auto found = uploads_.find(last);
      if (found == uploads_.end()) {
        found = uploads_.emplace(last, Uploads{server.new_aggregate(), {}}).first;
      }
      if (!lost) server.accept(report, found->second.aggregate);
      found->second.clients.push_back(client);
    }
  }

  /// Clients may have been played beyond this round.
  double loss_until(std::size_t round) {
    while (counted_ < round) loss_ += loss_of_round_[counted_++];
    return loss_;
  }

  Backend* backend_;
  Clients<Source>* clients_;
  std::vector<std::uint32_t> batches_;      ///< the batches that each client has begun
  std::vector<std::size_t> changed_;        ///< the round after which its data have changed, or 0
  std::map<std::size_t, Uploads> uploads_;  ///< by the round after which they arrive
  std::size_t closes_ = 0;
  std::vector<double> loss_of_round_;
  std::size_t counted_ = 0;  ///< the rounds whose losses are in loss_
  double loss_ = 0.0;
};

}  // namespace caucus
