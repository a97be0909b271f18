// All clients in this process. Where an algorithm's clients do what OmsTile does, many are computed
// together; others predict, see y and report one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "caucus/engine/by_tiles.hpp"
#include "caucus/engine/clients.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/engine/exchange.hpp"
#include "caucus/engine/telemetry.hpp"

namespace caucus {

/// One example after another, through the verbs.
template <Algorithm A>
class OneByOne {
 public:
  OneByOne(const A& algorithm, std::size_t clients, std::size_t)
      : forecast_(algorithm.new_forecast()), memory_(clients) {}

  template <class Source, class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Clients<Source>& clients, Assign&& assign,
           Receive&& receive) {
    clients.each(batch, 0, clients.source->clients(), [&](std::uint32_t client, std::size_t last) {
      assign(client, assignment_);
      mean_.begin(assignment_);
      for (std::size_t round = batch.first; round < last; ++round) {
        const Example example = clients.source->example(client, round);
        shared.predict(memory_[client], assignment_, example.x, forecast_);
        const PlayedExample given{client, round, forecast_.output, example.y};
        clients.record({&given, 1});
        shared.report(memory_[client], forecast_, example.y, mean_);
      }
      const typename A::Report& report = mean_.report();
      clients.telemetry->sent(upload_bits(shared, report), shared.download_bits(assignment_));
      if (!clients.template loses<A>(batch, client)) receive(report);
    });
  }

 private:
  /// Where the client chooses what it sends, the report tells; else the assignment does.
  std::size_t upload_bits(const A& shared, const typename A::Report& report) const {
    if constexpr (requires { shared.upload_bits(report); }) {
      return shared.upload_bits(report);
    } else {
      return shared.upload_bits(assignment_);
    }
  }

  typename A::Assignment assignment_;
  typename A::Forecast forecast_;
  typename A::BatchMean mean_;
  std::vector<typename A::ClientState> memory_;
};

template <class A>
struct HowToPlay {
  using Type = OneByOne<A>;
};
template <TiledClients A>
struct HowToPlay<A> {
  using Type = ByTiles<A>;
};
template <Algorithm A, ExampleSource Source, class Play = typename HowToPlay<A>::Type>
class LocalExchange {
 public:
  LocalExchange(const A& algorithm, const Source& source, Dropout dropout, Telemetry& telemetry,
                ForecastObserver observer = {}, std::size_t threads = 1)
      : clients_{&source, dropout, &telemetry, std::move(observer)},
        play_(algorithm, source.clients(), threads) {}

  /// assign(client, Assignment) where one client after another is played, then receive(Report or
  /// TileReports). The source must bear to be read by several threads if there are to be some.
  template <class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Assign&& assign, Receive&& receive) {
    play_.ask(shared, batch, clients_, assign, receive);
    clients_.telemetry->end_batch();
  }

 private:
  Clients<Source> clients_;
  Play play_;
};

}  // namespace caucus
