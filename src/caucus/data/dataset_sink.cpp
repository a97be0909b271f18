#include "caucus/data/dataset_sink.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/column_uses.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

bool fits_float(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

/// Counts without an early exit, so that the compiler vectorises the loop.
bool all_fit(std::span<const float> values) {
  std::uint32_t misfits = 0;
  for (const float value : values) misfits += fits_float(value) ? 0u : 1u;
  return misfits == 0;
}

}  // namespace

DatasetSink::DatasetSink(const ReadOptions& options, TargetClipping target)
    : options_(options), target_(target) {}

DatasetSink::DatasetSink(const ReadOptions& options, TargetClipping target,
                         std::vector<Encoding> encodings, Scaling scaling, TableHeader raw)
    : options_(options), target_(target), encoded_(true), raw_(std::move(raw)) {
  data_.encodings_ = std::move(encodings);
  data_.scaling_ = std::move(scaling);
  data_.lags_ = options_.lags;
  for (const Encoding& encoding : data_.encodings_) {
    if (encoding.kind != Encoding::Kind::category) continue;
    if (encoding.role == Encoding::Role::target) data_.target_names_ = encoding.levels;
    if (encoding.role == Encoding::Role::client) data_.client_names_ = encoding.levels;
  }
  if (!data_.target_names_.empty()) options_.label_range.reset();
  for (const EncodedColumn& column : encoded_columns(data_.encodings_, options_.lags)) {
    sources_.push_back(column.source);
    known_.push_back(column.range);
  }
}

void DatasetSink::end_file() {
  data_.file_begin_.push_back(rows_);
  const std::string name = std::filesystem::path(path_).filename().string();
  data_.file_names_.push_back(name.substr(0, name.find('.')));
}

Status DatasetSink::read(std::string name, std::size_t columns, std::span<const float> values) {
  path_ = std::move(name);
  CAUCUS_CHECK(header({{}, columns}));
  std::vector<double> one(columns);
  for (; !values.empty(); values = values.subspan(columns)) {
    std::copy_n(values.begin(), columns, one.begin());
    CAUCUS_CHECK(row(one, rows_ + 1));
  }
  end_file();
  return Done{};
}

Status DatasetSink::header(const TableHeader& header) {
  if (!slots_.empty()) {
    return encoded_ ? Status(Done{}) : same_columns(header, path_, header_, data_.name_);
  }
  header_ = header;
  data_.name_ = path_;
  if (!encoded_) {
    CAUCUS_TRY(data_.scaling_, assign_columns(options_, header, path_));
    data_.encodings_ = plain_encodings(data_.scaling_, header);
    if (!options_.encodings.empty()) data_.encodings_ = options_.encodings;
    if (options_.encodings.empty() && states_encodings(options_)) {
      CAUCUS_TRY(data_.encodings_, stated_encodings(options_));
    }
    raw_ = header;
    for (std::size_t c = 0; c < header.columns; ++c) sources_.push_back(c);
    known_.resize(header.columns);
  }
  Scaling& scaling = data_.scaling_;
  scaling.feature_range = options_.feature_range;
  scaling.label_range = options_.label_range;
  if (options_.ranges && !encoded_) {
    const TableHeader given{options_.ranges->names, options_.ranges->columns()};
    CAUCUS_CHECK(same_columns(header, path_, given, "the ranges to scale by"));
    scaling.minimum = options_.ranges->minimum;
    scaling.maximum = options_.ranges->maximum;
  } else if (!options_.ranges) {
    scaling.minimum.assign(header.columns, std::numeric_limits<double>::infinity());
    scaling.maximum.assign(header.columns, -std::numeric_limits<double>::infinity());
    sums_.assign(header.columns, 0.0);
  }
  for (const std::size_t column : scaling.feature_columns) {
    if (!header.names.empty()) data_.feature_names_.push_back(header.names[column]);
  }
  for (const std::size_t column : scaling.expert_columns) {
    if (!header.names.empty()) data_.expert_names_.push_back(header.names[column]);
  }
  make_slots();
  return Done{};
}

