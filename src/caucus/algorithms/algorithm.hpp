// An Algorithm has the five steps. It is a concept, not a base class: a type that has them can
// be simulated, served over a network, and put through the conformance suite.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

#include "caucus/algorithms/round.hpp"

namespace caucus {

template <class A>
concept Algorithm = requires(A& server, const A& shared, const Batch& batch, std::uint32_t client,
                             typename A::Assignment& assignment, typename A::ClientState& memory,
                             std::span<const float> x, typename A::Forecast& forecast, double y,
                             typename A::BatchMean& mean, ReportBatch& reports,
                             typename A::Aggregate& aggregate) {
  // server state -> Assignment: the models of client j for this batch
  {server.assign(batch, client, assignment)};
  // Assignment, x -> Forecast; there is no parameter for y
  {shared.predict(memory, std::as_const(assignment), x, forecast)};
  // Forecast, y -> ReportBatch: one more example of the batch; at its end the means are the report
  {mean.begin(std::as_const(assignment))};
  {shared.report(memory, std::as_const(forecast), y, mean)};
  {mean.report(reports)};
  // server state, ReportBatch -> Aggregate: adds reports, which come in client order. It may
  // take the batch's memory and leave an empty batch.
  {shared.aggregate(reports, aggregate)};
  // server state, Aggregate -> server state
  {server.step(batch, std::as_const(aggregate))};

  // Buffers for the records above.
  { shared.new_mean() } -> std::same_as<typename A::BatchMean>;
  { shared.new_forecast() } -> std::same_as<typename A::Forecast>;
  { shared.new_aggregate() } -> std::same_as<typename A::Aggregate>;
  {aggregate.clear()};

  // Whether reports are sent, so that they can be lost.
  { A::kCooperative } -> std::convertible_to<bool>;
  // Bits on the wire per client and batch; 0 where nothing is sent.
  { shared.upload_bits(std::as_const(assignment)) } -> std::same_as<std::size_t>;
  { shared.download_bits(std::as_const(assignment)) } -> std::same_as<std::size_t>;
};

}  // namespace caucus
