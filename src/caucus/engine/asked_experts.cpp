#include "caucus/engine/asked_experts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "caucus/core/base/text.hpp"

namespace caucus {

Status AskedExperts::ask(std::span<const std::uint32_t> spaces, std::uint64_t example,
                         std::span<float> x) const {
  std::vector<std::uint32_t> asked, experts;
  for (const std::uint32_t i : spaces) {
    const Space& space = spaces_[i];
    if (space.kind != SpaceKind::expert || space.function) continue;
    if (!std::isnan(x[features_ + space.expert])) continue;
    asked.push_back(i);
    experts.push_back(space.expert);
  }
  if (experts.empty()) return Done{};
  std::vector<float> forecasts(experts.size(), kNotAsked);
  CAUCUS_CHECK(ask_({x.first(features_), example, experts}, forecasts));
  const bool classes = loss_.is_classification();
  for (std::size_t k = 0; k < experts.size(); ++k) {
    const float forecast = forecasts[k];
    const bool is_class = forecast == -1.0F || (forecast >= 0.0F && forecast <= 1.0F);
    if (std::isfinite(forecast) && (is_class || !classes)) continue;
    return data_error("expert '" + spaces_[asked[k]].name() + "'",
                      "its forecast is " + to_text(static_cast<double>(forecast)),
                      classes ? "expected a class, or the probability of class 1, from 0 to 1"
                              : "expected a finite number");
  }
  for (std::size_t k = 0; k < experts.size(); ++k) x[features_ + experts[k]] = forecasts[k];
  return Done{};
}

std::size_t AskedExperts::experts() const {
  std::size_t count = 0;
  for (const Space& space : spaces_) {
    if (space.kind != SpaceKind::expert || space.function) continue;
    count = std::max<std::size_t>(count, space.expert + 1);
  }
  return count;
}

std::vector<std::uint32_t> spaces_of(const Assignment& assignment) {
  std::vector<std::uint32_t> spaces;
  for (const HeldModel& model : assignment.held) spaces.push_back(model.space);
  return spaces;
}

AskedRows::AskedRows(Dataset& data, AskedExperts experts)
    : data_(&data), experts_(std::move(experts)), all_(experts_.spaces()) {
  std::iota(all_.begin(), all_.end(), 0U);
  data.add_experts(experts_.experts(), kNotAsked);
}

void AskedRows::ask(std::span<const std::uint32_t> spaces, std::size_t row) {
  const std::lock_guard lock(mutex_);
  const std::span<float> x = data_->changing_x(row);
  if (!error_) {
    if (Status status = experts_.ask(spaces, row, x); !status.ok()) {
      error_ = std::move(status.error());
    }
  }
  if (error_)
    std::replace_if(
        x.begin(), x.end(), [](float v) { return std::isnan(v); }, 0.0F);
}

void AskedRows::ask_all(std::size_t row) { ask(all_, row); }

Status AskedRows::status() const {
  const std::lock_guard lock(mutex_);
  return error_ ? Status(*error_) : Status(Done{});
}

}  // namespace caucus
