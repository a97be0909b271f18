// All clients of a run in this process. Where an algorithm's clients do what oms_client.hpp does,
// many are computed together; others predict, see y and report one after another.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/engine/asynchronous_clients.hpp"
#include "caucus/engine/blocked_clients.hpp"
#include "caucus/engine/clients.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/plain_clients.hpp"
#include "caucus/engine/server.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/engine/tiled_clients.hpp"

namespace caucus {

/// How the clients of an algorithm are played; both ways give the same bits.
template <Algorithm A>
struct BackendOf {
  using Type = PlainClients<A>;
};
template <Algorithm A>
requires HasOmsClients<A>
struct BackendOf<A> {
  using Type = TiledClients<A>;
};
template <Algorithm A>
requires HasStatisticsClients<A>
struct BackendOf<A> {
  using Type = BlockedClients<A>;
};
template <Algorithm A>
using ClientBackend = typename BackendOf<A>::Type;

/// Whether reports are sums over batches, which clients can send without waiting for each other.
template <class A>
inline constexpr bool kLearnsFromSums = std::is_same_v<typename A::BatchMean, BatchStatistics>;

template <Algorithm A, ExampleSource Source, class Backend = ClientBackend<A>>
class SimulatedClients {
 public:
  /// The source must allow several threads to read it if there are several.
  SimulatedClients(const Server<A>& server, const Source& source, Dropout dropout,
                   Telemetry& telemetry, ForecastObserver observer = {}, std::size_t threads = 1,
                   UploadRule uploads = {})
      : clients_{&source, uploads, dropout, &telemetry, std::move(observer)},
        backend_(server.algorithm(), source.clients(), threads) {}

  /// Assigns models to every client that has examples in this batch, plays it, and reports.
  void play(Server<A>& server, const Batch& batch) {
    backend_.play(server, batch, clients_);
    clients_.telemetry->end_batch();
  }
  /// Plays all rounds with clients that do not wait for each other (asynchronous_clients.hpp).
  template <class AfterClose>
  void play_asynchronously(Server<A>& server, AfterClose&& after_close) {
    AsynchronousClients<A, Source, Backend>(backend_, clients_).play(server, after_close);
  }

 private:
  Clients<Source> clients_;
  Backend backend_;
};

}  // namespace caucus
