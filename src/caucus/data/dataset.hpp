// A table in memory as the algorithms see it: one contiguous block of floats, row by row,
// [features | predictions of frozen experts | target].
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/data/files/float_buffer.hpp"
#include "caucus/data/read_options.hpp"
#include "caucus/data/scaling.hpp"

namespace caucus {

class Dataset {
 public:
  [[nodiscard]] std::size_t rows() const { return file_begin_.back(); }
  [[nodiscard]] std::size_t features() const { return scaling_.feature_columns.size(); }
  [[nodiscard]] std::size_t experts() const { return scaling_.expert_columns.size(); }

  /// The features, then the experts' predictions.
  [[nodiscard]] std::span<const float> x(std::size_t row) const {
    return values_.values().subspan(row * stride(), stride() - 1);
  }
  [[nodiscard]] float y(std::size_t row) const {
    return values_.values()[row * stride() + stride() - 1];
  }
  void set_y(std::size_t row, float y) { values_.values()[row * stride() + stride() - 1] = y; }
  /// Floats from one row to the next.
  [[nodiscard]] std::size_t stride() const { return features() + experts() + 1; }

  /// The first row of each file, then rows().
  [[nodiscard]] const std::vector<std::size_t>& file_begin() const { return file_begin_; }
  /// One per row if a client column was asked for; doubles, since floats confuse large numbers.
  [[nodiscard]] std::span<const double> client_values() const { return client_values_; }
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  /// Empty if the file names no columns.
  [[nodiscard]] const std::vector<std::string>& feature_names() const { return feature_names_; }
  [[nodiscard]] const std::vector<std::string>& expert_names() const { return expert_names_; }
  /// The (first) file, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class DatasetSink;
  friend Result<Dataset> dataset_from_values(std::string, std::size_t, std::span<const float>);

  std::string name_;
  FloatBuffer values_;
  std::vector<std::size_t> file_begin_{0};
  std::vector<double> client_values_;
  Scaling scaling_;
  std::vector<std::string> feature_names_;
  std::vector<std::string> expert_names_;
};

/// Reads one file, or one file per client: the columns must agree, and without given ranges the
/// minimum and maximum are those over all files.
///
/// One pass. Where a column's range becomes known only at the end, the distance to the column's
/// first value is kept meanwhile, so that the scaled number is right to 2^-23 of the range even for
/// columns far from 0 (time stamps).
Result<Dataset> read_dataset(const std::vector<std::string>& paths, const ReadOptions& options);

/// Rows of `features` numbers and a target each, from memory, unscaled.
Result<Dataset> dataset_from_values(std::string name, std::size_t features,
                                    std::span<const float> values);

}  // namespace caucus
