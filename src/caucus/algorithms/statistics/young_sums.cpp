#include "caucus/algorithms/statistics/young_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace caucus {
namespace {

constexpr double kCertain = 3.0;  // logarithm of a likelihood ratio that is a whole vote
constexpr double kWins = 1.0 / 3.0;
constexpr double kTiny = 1e-30;

double examples_of(std::span<const MapSums> sums) {
  double examples = 0.0;
  for (const MapSums& map : sums) examples += map.examples;
  return examples;
}

/// The losses are those of two Gaussians with unknown variances.
double vote_of(const MemoryLosses& report) {
  const double ratio = (report.by_all + kTiny) / (report.by_young + kTiny);
  return std::clamp(0.5 * report.examples * std::log(ratio) / kCertain, -1.0, 1.0);
}

}  // namespace

double YoungSums::votes() const {
  double sum = 0.0;
  for (const auto& [name, client] : clients_) sum += client.vote;
  return sum;
}

void YoungSums::add(const BatchMapSums& batch, double kept, std::span<const MemoryLosses> reports) {
  for (const MemoryLosses& report : reports) {
    Client& client = clients_[report.client];
    if (!report.judged || report.changed) continue;
    client.vote = std::clamp(0.5 * client.vote + vote_of(report), -1.0, 1.0);
  }
  if (exists()) add_batch(batch, kept, sums_);
}

bool YoungSums::wins() const {
  return exists() && votes() > kWins * static_cast<double>(clients_.size());
}

std::vector<MapSums> YoungSums::take() {
  for (auto& [name, client] : clients_) client = {};
  return std::exchange(sums_, {});
}

void YoungSums::follow(std::span<const MemoryLosses> reports, std::span<const MapSums> all) {
  if (exists() && examples_of(sums_) > 0.5 * examples_of(all)) take();
  bool begun = false;
  for (const MemoryLosses& report : reports) {
    if (!report.changed) continue;
    if (!begun && (!exists() || votes() < 0.0)) {
      begun = true;
      for (auto& [name, client] : clients_) client.vote = 0.0;
      sums_.assign(all.size(), {});
    }
    clients_[report.client].moved = true;
  }
}

void YoungSums::save(StateWriter& to) const {
  to.u64(clients_.size());
  for (const auto& [name, client] : clients_) {
    to.u32(name);
    to.flag(client.moved);
    to.real(client.vote);
  }
  to.flag(exists());
  save_sums(sums_, to);
}

Status YoungSums::restore(StateReader& from, std::span<const std::size_t> dimensions,
                          std::size_t targets) {
  clients_.clear();
  const std::uint64_t count = from.u64();
  for (std::uint64_t c = 0; c < count && from.ok(); ++c) {
    const std::uint32_t name = from.u32();
    if (!clients_.empty() && name <= clients_.rbegin()->first)
      return from.refuse("clients in another order");
    Client& client = clients_[name];
    client.moved = from.flag();
    client.vote = from.real();
    if (!(std::abs(client.vote) <= 1.0)) return from.refuse("a vote of a client");
  }
  sums_.assign(from.flag() ? dimensions.size() : 0, {});
  return restore_sums(from, dimensions, targets, sums_);
}

}  // namespace caucus
