// Many clients at once: OmsTile for the algorithms whose clients do what it does, on one thread or
// on several.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "caucus/algorithms/oms_tile.hpp"
#include "caucus/core/sampling/sampling.hpp"
#include "caucus/engine/clients.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/parallel.hpp"

namespace caucus {

/// An algorithm that says that its clients do what oms_client.hpp does and nothing else.
template <class A>
concept TiledClients = A::kOmsClients &&
    requires(const A& shared, const Batch& batch, ClientSampler& sampler,
             const HeldPlaces& models) {
  requires std::same_as<typename A::Report, Report>;
  { shared.plan() } -> std::same_as<const Plan&>;
  { shared.sampled() } -> std::same_as<std::size_t>;
  { shared.new_sampler() } -> std::same_as<ClientSampler>;
  shared.assign(batch, std::uint32_t{}, std::size_t{}, sampler, models);
  { shared.upload_bits(HeldSize{}) } -> std::same_as<std::size_t>;
  { shared.download_bits(HeldSize{}) } -> std::same_as<std::size_t>;
};

/// An algorithm that can take several reports at once.
template <class A>
concept AggregatesTiles = requires(const A& shared, const TileReports& reports,
                                   typename A::Aggregate& aggregate) {
  shared.aggregate(reports, aggregate);
};

/// Some of the reports of a tile.
class ArrivedReports {
 public:
  void clear() {
    clients_.clear();
    examples_.clear();
    spaces_.clear();
    losses_.clear();
    factors_.clear();
    directions_.clear();
  }
  /// The n-th of those that were sent.
  void add(const TileReports& sent, std::size_t n) {
    clients_.push_back(sent.clients[n]);
    examples_.push_back(sent.examples[n]);
    for (std::size_t m = n * sent.sampled; m < (n + 1) * sent.sampled; ++m) {
      spaces_.push_back(sent.spaces[m]);
      losses_.push_back(sent.losses[m]);
      factors_.push_back(sent.factors[m]);
      directions_.push_back(sent.directions[m]);
    }
  }
  [[nodiscard]] TileReports reports(const TileReports& sent) const {
    TileReports some = sent;
    some.clients = clients_;
    some.examples = examples_;
    some.spaces = spaces_;
    some.losses = losses_;
    some.factors = factors_;
    some.directions = directions_;
    return some;
  }

 private:
  std::vector<std::uint32_t> clients_, examples_, spaces_;
  std::vector<float> losses_, factors_;
  std::vector<const float*> directions_;
};

/// Many examples together. Where there are very many clients, several threads play stretches of
/// them, and take turns to hand the reports in, in the clients' order: the bits are the same.
template <TiledClients A>
class ByTiles {
 public:
  ByTiles(const A& algorithm, std::size_t clients, std::size_t threads) {
    const std::size_t useful = std::max<std::size_t>(clients / kWorthAThread, 1);
    for (std::size_t w = 0; w < std::clamp<std::size_t>(threads, 1, useful); ++w) {
      workers_.push_back(std::make_unique<Worker>(algorithm));
    }
  }

  template <class Source, class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Clients<Source>& clients, Assign&&,
           Receive&& receive) {
    if (workers_.size() > 1 && workers_.front()->keeps_batches_whole(batch)) {
      ask_together(shared, batch, clients, receive);
    } else {
      ask_alone(shared, batch, clients, receive);
    }
  }

 private:
  static constexpr std::size_t kStretch = 128;        ///< clients that a thread plays at a time
  static constexpr std::size_t kWorthAThread = 2048;  ///< clients: beginning one takes a while

  /// What one thread needs.
  class Worker {
   public:
    explicit Worker(const A& algorithm) : sampler_(algorithm.new_sampler()) { add_tile(algorithm); }

    [[nodiscard]] bool keeps_batches_whole(const Batch& batch) const {
      return tiles_.front()->keeps_whole(batch.last - batch.first);
    }
    /// Fills a tile with the examples of the clients [first, end). Whenever it is full, and for the
    /// last ones, on_full(whether they are the last) must leave an empty one.
    template <class Source, class OnFull>
    void play(const A& shared, const Batch& batch, const Clients<Source>& clients,
              std::size_t first, std::size_t end, OnFull&& on_full) {
      if (batch.last - batch.first == 1) {
        play_round(shared, batch, clients, first, end, on_full);
      } else {
        play_batch(shared, batch, clients, first, end, on_full);
      }
      if (!tile().empty()) on_full(true);
    }

    OmsTile& tile() { return *tiles_[filled_]; }
    /// Keeps the tile that was filled, for later.
    void next_tile(const A& shared) {
      if (++filled_ == tiles_.size()) add_tile(shared);
    }
    /// hand_in(tile) for every one that was kept.
    template <class HandIn>
    void hand_in_all(HandIn&& hand_in) {
      for (std::size_t t = 0; t < filled_; ++t) hand_in(*tiles_[t]);
      filled_ = 0;
    }

