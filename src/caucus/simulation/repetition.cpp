#include "caucus/simulation/repetition.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "caucus/runtime/play_round.hpp"

namespace caucus {
namespace {

/// Records p after the batch in which each of the curve's rounds falls.
class ProbabilityCurve {
 public:
  explicit ProbabilityCurve(std::span<const std::size_t> rounds) : rounds_(rounds) {}

  template <class A>
  void record(const Batch& batch, const A& algorithm) {
    if (next_ == rounds_.size() || rounds_[next_] > batch.last) return;
    const auto p = probabilities_of(algorithm);
    while (next_ < rounds_.size() && rounds_[next_] <= batch.last) {
      values.push_back(p);
      ++next_;
    }
  }

  std::vector<std::vector<double>> values;

 private:
  std::span<const std::size_t> rounds_;
  std::size_t next_ = 0;
};

}  // namespace

RepetitionResult play_repetition(AnyAlgorithm algorithm, const RepetitionInput& input) {
  using Clock = std::chrono::steady_clock;
  Telemetry telemetry(input.loss, input.length.clients, input.length.rounds);
  ProbabilityCurve curve(input.curve_rounds);
  const auto start = Clock::now();
  std::visit(
      [&](auto& server) {
        using A = std::remove_reference_t<decltype(server)>;
        LocalExchange<A, PartitionedData> exchange(server, input.data, input.dropout, telemetry,
                                                   input.observer);
        auto aggregate = server.new_aggregate();
        Batch batch{0, 0, 0};
        std::size_t played = 0;
        while (batch.last < input.length.rounds) {
          batch = {batch.number + 1, batch.last,
                   std::min(batch.last + input.rounds_per_upload, input.length.rounds)};
          play_round(server, exchange, batch, aggregate);
          curve.record(batch, server);
          input.examples_done += telemetry.forecasts - played;
          played = telemetry.forecasts;
        }
      },
      algorithm);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  return {std::move(telemetry), seconds.count(), std::move(curve.values), learned_by(algorithm)};
}

}  // namespace caucus
