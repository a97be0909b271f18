#include "caucus/data/dataset.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "caucus/data/columns.hpp"
#include "caucus/data/dataset_sink.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/encoding/input_tables.hpp"
#include "caucus/data/encoding/raw_table.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

/// Whether the file may be a table of numbers that are used as they are.
bool may_be_plain(const ReadOptions& options) {
  return options.drop.empty() && options.categories.empty() && options.numbers.empty() &&
         options.missing.empty() && options.time.empty() && options.lags == 0 &&
         std::all_of(options.encodings.begin(), options.encodings.end(), [](const Encoding& one) {
           return one.kind == Encoding::Kind::number && !one.indicator &&
                  one.role != Encoding::Role::ignored;
         });
}

Result<Dataset> read_numbers(InputTables& tables, const std::vector<std::string>& paths,
                             const ReadOptions& options, TargetClipping target) {
  DatasetSink sink(options, target);
  for (const std::string& path : paths) {
    CAUCUS_TRY(const InputTable table, tables.open(path));
    sink.begin_file(table.name);
    CAUCUS_CHECK(read_table(*table.source, table.format, sink));
    sink.end_file();
  }
  return sink.finish();
}

Result<Dataset> read_raw(InputTables& tables, const std::vector<std::string>& paths,
                         const ReadOptions& options, TargetClipping target) {
  std::vector<std::string> notes;
  std::vector<Encoding> encodings = options.encodings;
  if (encodings.empty() && states_encodings(options)) {
    CAUCUS_TRY(encodings, stated_encodings(options));
  } else if (encodings.empty()) {
    CAUCUS_TRY(encodings, found_encodings(tables, paths, options, notes));
  }
  auto scaling = encoded_scaling(encodings, options.lags, options.ranges);
  if (!scaling.ok() && !options.ranges) {
    return data_error(paths.front(), "has no column left for a feature",
                      "expected at least one feature beside the target");
  }
  CAUCUS_CHECK(scaling);
  TableHeader raw{{}, encodings.size()};
  for (const Encoding& one : encodings) {
    if (!one.name.empty()) raw.names.push_back(one.name);
  }
  if (raw.names.size() < raw.columns) raw.names.clear();
  Encoder encoder(encodings, {options.lags, options.impute, false});
  DatasetSink sink(options, target, std::move(encodings), std::move(*scaling), std::move(raw));
  std::size_t rows = 0;
  for (const std::string& path : paths) {
    CAUCUS_TRY(const InputTable table, tables.open(path));
    sink.begin_file(table.name);
    CAUCUS_TRY(const std::size_t more, encode_table(table, encoder, options.time, sink));
    rows += more;
    sink.end_file();
  }
  const auto left_out = [&](std::size_t count, const char* why) {
    if (count == 0) return;
    notes.push_back("leaves out " + std::to_string(count) + " of " + counted(rows, "row") + why);
  };
  left_out(encoder.without_target(), ", which have no target");
  left_out(encoder.without_feature(), ", in which a value is missing");
  if (encoder.without_target() + encoder.without_feature() == rows) {
    return data_error(paths.front(), "has no row left of " + counted(rows, "row"),
                      "expected rows with a target and values");
  }
  return sink.finish(std::move(notes));
}

}  // namespace

std::string Dataset::target_name() const {
  for (const Encoding& encoding : encodings_) {
    if (encoding.role == Encoding::Role::target) return encoding.name;
  }
  return {};
}

Result<Dataset> read_dataset(const std::vector<std::string>& paths, const ReadOptions& options,
                             TargetClipping target) {
  CAUCUS_CHECK(options.validate());
  if (paths.empty()) return usage_error("data", "no file", "expected at least one");
  try {
    InputTables tables;
    if (may_be_plain(options)) {
      auto plain = read_numbers(tables, paths, options, target);
      // Whatever prevents it, the other reader knows better what is wrong, or can read it.
      if (plain.ok() || plain.error().kind != ErrorKind::data) return plain;
    }
    return read_raw(tables, paths, options, target);
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
