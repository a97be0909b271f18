#include "caucus/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <new>

#include "caucus/data/columns.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"
#include "caucus/data/table.hpp"

namespace caucus {
namespace {

bool fits_float(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

/// Counts without an early exit, so that the compiler vectorises the loop.
bool all_fit(std::span<const float> values) {
  std::uint32_t misfits = 0;
  for (const float value : values) misfits += fits_float(value) ? 0u : 1u;
  return misfits == 0;
}

/// The source and the scaling of one number in a stored row.
struct Slot {
  std::size_t column;     // in the file
  std::size_t like;       // the column whose range applies: its own or the target
  const Interval* range;  // null if not scaled
  double offset = 0.0;    // subtracted while the range is unknown
};

}  // namespace

class DatasetSink : public RowSink {
 public:
  explicit DatasetSink(const ReadOptions& options, TargetClipping target = TargetClipping::clipped)
      : options_(options), target_(target) {}

  Status read(const std::string& path) {
    path_ = path;
    CAUCUS_CHECK(read_table(path, *this));
    end_file();
    return Done{};
  }

  /// Stores rows of `columns` numbers, as if they were those of a file called `name`.
  Status read(std::string name, std::size_t columns, std::span<const float> values) {
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

  Status header(const TableHeader& header) override {
    if (!slots_.empty()) return same_columns(header, path_, header_, data_.name_);
    header_ = header;
    data_.name_ = path_;
    CAUCUS_TRY(data_.scaling_, assign_columns(options_, header, path_));
    Scaling& scaling = data_.scaling_;
    scaling.feature_range = options_.feature_range;
    scaling.label_range = options_.label_range;
    if (options_.ranges) {
      const TableHeader given{options_.ranges->names, options_.ranges->columns()};
      CAUCUS_CHECK(same_columns(header, path_, given, "the ranges to scale by"));
      scaling.minimum = options_.ranges->minimum;
      scaling.maximum = options_.ranges->maximum;
    } else {
      scaling.minimum.assign(header.columns, std::numeric_limits<double>::infinity());
      scaling.maximum.assign(header.columns, -std::numeric_limits<double>::infinity());
    }
    for (const std::size_t column : scaling.feature_columns) {
      if (!header.names.empty()) data_.feature_names_.push_back(header.names[column]);
    }
    for (const std::size_t column : scaling.expert_columns) {
      if (!header.names.empty()) data_.expert_names_.push_back(header.names[column]);
    }
    if (!header.names.empty()) data_.target_name_ = header.names[scaling.target_column];
    make_slots();
    return Done{};
  }

  Status row(std::span<const double> values, std::size_t line) override {
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

  /// Called after the last file, when the ranges are known: scales the stored distances.
  Result<Dataset> finish() {
    data_.values_.shrink();
    if (options_.ranges) return std::move(data_);
    for (const Slot& slot : slots_) {
      if (slot.range != nullptr) CAUCUS_CHECK(check_width(slot));
    }
    if (options_.feature_range || options_.label_range) CAUCUS_CHECK(scale_in_place());
    return std::move(data_);
  }

 private:
  void make_slots() {
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

  void observe(std::span<const double> values) {
    include_row(values, data_.scaling_.minimum, data_.scaling_.maximum);
    if (rows_ > 0) return;
    for (Slot& slot : slots_) slot.offset = slot.range != nullptr ? values[slot.like] : 0.0;
  }

  void store(std::span<const double> values, float* out) const {
    for (const Slot& slot : slots_) *out++ = static_cast<float>(values[slot.column] - slot.offset);
  }

  void store_clipped(std::span<const double> values, float* out) {
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
      *out++ =
          static_cast<float>(slot.range == nullptr ? value
                                                   : scale_to(*slot.range, to.minimum[slot.like],
                                                              to.maximum[slot.like], value));
    }
    if (outside) ++data_.clipped_;
  }

  // This is scale_to() with its parameters in arrays, so that the compiler vectorises it.
  Status scale_in_place() {
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

  void end_file() {
    data_.file_begin_.push_back(rows_);
    const std::string name = std::filesystem::path(path_).filename().string();
    data_.file_names_.push_back(name.substr(0, name.find('.')));
  }

  [[nodiscard]] Error misfit_after_scaling() const {
    const std::size_t width = slots_.size();
    const auto values = data_.values_.values();
    const auto large = std::find_if_not(values.begin(), values.end(), fits_float);
    const auto at = static_cast<std::size_t>(large - values.begin());
    return data_error(
        column_where(data_.name_, slots_[at % width].column + 1),
        "does not fit a float after scaling (row " + std::to_string(at / width + 1) + ")",
        "expected values nearer to the target's");
  }

  [[nodiscard]] Error misfit(std::span<const double> values, const float* stored,
                             std::size_t line) const {
    std::size_t column = 0;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      if (!fits_float(stored[k])) column = slots_[k].column;
    }
    return data_error(column_where(path_ + ":" + std::to_string(line), column + 1),
                      in_quotes(to_text(values[column])) + " does not fit a float",
                      "expected magnitudes below 3.4e38");
  }

  // Distances below the smallest normal float have lost digits.
  [[nodiscard]] Status check_width(const Slot& slot) const {
    const double width = data_.scaling_.maximum[slot.like] - data_.scaling_.minimum[slot.like];
    if (width == 0.0 || width >= static_cast<double>(std::numeric_limits<float>::min())) {
      return Done{};
    }
    return data_error(column_where(data_.name_, slot.like + 1),
                      "has values within " + to_text(width) + " of each other",
                      "expected a range above 1.2e-38, or given ranges to scale by");
  }

  const ReadOptions& options_;
  TargetClipping target_;
  std::string path_;
  TableHeader header_;
  std::vector<Slot> slots_;
  std::size_t rows_ = 0;
  Dataset data_;
};

Result<Dataset> read_dataset(const std::vector<std::string>& paths, const ReadOptions& options,
                             TargetClipping target) {
  CAUCUS_CHECK(options.validate());
  if (paths.empty()) return usage_error("data", "no file", "expected at least one");
  try {
    DatasetSink sink(options, target);
    for (const std::string& path : paths) CAUCUS_CHECK(sink.read(path));
    return sink.finish();
  } catch (const std::bad_alloc&) {
    return data_error(paths.front(), "does not fit in memory",
                      "expected a smaller file or a larger machine");
  }
}

Result<Dataset> dataset_from_values(std::string name, std::size_t features,
                                    std::span<const float> values) {
  const std::size_t columns = features + 1;
  if (features == 0 || values.empty() || values.size() % columns != 0) {
    return usage_error(std::move(name), "has " + std::to_string(values.size()) + " numbers",
                       "expected rows of " + std::to_string(columns));
  }
  const ReadOptions options;
  DatasetSink sink(options);
  CAUCUS_CHECK(sink.read(std::move(name), columns, values));
  return sink.finish();
}

void Dataset::add_experts(std::size_t count, float prediction) {
  const std::size_t before = stride();
  const std::size_t after = before + count;
  values_.append(rows() * count);
  const std::span<float> values = values_.values();
  for (std::size_t row = rows(); row-- > 0;) {  // from the last one on, since rows move up
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(row * before);
    const auto to = values.begin() + static_cast<std::ptrdiff_t>(row * after);
    const auto x = static_cast<std::ptrdiff_t>(before - 1);
    const float y = from[x];
    std::copy_backward(from, from + x, to + x);
    std::fill_n(to + x, count, prediction);
    to[x + static_cast<std::ptrdiff_t>(count)] = y;
  }
  added_experts_ += count;
}

namespace {

Status check_probabilities(const Dataset& data) {
  for (std::size_t row = 0; data.experts() > 0 && row < data.rows(); ++row) {
    const auto forecasts = data.x(row).subspan(data.features());
    const auto wrong = std::find_if_not(forecasts.begin(), forecasts.end(), [](float p) {
      return p == -1.0F || (p >= 0.0F && p <= 1.0F);
    });
    if (wrong == forecasts.end()) continue;
    const auto expert = static_cast<std::size_t>(wrong - forecasts.begin());
    const std::size_t column = data.scaling().expert_columns[expert] + 1;
    return data_error(column_where(data.name(), column) + ", data row " + std::to_string(row + 1),
                      "the forecast is " + to_text(static_cast<double>(*wrong)),
                      "expected a class, or the probability of class 1, from 0 to 1");
  }
  return Done{};
}

}  // namespace

Result<LabelConvention> apply_label_convention(Dataset& data) {
  CAUCUS_CHECK(check_probabilities(data));
  bool zero = false;
  bool minus = false;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const float y = data.y(row);
    zero = zero || y == 0.0F;
    minus = minus || y == -1.0F;
    if ((y != 0.0F && y != 1.0F && y != -1.0F) || (zero && minus)) {
      return data_error(data.name() + ": data row " + std::to_string(row + 1),
                        "the label is " + to_text(static_cast<double>(y)),
                        "logistic and hinge need labels {0, 1} or {-1, 1}, the same throughout");
    }
  }
  for (std::size_t row = 0; zero && row < data.rows(); ++row) {
    if (data.y(row) == 0.0F) data.set_y(row, -1.0F);
  }
  return zero ? LabelConvention::zero_one : LabelConvention::minus_plus;
}

}  // namespace caucus