Status DatasetSink::row(std::span<const double> values, std::size_t line) {
  float* out = data_.values_.append(slots_.size());
  if (out == nullptr) {
    return data_error(path_, "does not fit in memory (after " + std::to_string(rows_) + " rows)",
                      "expected a smaller file or a larger machine");
  }
  if (options_.ranges) {
    store_clipped(values, out);
  } else {
    observe(values);
    store(values, out);
  }
  if (!all_fit({out, slots_.size()})) return misfit(values, out, line);
  const auto client = data_.scaling_.client_column;
  if (client) data_.client_values_.push_back(values[*client]);
  data_.lines_.push_back(static_cast<std::uint32_t>(line));
  ++rows_;
  return Done{};
}

Result<Dataset> DatasetSink::finish(std::vector<std::string> notes) {
  data_.values_.shrink();
  data_.notes_ = std::move(notes);
  if (!options_.ranges) {
    for (std::size_t c = 0; c < known_.size(); ++c) {
      if (known_[c]) {
        data_.scaling_.minimum[c] = known_[c]->first;
        data_.scaling_.maximum[c] = known_[c]->second;
      } else if (!encoded_) {  // in place of values that later rows lack
        data_.encodings_[c].fill = sums_[c] / static_cast<double>(rows_);
      }
    }
    for (const Slot& slot : slots_) {
      if (slot.range != nullptr) CAUCUS_CHECK(check_width(slot));
    }
    if (options_.feature_range || options_.label_range) CAUCUS_CHECK(scale_in_place());
  }
  describe();
  return std::move(data_);
}

void DatasetSink::make_slots() {
  const Scaling& scaling = data_.scaling_;
  const Interval* features = options_.feature_range ? &*options_.feature_range : nullptr;
  const Interval* labels = options_.label_range ? &*options_.label_range : nullptr;
  for (const std::size_t column : scaling.feature_columns) {
    slots_.push_back({column, column, features});
  }
  for (const std::size_t column : scaling.expert_columns) {
    slots_.push_back({column, scaling.target_column, labels});
  }
  slots_.push_back({scaling.target_column, scaling.target_column, labels});
}

void DatasetSink::observe(std::span<const double> values) {
  include_row(values, data_.scaling_.minimum, data_.scaling_.maximum);
  for (std::size_t k = 0; k < values.size(); ++k) sums_[k] += values[k];
  if (rows_ > 0) return;
  for (Slot& slot : slots_) slot.offset = slot.range != nullptr ? values[slot.like] : 0.0;
}

void DatasetSink::store(std::span<const double> values, float* out) const {
  for (const Slot& slot : slots_) *out++ = static_cast<float>(values[slot.column] - slot.offset);
}

void DatasetSink::store_clipped(std::span<const double> values, float* out) {
  const Scaling& to = data_.scaling_;
  bool outside = false;
  for (const Slot& slot : slots_) {
    double value = values[slot.column];
    const bool kept = slot.column == to.target_column && target_ == TargetClipping::kept;
    const double inside = std::clamp(value, to.minimum[slot.column], to.maximum[slot.column]);
    if (!kept && inside != value) {
      outside = true;
      value = inside;
    }
    *out++ = static_cast<float>(slot.range == nullptr ? value
                                                      : scale_to(*slot.range, to.minimum[slot.like],
                                                                 to.maximum[slot.like], value));
  }
  if (outside) ++data_.clipped_;
}

// This is scale_to() with its parameters in arrays, so that the compiler vectorises it.
Status DatasetSink::scale_in_place() {
  const std::size_t width = slots_.size();
  std::vector<double> low(width, 0.0), span(width, 1.0), to(width, 0.0), by(width, 1.0);
  for (std::size_t k = 0; k < width; ++k) {
    const Slot& slot = slots_[k];
    if (slot.range == nullptr) continue;
    low[k] = data_.scaling_.minimum[slot.like] - slot.offset;
    span[k] = data_.scaling_.maximum[slot.like] - slot.offset - low[k];
    to[k] = slot.range->first;
    by[k] = slot.range->second - slot.range->first;
    if (span[k] != 0.0) continue;
    span[k] = 1.0;  // constant: becomes 0
    to[k] = by[k] = 0.0;
  }
  float* out = data_.values_.values().data();
  bool fit = true;
  for (std::size_t row = 0; row < rows_; ++row, out += width) {
    for (std::size_t k = 0; k < width; ++k) {
      const double fraction = (static_cast<double>(out[k]) - low[k]) / span[k];
      out[k] = static_cast<float>(to[k] + by[k] * fraction);
    }
    fit &= all_fit({out, width});
  }
  return fit ? Status(Done{}) : misfit_after_scaling();
}

