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
  of_class_.assign(of_class_.size(), 0);
  rare_.clear();
}

void RareRows::add_candidate(const Row& row, std::span<const float> z,
                             std::span<const double> outputs) {
  ++rows_;
  if (!of_class_.empty()) ++of_class_[static_cast<std::size_t>(row.y)];
  const bool may_be_rare = rows_ <= kFirst || count(z);
  if (may_be_rare || is_of_rare_class(row)) {
    rare_.push_back(row);
    rare_.back().z.assign(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(size_));
    rare_.back().outputs.assign(outputs.begin(), outputs.end());
  }
  if (rows_ == kFirst) find_common_values();
  if (candidates_ == 0)
    std::erase_if(rare_, [&](const Row& one) { return !is_of_rare_class(one); });
}

std::vector<float> RareRows::hidden_targets() const {
  std::vector<float> targets(of_class_.size(), 0.0F);
  std::size_t together = 0;
  for (const std::size_t rows : of_class_) together += rows < kFewest ? rows : 0;
  if (together < kFewest) {
    const auto commonest = std::max_element(of_class_.begin(), of_class_.end());
    if (commonest != of_class_.end()) {
      targets[static_cast<std::size_t>(commonest - of_class_.begin())] = 1.0F;
    }
    return targets;
  }
  for (std::size_t c = 0; c < targets.size(); ++c) {
    if (of_class_[c] >= kFewest) continue;
    targets[c] = static_cast<float>(of_class_[c]) / static_cast<float>(together);
  }
  return targets;
}

void RareRows::find_common_values() {
  // If fewer than kFewest rows have other values, most of the first rows have the common value.
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    std::vector<float> values;
    for (const Row& row : rare_) values.push_back(row.z[k]);
    std::nth_element(values.begin(), values.begin() + kFirst / 2, values.end());
    columns_[k].common = values[kFirst / 2];
  }
  std::erase_if(rare_, [&](const Row& row) { return !count(row.z) && !is_of_rare_class(row); });
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
  for (const std::size_t rows : of_class_) to.u64(rows);
  to.u64(rare_.size());
  for (const Row& row : rare_) {
    for (const float number : {row.factor, row.target}) to.real(static_cast<double>(number));
    for (const double number : {row.y, row.loss, row.usual}) to.real(number);
    to.numbers(row.z);
    if (outputs_ > 0) to.numbers(row.outputs);
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
  for (std::size_t& rows : of_class_) rows = static_cast<std::size_t>(from.u64());
  const std::uint64_t rare = from.u64();
  CAUCUS_CHECK(from.status());
  const bool all_are_kept = candidates_ > 0 && rows_ < kFirst;
  if (rare > kFirst + (columns_.size() + of_class_.size()) * kFewest ||
      (all_are_kept && rare != rows_)) {
    return from.refuse("a number of rare rows");
  }
  for (std::uint64_t n = 0; n < rare; ++n) {
    Row row;
    row.factor = static_cast<float>(from.real());
    row.target = static_cast<float>(from.real());
    for (double* number : {&row.y, &row.loss, &row.usual}) *number = from.real();
    row.z.resize(size_);
    from.numbers(row.z);
    row.outputs.resize(outputs_);
    if (outputs_ > 0) from.numbers(row.outputs);
    if (!all_finite(std::array{row.y, row.loss, row.usual}) || !std::isfinite(row.factor) ||
        !std::isfinite(row.target) || !all_finite(row.z) || !all_finite(row.outputs)) {
      return from.refuse("a row that is not finite");
    }
    if (!of_class_.empty() && !(row.y >= 0.0 && row.y < static_cast<double>(of_class_.size()))) {
      return from.refuse("a class of a row");
    }
    rare_.push_back(std::move(row));
  }
  return from.status();
}

}  // namespace caucus
