#include "caucus/core/statistics/rare_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace caucus {

void RareRows::clear() {
  columns_.assign(columns_.size(), {});
  candidates_ = columns_.size();
  rows_ = 0;
  rare_.clear();
}

void RareRows::add(float factor, float y, std::span<const float> z) {
  if (candidates_ == 0) return;
  ++rows_;
  if (rows_ <= kFirst || count(z)) {
    const auto part = z.first(size_ - 1);
    rare_.push_back({factor, y, {part.begin(), part.end()}});
  }
  if (rows_ == kFirst) find_common_values();
  if (candidates_ == 0) rare_.clear();
}

void RareRows::find_common_values() {
  // If fewer than kFewest rows have other values, the common one is that of most first rows.
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    std::vector<float> values;
    for (const Row& row : rare_) values.push_back(row.z[k]);
    std::nth_element(values.begin(), values.begin() + kFirst / 2, values.end());
    columns_[k].common = values[kFirst / 2];
  }
  std::erase_if(rare_, [&](const Row& row) { return !count(row.z); });
}

bool RareRows::count(std::span<const float> z) {
  bool may_be_rare = false;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& column = columns_[k];
    if (column.others == kFewest || z[k] == column.common) continue;
    if (++column.others == kFewest) {
      --candidates_;
    } else {
      may_be_rare = true;
    }
  }
  return may_be_rare;
}

void RareRows::hide(RowSums& sums) const {
  for (const Row& row : rare_) {
    std::vector<float> hidden = row.z;
    bool rare = false;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k].others == kFewest || hidden[k] == columns_[k].common) continue;
      hidden[k] = columns_[k].common;
      rare = true;
    }
    if (!rare) continue;
    std::fill(hidden.begin() + static_cast<std::ptrdiff_t>(std::min(kept_, hidden.size())),
              hidden.end(), 0.0F);
    sums.subtract(row.factor, row.y, row.z);
    sums.add(row.factor, row.y, hidden);
  }
}

void RareRows::save(StateWriter& to) const {
  to.u64(rows_);
  for (const Column& column : columns_) {
    to.real(static_cast<double>(column.common));
    to.u64(column.others);
  }
  to.u64(rare_.size());
  for (const Row& row : rare_) {
    to.real(static_cast<double>(row.factor));
    to.real(static_cast<double>(row.y));
    to.numbers(row.z);
  }
}

Status RareRows::restore(StateReader& from) {
  clear();
  rows_ = static_cast<std::size_t>(from.u64());
  for (Column& column : columns_) {
    column.common = static_cast<float>(from.real());
    column.others = static_cast<std::size_t>(from.u64());
    if (column.others > kFewest) return from.refuse("a number of rare values");
    if (column.others == kFewest) --candidates_;
  }
  const std::uint64_t rare = from.u64();
  CAUCUS_CHECK(from.status());
  const bool all_are_kept = candidates_ > 0 && rows_ < kFirst;
  if (rare > kFirst + columns_.size() * kFewest || (all_are_kept && rare != rows_)) {
    return from.refuse("a number of rare rows");
  }
  for (std::uint64_t n = 0; n < rare; ++n) {
    Row row{static_cast<float>(from.real()), static_cast<float>(from.real()),
            std::vector<float>(size_ - 1)};
    from.numbers(row.z);
    if (!std::isfinite(row.factor) || !std::isfinite(row.y) || !all_finite(row.z)) {
      return from.refuse("a row that is not finite");
    }
    rare_.push_back(std::move(row));
  }
  return from.status();
}

}  // namespace caucus