Error DatasetSink::misfit_after_scaling() const {
  const std::size_t width = slots_.size();
  const auto values = data_.values_.values();
  const auto large = std::find_if_not(values.begin(), values.end(), fits_float);
  const auto at = static_cast<std::size_t>(large - values.begin());
  return data_error(
      where(data_.name_, slots_[at % width].column),
      "does not fit a float after scaling (row " + std::to_string(at / width + 1) + ")",
      "expected values nearer to the target's");
}

Error DatasetSink::misfit(std::span<const double> values, const float* stored,
                          std::size_t line) const {
  std::size_t column = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    if (!fits_float(stored[k])) column = slots_[k].column;
  }
  double value = values[column];
  if (fits_float(static_cast<float>(value))) {  // but the first value, from which it is stored
    for (const Slot& slot : slots_) {
      if (slot.column == column && slot.offset != 0.0) value = slot.offset;
    }
  }
  return data_error(where(path_ + ":" + std::to_string(line), column),
                    in_quotes(to_text(value)) + " does not fit a float",
                    "expected magnitudes below 3.4e38");
}

// Distances below the smallest normal float have lost digits.
Status DatasetSink::check_width(const Slot& slot) const {
  const double width = data_.scaling_.maximum[slot.like] - data_.scaling_.minimum[slot.like];
  if (width == 0.0 || width >= static_cast<double>(std::numeric_limits<float>::min())) {
    return Done{};
  }
  return data_error(where(data_.name_, slot.like),
                    "has values within " + to_text(width) + " of each other",
                    "expected a range above 1.2e-38, or given ranges to scale by");
}

std::string DatasetSink::where(const std::string& place, std::size_t column) const {
  return place + ": " + column_words(raw_, sources_[column]);
}

/// Adds a note on what is predicted from what, before all others.
void DatasetSink::describe() {
  const Scaling& scaling = data_.scaling_;
  std::string target = "number, " + to_text(scaling.minimum[scaling.target_column]) + " to " +
                       to_text(scaling.maximum[scaling.target_column]);
  if (const auto& names = data_.target_names_; !names.empty()) {
    target = counted(names.size(), "name");
  }
  data_.notes_.insert(data_.notes_.begin(),
                      prediction_words(data_.encodings_, raw_, target, data_.features()));
  if (!encoded_ && !options_.ranges && options_.target == "last") doubt_target();
}

/// Says so if the last column, which is the target because no other is named, is hardly meant.
void DatasetSink::doubt_target() {
  const std::size_t target = data_.scaling_.target_column;
  const std::string words = column_words(raw_, target);
  if (data_.scaling_.minimum[target] == data_.scaling_.maximum[target]) {
    if (rows_ > 1) data_.notes_.push_back(constant_target_words(words));
    return;
  }
  std::size_t dummies = 0;
  while (dummies < slots_.size() && is_dummy(slots_.size() - 1 - dummies)) ++dummies;
  if (dummies > 1) data_.notes_.push_back(dummy_target_words(words, dummies - 1));
}

/// Whether a column has no other values than 0 and 1.
bool DatasetSink::is_dummy(std::size_t slot) const {
  const std::size_t column = slots_[slot].column;
  if (data_.scaling_.minimum[column] != 0.0 || data_.scaling_.maximum[column] != 1.0) return false;
  const Interval* range = slots_[slot].range;
  const auto low = static_cast<float>(range != nullptr ? range->first : 0.0);
  const auto high = static_cast<float>(range != nullptr ? range->second : 1.0);
  const auto values = data_.values_.values();
  for (std::size_t k = slot; k < values.size(); k += slots_.size()) {
    if (values[k] != low && values[k] != high) return false;
  }
  return true;
}

}  // namespace caucus