   private:
    /// One round: stretches of clients that have an example.
    template <class Source, class OnFull>
    void play_round(const A& shared, const Batch& batch, const Clients<Source>& clients,
                    std::size_t first, std::size_t end, OnFull&& on_full) {
      const auto plays = [&](std::size_t client) {
        return batch.first < clients.source->rounds(client);
      };
      while (first < end) {
        if (tile().room() == 0) on_full(false);
        const std::size_t most = std::min(end, first + tile().room());
        std::size_t last = first;
        while (last < most && plays(last)) ++last;
        if (last > first) {
          const auto client = static_cast<std::uint32_t>(first);
          const std::size_t count = last - first;
          shared.assign(batch, client, count, sampler_, tile().begin_clients(client, count));
          tile().add_singles(client, count, batch.first, [&](std::size_t c) {
            return clients.source->example(c, batch.first);
          });
          clients.fetch(last, count, batch.first);
        }
        first = last;
        while (first < end && !plays(first)) ++first;
      }
    }
    /// Several rounds, client by client.
    template <class Source, class OnFull>
    void play_batch(const A& shared, const Batch& batch, const Clients<Source>& clients,
                    std::size_t first, std::size_t end, OnFull&& on_full) {
      clients.each(batch, first, end, [&](std::uint32_t client, std::size_t last) {
        if (!tile().has_room(last - batch.first)) on_full(false);
        shared.assign(batch, client, 1, sampler_, tile().begin_clients(client, 1));
        for (std::size_t round = batch.first; round < last; ++round) {
          constexpr std::size_t kAhead = 8;
          clients.fetch(client, 1, round + kAhead);
          const Example example = clients.source->example(client, round);
          tile().add(round, example.x.data(), example.y, round + 1 == last);
          if (round + 1 < last && tile().full()) on_full(false);
        }
      });
    }
    void add_tile(const A& algorithm) {
      tiles_.push_back(
          std::make_unique<OmsTile>(algorithm.plan(), algorithm.sampled(), A::kFirstPredicts));
    }

    ClientSampler sampler_;
    std::vector<std::unique_ptr<OmsTile>> tiles_;
    std::size_t filled_ = 0;
  };

  template <class Source, class Receive>
  void ask_alone(const A& shared, const Batch& batch, Clients<Source>& clients, Receive&& receive) {
    Worker& worker = *workers_.front();
    bool first = true;
    worker.play(shared, batch, clients, 0, clients.source->clients(), [&](bool last) {
      worker.tile().compute();
      hand_in(worker.tile(), first && last, shared, batch, clients, receive);
      first = false;
    });
  }

  template <class Source, class Receive>
  void ask_together(const A& shared, const Batch& batch, Clients<Source>& clients,
                    Receive&& receive) {
    const std::size_t count = clients.source->clients();
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> turn{0};
    std::atomic<bool> failed{false};
    parallel_for(workers_.size(), workers_.size(), [&](std::size_t w) {
      Worker& worker = *workers_[w];
      try {
        for (std::size_t s = next++; s * kStretch < count; s = next++) {
          worker.play(shared, batch, clients, s * kStretch, std::min((s + 1) * kStretch, count),
                      [&](bool) {
                        worker.tile().compute();
                        worker.next_tile(shared);
                      });
          while (turn != s) {
            if (failed) return;
            std::this_thread::yield();
          }
          worker.hand_in_all(
              [&](OmsTile& tile) { hand_in(tile, false, shared, batch, clients, receive); });
          turn = s + 1;
        }
      } catch (...) {
        failed = true;
        throw;
      }
    });
  }

  template <class Source, class Receive>
  void hand_in(OmsTile& tile, bool lasting, const A& shared, const Batch& batch,
               Clients<Source>& clients, Receive&& receive) {
    clients.record(tile.forecasts());
    TileReports reports = tile.reports();
    reports.lasting = lasting;
    const HeldSize size = size_of(reports);
    clients.telemetry->sent(shared.upload_bits(size), shared.download_bits(size));
    if (clients.dropout.probability > 0.0 && A::kCooperative) {
      reports = arrived(reports, batch, clients);
    }
    if constexpr (AggregatesTiles<A>) {
      receive(reports);
    } else {
      hand_in_one_by_one(shared.plan(), reports, receive);
    }
    tile.clear();
  }
  template <class Receive>
  void hand_in_one_by_one(const Plan& plan, const TileReports& reports, Receive&& receive) {
    for (std::size_t n = 0; n < reports.size(); ++n) {
      held_.clear();
      for (std::size_t m = n * reports.sampled; m < (n + 1) * reports.sampled; ++m) {
        const std::uint32_t space = reports.spaces[m];
        held_.push_back({space,
                         reports.losses[m],
                         reports.factors[m],
                         {reports.directions[m], plan.maps.dimension(space)}});
      }
      receive(Report{reports.clients[n], reports.examples[n], held_});
    }
  }
  template <class Source>
  TileReports arrived(const TileReports& sent, const Batch& batch, const Clients<Source>& clients) {
    arrived_.clear();
    for (std::size_t n = 0; n < sent.size(); ++n) {
      if (!clients.template loses<A>(batch, sent.clients[n])) arrived_.add(sent, n);
    }
    return arrived_.reports(sent);
  }

  std::vector<std::unique_ptr<Worker>> workers_;
  ArrivedReports arrived_;        ///< if some were lost
  std::vector<HeldReport> held_;  ///< of one client
};

}  // namespace caucus
