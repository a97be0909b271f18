#include "caucus/engine/report_clip.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace caucus {
namespace {

/// Computes a gradient's numbers, as a message has them, so that served and simulated runs round in
/// the same way.
void write_out(ReportBatch& reports, std::size_t model) {
  const float factor = reports.factors[model];
  if (factor == 1.0F) return;
  const auto direction = reports.direction(model);
  float* const gradient = reports.memory.take(direction.size());
  for (std::size_t k = 0; k < direction.size(); ++k) gradient[k] = factor * direction[k];
  reports.directions[model] = gradient;
}

}  // namespace

void ReportClip::clip(ReportBatch& reports) {
  for (std::size_t n = 0; n < reports.size(); ++n) {
    const std::size_t begin = reports.begin_of(n);
    if (begin == reports.ends[n]) continue;
    const auto drawn = static_cast<double>(reports.losses[begin]);
    const auto [level, is_new] = levels_.emplace(reports.clients[n], drawn);
    if (!is_new) level->second += kRate * (drawn - level->second);
    if (!(median_ > 0.0)) continue;
    const double allowed = 5.0 + 4.0 / std::sqrt(static_cast<double>(reports.examples[n]));
    const double most = allowed * median_;
    const bool is_left_out = kind_ == Robust::trim && level->second > highest_;
    const double trust =
        is_left_out ? 0.0 : std::min(1.0, std::pow(kLevels * median_ / level->second, 2));
    for (std::size_t m = begin; m < reports.ends[n]; ++m) {
      const auto loss = static_cast<double>(reports.losses[m]);
      if (!(loss > most) && trust == 1.0) continue;
      const double counted = std::min(loss, most);
      reports.losses[m] = static_cast<float>(median_ + trust * (counted - median_));
      write_out(reports, m);
      reports.factors[m] = static_cast<float>(loss > most ? trust * std::sqrt(most / loss) : trust);
    }
  }
}

void ReportClip::close() {
  if (levels_.size() < kFewest) return;
  std::vector<double> levels;
  for (const auto& [client, level] : levels_) levels.push_back(level);
  const auto middle = levels.begin() + static_cast<std::ptrdiff_t>((levels.size() - 1) / 2);
  std::nth_element(levels.begin(), middle, levels.end());
  median_ = *middle;
  const std::size_t left_out = (levels.size() + 3) / 4;
  const auto last = levels.end() - static_cast<std::ptrdiff_t>(left_out) - 1;
  std::nth_element(levels.begin(), last, levels.end());
  highest_ = *last;
}

void ReportClip::save(StateWriter& to) const {
  to.real(median_);
  to.u64(levels_.size());
  for (const auto& [client, level] : levels_) {
    to.u32(client);
    to.real(level);
  }
}

Status ReportClip::restore(StateReader& from) {
  median_ = from.real();
  const std::uint64_t count = from.u64();
  levels_.clear();
  for (std::uint64_t n = 0; n < count && from.ok(); ++n) {
    const std::uint32_t client = from.u32();
    levels_[client] = from.real();
    if (from.ok() && !std::isfinite(levels_[client])) return from.refuse("a level of a client");
  }
  CAUCUS_CHECK(from.status());
  if (!std::isfinite(median_)) return from.refuse("a median of levels");
  if (median_ > 0.0) close();
  return from.status();
}

}  // namespace caucus
