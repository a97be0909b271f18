#include "caucus/core/statistics/rare_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace caucus {

void RareRows::clear() {
  columns_.assign(columns_.size(), {});
  candidates_ = columns_.size();
  rows_ = 0;
  rare_.clear();
}

void RareRows::add_candidate(const Row& row, std::span<const float> z) {
  ++rows_;
  if (rows_ <= kFirst || count(z)) {
    rare_.push_back(row);
    rare_.back().z.assign(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(size_));
  }
  if (rows_ == kFirst) find_common_values();
  if (candidates_ == 0) rare_.clear();
}

void RareRows::find_common_values() {
  // If fewer than kFewest rows have other values, most of the first rows have the common value.
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

bool RareRows::hide(const Row& row, std::vector<float>& hidden) const {
  hidden = row.z;
  bool rare = false;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (columns_[k].others == kFewest || hidden[k] == columns_[k].common) continue;
    hidden[k] = columns_[k].common;
    rare = true;
  }
  std::fill(hidden.begin() + static_cast<std::ptrdiff_t>(std::min(kept_, size_)), hidden.end(),
            0.0F);
  return rare;
}

void RareRows::save(StateWriter& to) const {
  to.u64(rows_);
  for (const Column& column : columns_) {
    to.real(static_cast<double>(column.common));
    to.u64(column.others);
  }
  to.u64(rare_.size());
  for (const Row& row : rare_) {
    for (const float number : {row.factor, row.target}) to.real(static_cast<double>(number));
    for (const double number : {row.y, row.loss, row.usual}) to.real(number);
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
    Row row;
    row.factor = static_cast<float>(from.real());
    row.target = static_cast<float>(from.real());
    for (double* number : {&row.y, &row.loss, &row.usual}) *number = from.real();
    row.z.resize(size_);
    from.numbers(row.z);
    if (!all_finite(std::array{row.y, row.loss, row.usual}) || !std::isfinite(row.factor) ||
        !std::isfinite(row.target) || !all_finite(row.z)) {
      return from.refuse("a row that is not finite");
    }
    rare_.push_back(std::move(row));
  }
  return from.status();
}

}  // namespace caucus
