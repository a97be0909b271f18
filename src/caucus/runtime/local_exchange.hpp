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
concept TiledClients = A::kOmsClients && requires(const A& shared) {
  requires std::same_as<typename A::Report, Report>;
  requires std::same_as<typename A::Assignment, Assignment>;
  { shared.plan() } -> std::same_as<const Plan&>;
};

/// An algorithm that can take several reports at once.
template <class A>
concept AggregatesMany = requires(const A& shared, std::span<const typename A::Report* const> many,
                                  typename A::Aggregate& aggregate) {
  shared.aggregate(many, true, aggregate);
};

/// Forecasts given, and a report sent: what every way of playing clients has to tell.
class ExchangeLog {
 public:
  ExchangeLog(Telemetry& telemetry, ForecastObserver observer)
      : telemetry_(&telemetry), observer_(std::move(observer)) {}

  void forecasts(std::span<const PlayedExample> given) {
    telemetry_->record(given);
    if (!observer_) return;
    for (const PlayedExample& one : given) observer_(one.client, one.round, one.output);
  }
  /// Where the client chooses what it sends, the report tells; else the assignment does.
  template <class A>
  void sent(const A& shared, const typename A::Report& report,
            const typename A::Assignment& assignment) {
    std::size_t up = 0;
    if constexpr (requires { shared.upload_bits(report); }) {
      up = shared.upload_bits(report);
    } else {
      up = shared.upload_bits(assignment);
    }
    telemetry_->sent(up, shared.download_bits(assignment));
  }

 private:
  Telemetry* telemetry_;
  ForecastObserver observer_;
};

/// One example after another, through the verbs.
template <Algorithm A>
class OneByOne {
 public:
  OneByOne(const A& algorithm, std::size_t clients)
      : forecast_(algorithm.new_forecast()), memory_(clients) {}

  typename A::Assignment& begin_client() { return assignment_; }

  template <class Source, class OnReports>
  void play(const A& shared, const Source& source, std::uint32_t client, std::size_t first,
            std::size_t last, ExchangeLog& log, OnReports&& on_reports) {
    mean_.begin(assignment_);
    for (std::size_t round = first; round < last; ++round) {
      const Example example = source.example(client, round);
      shared.predict(memory_[client], assignment_, example.x, forecast_);
      const PlayedExample given{client, round, forecast_.output, example.y};
      log.forecasts({&given, 1});
      shared.report(memory_[client], forecast_, example.y, mean_);
    }
    const typename A::Report* const report = &mean_.report();
    on_reports({&report, 1}, {&assignment_, 1}, false);
  }
  template <class OnReports>
  void flush(ExchangeLog&, OnReports&&) {}

 private:
  typename A::Assignment assignment_;
  typename A::Forecast forecast_;
  typename A::BatchMean mean_;
  std::vector<typename A::ClientState> memory_;
};

/// Many examples together.
template <TiledClients A>
class ByTiles {
 public:
  ByTiles(const A& algorithm, std::size_t) : tile_(algorithm.plan()) {}

  Assignment& begin_client() { return tile_.begin_client(); }

  template <class Source, class OnReports>
  void play(const A&, const Source& source, std::uint32_t client, std::size_t first,
            std::size_t last, ExchangeLog& log, OnReports&& on_reports) {
    for (std::size_t round = first; round < last; ++round) {
      const Example example = source.example(client, round);
      tile_.add(round, example.x, example.y, round + 1 == last);
      if (tile_.full()) flush(log, on_reports, false);
    }
  }
  template <class OnReports>
  void flush(ExchangeLog& log, OnReports&& on_reports) {
    flush(log, on_reports, true);
  }

 private:
  /// The reports last until the next example is added.
  template <class OnReports>
  void flush(ExchangeLog& log, OnReports&& on_reports, bool lasting) {
    tile_.flush([&](std::span<const PlayedExample> given) { log.forecasts(given); },
                [&](auto reports, auto assignments) { on_reports(reports, assignments, lasting); });
  }

  OmsTile tile_;
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
      : source_(&source),
        dropout_(dropout),
        log_(telemetry, std::move(observer)),
        play_(algorithm, source.clients()) {}

  template <class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Assign&& assign, Receive&& receive) {
    const auto deliver = [&](std::span<const typename A::Report* const> reports,
                             std::span<const typename A::Assignment> assignments, bool lasting) {
      arrived_.clear();
      for (std::size_t n = 0; n < reports.size(); ++n) {
        log_.sent(shared, *reports[n], assignments[n]);
        if (A::kCooperative && dropout_.loses(batch.number, assignments[n].client)) continue;
        arrived_.push_back(reports[n]);
      }
      if constexpr (AggregatesMany<A>) {
        receive(std::span<const typename A::Report* const>(arrived_), lasting);
      } else {
        static_cast<void>(lasting);
        for (const typename A::Report* report : arrived_) receive(*report);
      }
    };
    for (std::uint32_t client = 0; client < source_->clients(); ++client) {
      const std::size_t last = std::min(batch.last, source_->rounds(client));
      if (batch.first >= last) continue;  // this client has no data left
      assign(client, play_.begin_client());
      play_.play(shared, *source_, client, batch.first, last, log_, deliver);
    }
    play_.flush(log_, deliver);
  }

 private:
  const Source* source_;
  Dropout dropout_;
  ExchangeLog log_;
  Play play_;
  std::vector<const typename A::Report*> arrived_;
};

}  // namespace caucus
