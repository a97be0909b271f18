// All clients in this process. Where an algorithm's clients do what OmsTile does, many are computed
// together; others predict, see y and report one after the other.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "caucus/algorithms/oms_tile.hpp"
#include "caucus/core/random.hpp"
#include "caucus/runtime/example_source.hpp"
#include "caucus/runtime/exchange.hpp"
#include "caucus/runtime/telemetry.hpp"

namespace caucus {

/// Reports lost on the way, each with the same probability, whatever the algorithm.
struct Dropout {
  double probability = 0.0;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;

  [[nodiscard]] bool loses(std::uint32_t batch, std::uint32_t client) const {
    return probability > 0.0 &&
           Stream({seed, Purpose::dropout, repetition, batch, client}).uniform() < probability;
  }
};

/// Sees every forecast that is given: client, round, output.
using ForecastObserver = std::function<void(std::size_t, std::size_t, double)>;

/// An algorithm that says that its clients do what oms_client.hpp does and nothing else.
template <class A>
concept TiledClients = A::kOmsClients &&
                       requires(A& server, const Batch& batch, std::span<HeldModel> models) {
  requires std::same_as<typename A::Report, Report>;
  { server.plan() } -> std::same_as<const Plan&>;
  { server.sampled() } -> std::same_as<std::size_t>;
  server.assign(batch, std::uint32_t{}, models);
  { server.upload_bits(HeldSize{}) } -> std::same_as<std::size_t>;
  { server.download_bits(HeldSize{}) } -> std::same_as<std::size_t>;
};

/// An algorithm that can take several reports at once.
template <class A>
concept AggregatesTiles = requires(const A& shared, const TileReports& reports,
                                   typename A::Aggregate& aggregate) {
  shared.aggregate(reports, aggregate);
};

/// What all ways of playing the clients share.
template <class Source>
struct Clients {
  const Source* source;
  Dropout dropout;
  Telemetry* telemetry;
  ForecastObserver observer;

  /// play(client, last round) for every client that has data in this batch.
  template <class Play>
  void each(const Batch& batch, Play&& play) const {
    for (std::uint32_t client = 0; client < source->clients(); ++client) {
      const std::size_t last = std::min(batch.last, source->rounds(client));
      if (batch.first < last) play(client, last);
    }
  }
  void record(std::span<const PlayedExample> given) {
    telemetry->record(given);
    if (!observer) return;
    for (const PlayedExample& one : given) observer(one.client, one.round, one.output);
  }
  template <class A>
  [[nodiscard]] bool loses(const Batch& batch, std::uint32_t client) const {
    return A::kCooperative && dropout.loses(batch.number, client);
  }
};

/// One example after another, through the verbs.
template <Algorithm A>
class OneByOne {
 public:
  OneByOne(const A& algorithm, std::size_t clients)
      : forecast_(algorithm.new_forecast()), memory_(clients) {}

  template <class Source, class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Clients<Source>& clients, Assign&& assign,
           Receive&& receive) {
    clients.each(batch, [&](std::uint32_t client, std::size_t last) {
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

/// Many examples together.
template <TiledClients A>
class ByTiles {
 public:
  ByTiles(const A& algorithm, std::size_t) : tile_(algorithm.plan(), algorithm.sampled()) {}

  template <class Source, class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Clients<Source>& clients, Assign&& assign,
           Receive&& receive) {
    bool one_tile = true;
    const auto flush = [&](bool lasting) {
      tile_.flush([&](std::span<const PlayedExample> given) { clients.record(given); },
                  [&](TileReports reports, const HeldSize& size) {
                    reports.lasting = lasting;
                    clients.telemetry->sent(shared.upload_bits(size), shared.download_bits(size));
                    if (clients.dropout.probability > 0.0 && A::kCooperative) {
                      reports = arrived(reports, batch, clients);
                    }
                    deliver(reports, receive);
                  });
    };
    clients.each(batch, [&](std::uint32_t client, std::size_t last) {
      assign(client, tile_.begin_client(client));
      for (std::size_t round = batch.first; round < last; ++round) {
        const Example example = clients.source->example(client, round);
        tile_.add(round, example.x, example.y, round + 1 == last);
        if (!tile_.full()) continue;
        flush(false);
        one_tile = false;
      }
    });
    flush(one_tile);
  }

 private:
  template <class Receive>
  static void deliver(const TileReports& reports, Receive&& receive) {
    if constexpr (AggregatesTiles<A>) {
      receive(reports);
    } else {
      for (std::size_t n = 0; n < reports.size(); ++n) receive(reports[n]);
    }
  }
  template <class Source>
  TileReports arrived(TileReports sent, const Batch& batch, const Clients<Source>& clients) {
    names_.clear();
    examples_.clear();
    held_.clear();
    for (std::size_t n = 0; n < sent.size(); ++n) {
      const Report report = sent[n];
      if (clients.template loses<A>(batch, report.client)) continue;
      names_.push_back(report.client);
      examples_.push_back(report.examples);
      held_.insert(held_.end(), report.held.begin(), report.held.end());
    }
    return {sent.sampled, names_, examples_, held_, sent.lasting};
  }

  OmsTile tile_;
  std::vector<std::uint32_t> names_, examples_;  ///< of the reports that arrived, if some did not
  std::vector<HeldReport> held_;
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
                ForecastObserver observer = {})
      : clients_{&source, dropout, &telemetry, std::move(observer)},
        play_(algorithm, source.clients()) {}

  /// assign(client, Assignment or the place of its models), then receive(Report or TileReports).
  template <class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Assign&& assign, Receive&& receive) {
    play_.ask(shared, batch, clients_, assign, receive);
  }

 private:
  Clients<Source> clients_;
  Play play_;
};

}  // namespace caucus
