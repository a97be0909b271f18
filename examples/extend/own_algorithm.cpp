// An algorithm of your own: all clients learn one fixed model together. It reuses the records and
// the client side of FOMD-OMS, and the engine runs it like every other algorithm.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "caucus/algorithms/algorithm.hpp"
#include "caucus/algorithms/oms_client.hpp"
#include "caucus/ball.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/engine/server.hpp"
#include "caucus/engine/simulated_clients.hpp"

struct GradientSum {
  std::size_t reporters = 0;
  std::vector<float> gradient;
  void clear() {
    reporters = 0;
    std::fill(gradient.begin(), gradient.end(), 0.0F);
  }
};

class FollowOne {
 public:
  using Assignment = caucus::Assignment;
  using Forecast = caucus::Forecast;
  using BatchMean = caucus::BatchMean;
  using Aggregate = GradientSum;
  using ClientState = caucus::NoMemory;
  static constexpr bool kCooperative = true;

  FollowOne(std::shared_ptr<const caucus::Plan> plan, std::uint32_t space)
      : plan_(std::move(plan)), space_(space), w_(plan_->maps.dimension(space), 0.0F) {}

  // The five steps.
  void assign(const caucus::Batch&, std::uint32_t client, Assignment& into) {
    into.client = client;
    into.held.assign(1, {space_, w_});
  }
  void predict(ClientState&, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const {
    predict_with_held(*plan_, assignment, x, into);
  }
  void report(ClientState&, const Forecast& forecast, double y, BatchMean& into) const {
    report_held(*plan_, forecast, y, into);
  }
  void aggregate(const caucus::ReportBatch& reports, GradientSum& into) const {
    into.reporters += reports.size();
    for (std::size_t n = 0; n < reports.size(); ++n) {  // one model each
      caucus::add_product(into.gradient, reports.factors[n], reports.direction(n));
    }
  }
  void step(const caucus::Batch& batch, const GradientSum& sum) {
    if (sum.reporters == 0) return;
    const double rate = 0.5 / std::sqrt(batch.number) / static_cast<double>(sum.reporters);
    caucus::Ball{plan_->maps.space(space_).radius}.descend(w_, sum.gradient, rate);
  }

  // Buffers for the records, and what a batch costs on the wire.
  [[nodiscard]] BatchMean new_mean() const { return {}; }
  [[nodiscard]] Forecast new_forecast() const { return Forecast(plan_->maps); }
  [[nodiscard]] GradientSum new_aggregate() const { return {0, std::vector<float>(w_.size())}; }
  [[nodiscard]] std::size_t upload_bits(const Assignment&) const { return 32 * (w_.size() + 1); }
  [[nodiscard]] std::size_t download_bits(const Assignment&) const { return 32 * w_.size(); }

 private:
  std::shared_ptr<const caucus::Plan> plan_;
  std::uint32_t space_;
  std::vector<float> w_;
};
static_assert(caucus::Algorithm<FollowOne>);

/// Examples with y = x_0 - x_1 / 2, in memory. Any type with these three members is a source.
class TinySource {
 public:
  TinySource() {
    caucus::Stream stream({.seed = 1});
    for (float& value : x_) value = static_cast<float>(stream.normal());
  }
  [[nodiscard]] std::size_t clients() const { return 4; }
  [[nodiscard]] std::size_t rounds(std::size_t) const { return 250; }
  [[nodiscard]] caucus::Example example(std::size_t client, std::size_t round) const {
    const std::span<const float> x(x_.data() + 2 * (client * 250 + round), 2);
    return {x, static_cast<double>(x[0]) - 0.5 * static_cast<double>(x[1])};
  }

 private:
  std::vector<float> x_ = std::vector<float>(2000);
};

int main() {
  auto maps = caucus::FeatureMaps::make({caucus::Space{.radius = 2.0}}, {.features = 2}, 1, 0);
  if (!maps) return 1;
  const caucus::Loss loss;  // square
  const auto plan =
      std::make_shared<const caucus::Plan>(caucus::Plan{std::move(maps).value(), loss});

  const TinySource source;
  caucus::Server<FollowOne> server(FollowOne(plan, 0));
  caucus::Telemetry telemetry(loss, source.clients());
  caucus::SimulatedClients<FollowOne, TinySource> clients(server, source, {}, telemetry);
  std::vector<double> losses;  // of all clients, in each round
  for (std::uint32_t t = 0; t < 250; ++t) {
    telemetry = caucus::Telemetry(loss, source.clients());
    const caucus::Batch batch{t + 1, t, t + 1};
    clients.play(server, batch);
    server.close(batch);
    losses.push_back(telemetry.loss);
  }
  const double first = losses.front() / 4.0;
  const double last = losses.back() / 4.0;
  std::printf("mean loss per client: %.2g in round 1, %.2g in round 250\n", first, last);
  return last < 1e-6 * first ? 0 : 1;
}
