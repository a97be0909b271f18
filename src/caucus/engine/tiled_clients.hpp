// Plays many simulated clients at once: the fast form of plain_clients.hpp for the algorithms whose
// clients do what oms_client.hpp does, on one thread or on several. OmsTile computes them; the bits
// are the same.
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
#include "caucus/engine/server.hpp"

namespace caucus {

/// An algorithm that says that its clients do what oms_client.hpp does and nothing else.
template <class A>
concept HasOmsClients = A::kOmsClients &&
    requires(const A& shared, const Batch& batch, ClientSampler& sampler,
             const HeldPlaces& models) {
  { shared.plan() } -> std::same_as<const Plan&>;
  { shared.sample_size() } -> std::same_as<std::size_t>;
  { shared.new_sampler() } -> std::same_as<ClientSampler>;
  shared.assign(batch, std::uint32_t{}, std::size_t{}, sampler, models);
  { shared.upload_bits(HeldSize{}) } -> std::same_as<std::size_t>;
  { shared.download_bits(HeldSize{}) } -> std::same_as<std::size_t>;
};

/// With very many clients several threads play ranges of them, and hand in the reports in the order
/// of the clients, so that the bits are the same.
template <HasOmsClients A>
class TiledClients {
 public:
  TiledClients(const A& algorithm, std::size_t clients, std::size_t threads) {
    const std::size_t useful = std::max<std::size_t>(clients / kWorthAThread, 1);
    for (std::size_t w = 0; w < std::clamp<std::size_t>(threads, 1, useful); ++w) {
      workers_.push_back(std::make_unique<Worker>(algorithm));
    }
  }

  template <class Source>
  void play(Server<A>& server, const Batch& batch, Clients<Source>& clients) {
    if (workers_.size() > 1 && workers_.front()->keeps_batches_whole(batch)) {
      play_together(server, batch, clients);
    } else {
      play_alone(server, batch, clients);
    }
  }

 private:
  static constexpr std::size_t kStretch = 128;        ///< clients that a thread plays at a time
  static constexpr std::size_t kWorthAThread = 2048;  ///< clients for which a thread is started

  /// The memory of one thread.
  class Worker {
   public:
    explicit Worker(const A& algorithm) : sampler_(algorithm.new_sampler()) { add_tile(algorithm); }

    [[nodiscard]] bool keeps_batches_whole(const Batch& batch) const {
      return tiles_.front()->keeps_whole(batch.last - batch.first);
    }
    /// Fills a tile with the examples of the clients [first, end). Whenever it is full, and for the
    /// last ones, on_full() must leave an empty one.
    template <class Source, class OnFull>
    void play(const Server<A>& server, const Batch& batch, const Clients<Source>& clients,
              std::size_t first, std::size_t end, OnFull&& on_full) {
      if (batch.last - batch.first == 1) {
        play_singles(server, batch, clients, first, end, on_full);
      } else {
        play_batch(server, batch, clients, first, end, on_full);
      }
      if (!tile().empty()) on_full();
    }

    OmsTile& tile() { return *tiles_[filled_]; }
    /// Keeps the tile that was filled, for later.
    void next_tile(const A& shared) {
      if (++filled_ == tiles_.size()) add_tile(shared);
    }
    /// Calls hand_in(tile) for every tile that was kept.
    template <class HandIn>
    void hand_in_all(HandIn&& hand_in) {
      for (std::size_t t = 0; t < filled_; ++t) hand_in(*tiles_[t]);
      filled_ = 0;
    }

