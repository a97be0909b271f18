// All clients in this process, one after the other: predict, see y, report.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

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

template <Algorithm A, ExampleSource Source>
class LocalExchange {
 public:
  LocalExchange(const A& algorithm, const Source& source, Dropout dropout, Telemetry& telemetry,
                ForecastObserver observer = {})
      : source_(&source),
        dropout_(dropout),
        telemetry_(&telemetry),
        observer_(std::move(observer)),
        forecast_(algorithm.new_forecast()),
        memory_(source.clients()) {}

  template <class Assign, class Receive>
  void ask(const A& shared, const Batch& batch, Assign&& assign, Receive&& receive) {
    for (std::uint32_t client = 0; client < source_->clients(); ++client) {
      const std::size_t last = std::min(batch.last, source_->rounds(client));
      if (batch.first >= last) continue;  // this client has no data left
      assign(client, assignment_);
      play(shared, client, batch.first, last);
      const auto& report = mean_.report();
      telemetry_->sent(uploaded_bits(shared, report), shared.download_bits(assignment_));
      if (A::kCooperative && dropout_.loses(batch.number, client)) continue;
      receive(report);
    }
  }

 private:
  /// Where the client chooses what it sends, the report tells; else the assignment does.
  [[nodiscard]] std::size_t uploaded_bits(const A& shared, const typename A::Report& report) const {
    if constexpr (requires { shared.upload_bits(report); }) {
      return shared.upload_bits(report);
    } else {
      return shared.upload_bits(assignment_);
    }
  }

  void play(const A& shared, std::uint32_t client, std::size_t first, std::size_t last) {
    mean_.begin(assignment_);
    for (std::size_t round = first; round < last; ++round) {
      const Example example = source_->example(client, round);
      shared.predict(memory_[client], assignment_, example.x, forecast_);
      telemetry_->forecast(client, round, forecast_.output, example.y);
      if (observer_) observer_(client, round, forecast_.output);
      shared.report(memory_[client], forecast_, example.y, mean_);
    }
  }

  const Source* source_;
  Dropout dropout_;
  Telemetry* telemetry_;
  ForecastObserver observer_;
  typename A::Assignment assignment_;
  typename A::Forecast forecast_;
  typename A::BatchMean mean_;
  std::vector<typename A::ClientState> memory_;
};

}  // namespace caucus
