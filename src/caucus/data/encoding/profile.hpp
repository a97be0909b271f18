// What the values of each column of raw tables are: counted once, before the columns are encoded.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/data/files/cells.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// A value and where it was found first.
struct FoundValue {
  std::string where;  ///< "file:LINE"
  std::string text;
};

struct ColumnProfile {
  /// More distinct values than these are counted only as "others".
  static constexpr std::size_t kMostLevels = 100'000;
  static constexpr std::size_t kMostNumbers = 1'000;

  std::size_t missing = 0;          ///< empty, NA, ...
  std::size_t missing_numbers = 0;  ///< none, nil, -, ...: missing among numbers
  std::size_t numbers = 0, not_finite = 0, booleans = 0, times = 0, texts = 0;
  std::size_t month_first = 0, day_first = 0;  ///< times that can be read so
  std::size_t clocks = 0;                      ///< times with a time of day
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  double mean = 0.0, squares = 0.0;  ///< of the numbers, by Welford's method
  double earliest = std::numeric_limits<double>::infinity();
  double latest = -std::numeric_limits<double>::infinity();
  double sum_of_times = 0.0;
  std::optional<FoundValue> first_text, first_not_finite, first_not_time;
  std::map<std::string, std::size_t> levels;  ///< values and how often they occur
  std::size_t others = 0;                     ///< values that are not in `levels`

  [[nodiscard]] double deviation() const;
};

class TableProfile : public CellSink {
 public:
  /// Columns by place that hold times although they look like numbers.
  void expect_times(std::string name) { time_name_ = std::move(name); }
  /// Rows of another length are kept as problems instead of stopping.
  void keep_ragged() { keeps_ragged_ = true; }

  /// Begins a file, whose columns are found by name.
  void begin(const std::string& file) { file_ = file; }
  Status header(const CellHeader& header) override;
  Status row(std::span<const std::string_view> cells, std::size_t line) override;
  Status ragged(Error error) override;

  [[nodiscard]] const CellHeader& head() const { return head_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<ColumnProfile>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }
  [[nodiscard]] const std::string& first_file() const { return first_file_; }

 private:
  void count(ColumnProfile& column, std::string_view cell, std::size_t line, bool may_be_stamp);
  void count_time(ColumnProfile& column, std::string_view text, bool may_be_stamp);

  std::string file_, first_file_, time_name_;
  bool keeps_ragged_ = false;
  CellHeader head_;
  std::vector<ColumnProfile> columns_;
  std::vector<std::size_t> places_;  ///< of the columns in this file
  std::size_t rows_ = 0;
  bool decimal_comma_ = false;
  std::vector<Error> problems_;
};

}  // namespace caucus