   private:
    /// Plays one round: ranges of clients that have an example.
    template <class Source, class OnFull>
    void play_singles(const Server<A>& server, const Batch& batch, const Clients<Source>& clients,
                      std::size_t first, std::size_t end, OnFull&& on_full) {
      const auto plays = [&](std::size_t client) {
        return batch.first < clients.source->rounds(client);
      };
      while (first < end) {
        if (tile().room() == 0) on_full();
        const std::size_t most = std::min(end, first + tile().room());
        std::size_t last = first;
        while (last < most && plays(last)) ++last;
        if (last > first) {
          const auto client = static_cast<std::uint32_t>(first);
          const std::size_t count = last - first;
          const HeldPlaces places = tile().begin_clients(client, count);
          server.assign(batch, client, count, sampler_, places);
          const std::size_t held = server.algorithm().sample_size();
          for (std::size_t c = 0; c < count; ++c) {
            clients.ask_spaces({places.spaces + c * held, held}, first + c, batch.first);
          }
          tile().add_singles(client, count, batch.first, [&](std::size_t c) {
            return clients.source->example(c, batch.first);
          });
          clients.fetch(last, count, batch.first);
        }
        first = last;
        while (first < end && !plays(first)) ++first;
      }
    }
    /// Plays several rounds, client by client.
    template <class Source, class OnFull>
    void play_batch(const Server<A>& server, const Batch& batch, const Clients<Source>& clients,
                    std::size_t first, std::size_t end, OnFull&& on_full) {
      clients.each(batch, first, end, [&](std::uint32_t client, std::size_t last) {
        if (!tile().has_room(last - batch.first)) on_full();
        std::span<const std::uint32_t> held;
        const auto begin_client = [&] {
          const HeldPlaces places = tile().begin_clients(client, 1);
          server.assign(batch, client, 1, sampler_, places);
          held = {places.spaces, server.algorithm().sample_size()};
        };
        begin_client();
        for (std::size_t round = batch.first; round < last; ++round) {
          constexpr std::size_t kAhead = 8;
          clients.fetch(client, 1, round + kAhead);
          clients.ask_spaces(held, client, round);
          const Example example = clients.source->example(client, round);
          tile().add(round, example.x.data(), example.y, round + 1 == last);
          if (round + 1 < last && tile().full()) {
            on_full();
            begin_client();
          }
        }
      });
    }
    void add_tile(const A& algorithm) {
      tiles_.push_back(
          std::make_unique<OmsTile>(algorithm.plan(), algorithm.sample_size(), A::kFirstPredicts));
    }

    ClientSampler sampler_;
    std::vector<std::unique_ptr<OmsTile>> tiles_;
    std::size_t filled_ = 0;
  };

  template <class Source>
  void play_alone(Server<A>& server, const Batch& batch, Clients<Source>& clients) {
    Worker& worker = *workers_.front();
    worker.play(server, batch, clients, 0, clients.source->clients(), [&] {
      worker.tile().compute();
      hand_in(worker.tile(), server, batch, clients);
    });
  }

  template <class Source>
  void play_together(Server<A>& server, const Batch& batch, Clients<Source>& clients) {
    const std::size_t count = clients.source->clients();
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> turn{0};
    std::atomic<bool> failed{false};
    parallel_for(workers_.size(), workers_.size(), [&](std::size_t w) {
      Worker& worker = *workers_[w];
      try {
        for (std::size_t s = next++; s * kStretch < count; s = next++) {
          worker.play(server, batch, clients, s * kStretch, std::min((s + 1) * kStretch, count),
                      [&] {
                        worker.tile().compute();
                        worker.next_tile(server.algorithm());
                      });
          while (turn != s) {
            if (failed) return;
            std::this_thread::yield();
          }
          worker.hand_in_all([&](OmsTile& tile) { hand_in(tile, server, batch, clients); });
          turn = s + 1;
        }
      } catch (...) {
        failed = true;
        throw;
      }
    });
  }

  template <class Source>
  static void hand_in(OmsTile& tile, Server<A>& server, const Batch& batch,
                      Clients<Source>& clients) {
    clients.record(tile.forecasts());
    ReportBatch& reports = tile.reports();
    const HeldSize size(reports);
    clients.telemetry->sent(reports.clients, server.algorithm().upload_bits(size),
                            server.algorithm().download_bits(size));
    if (clients.dropout.probability > 0.0 && A::kCooperative) {
      reports.drop([&](std::uint32_t client) { return clients.template loses<A>(batch, client); });
    }
    server.accept(reports);
    tile.clear();
  }

  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace caucus
