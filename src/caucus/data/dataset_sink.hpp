// Stores rows of numbers as a dataset and scales them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

class DatasetSink : public RowSink {
 public:
  /// Rows of plain numbers, whose columns are found as the options say.
  explicit DatasetSink(const ReadOptions& options, TargetClipping target = TargetClipping::clipped);
  /// Rows that these encodings have made of a table with the columns of `raw`.
  DatasetSink(const ReadOptions& options, TargetClipping target, std::vector<Encoding> encodings,
              Scaling scaling, TableHeader raw);

  /// Begins a file. Its rows follow, by header() and row().
  void begin_file(const std::string& path) { path_ = path; }
  void end_file();
  /// Stores rows of `columns` numbers, as if they were those of a file called `name`.
  Status read(std::string name, std::size_t columns, std::span<const float> values);

  Status header(const TableHeader& header) override;
  Status row(std::span<const double> values, std::size_t line) override;

  /// Called after the last file, when the ranges are known: scales the stored distances.
  Result<Dataset> finish(std::vector<std::string> notes = {});

 private:
  /// The source and the scaling of one number in a stored row.
  struct Slot {
    std::size_t column;     // in the row
    std::size_t like;       // the column whose range applies: its own or the target
    const Interval* range;  // null if not scaled
    double offset = 0.0;    // subtracted while the range is unknown
  };

  void make_slots();
  void observe(std::span<const double> values);
  void store(std::span<const double> values, float* out) const;
  void store_clipped(std::span<const double> values, float* out);
  Status scale_in_place();
  void describe();
  void doubt_target();
  [[nodiscard]] bool is_dummy(std::size_t slot) const;
  [[nodiscard]] std::string where(const std::string& place, std::size_t column) const;
  [[nodiscard]] Error misfit_after_scaling() const;
  [[nodiscard]] Error misfit(std::span<const double> values, const float* stored,
                             std::size_t line) const;
  [[nodiscard]] Status check_width(const Slot& slot) const;

  ReadOptions options_;
  TargetClipping target_;
  bool encoded_ = false;
  TableHeader raw_;                             // of the table
  std::vector<std::size_t> sources_;            // of each column in the table
  std::vector<std::optional<Interval>> known_;  // ranges that do not follow from the rows
  std::string path_;
  TableHeader header_;
  std::vector<Slot> slots_;
  std::vector<double> sums_;  // of the columns, if their ranges follow from the rows
  std::size_t rows_ = 0;
  Dataset data_;
};

}  // namespace caucus
