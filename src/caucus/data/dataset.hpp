// A table in memory: one contiguous block of floats, row by row. Each row holds its features, then
// the predictions of experts, then the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "caucus/data/columns.hpp"
#include "caucus/data/files/float_buffer.hpp"
#include "caucus/result.hpp"

namespace caucus {

class Dataset {
 public:
  [[nodiscard]] std::size_t rows() const { return file_begin_.back(); }
  [[nodiscard]] std::size_t features() const { return scaling_.feature_columns.size(); }
  [[nodiscard]] std::size_t experts() const {
    return scaling_.expert_columns.size() + added_experts_;
  }

  /// Returns the features and the experts' predictions of a row.
  [[nodiscard]] std::span<const float> x(std::size_t row) const {
    return values_.values().subspan(row * stride(), stride() - 1);
  }
  [[nodiscard]] float y(std::size_t row) const {
    return values_.values()[row * stride() + stride() - 1];
  }
  /// Returns them for forecasts that become known later.
  [[nodiscard]] std::span<float> changing_x(std::size_t row) {
    return values_.values().subspan(row * stride(), stride() - 1);
  }
  /// Adds places for the predictions of experts that are not columns.
  void add_experts(std::size_t count, float prediction);
  void set_y(std::size_t row, float y) { values_.values()[row * stride() + stride() - 1] = y; }
  void set_expert(std::size_t row, std::size_t expert, float forecast) {
    values_.values()[row * stride() + features() + expert] = forecast;
  }
  /// The number of floats from one row to the next.
  [[nodiscard]] std::size_t stride() const { return features() + experts() + 1; }

  /// The line of a row in its file.
  [[nodiscard]] std::size_t line(std::size_t row) const { return lines_[row]; }
  /// The number of rows with a value outside the given ranges, which was clipped.
  [[nodiscard]] std::size_t clipped() const { return clipped_; }
  /// The first row of each file, then rows().
  [[nodiscard]] const std::vector<std::size_t>& file_begin() const { return file_begin_; }
  /// One value per row if the options name a client column. Doubles keep large identifiers apart.
  [[nodiscard]] std::span<const double> client_values() const { return client_values_; }
  /// The names of the clients, if they are not numbers: client_values() are indices into them.
  [[nodiscard]] const std::vector<std::string>& client_names() const { return client_names_; }
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  /// How each column of the files became numbers, one per column.
  [[nodiscard]] const std::vector<Encoding>& encodings() const { return encodings_; }
  /// How many past rows of a client are among the features.
  [[nodiscard]] std::size_t lags() const { return lags_; }
  /// What a user should know: what is predicted from what, and what was left out.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// Empty if the file names no columns.
  [[nodiscard]] const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// The name of the target column; empty if the file names no columns.
  [[nodiscard]] std::string target_name() const;
  /// The names of the target's values, if they are not numbers: y() is an index into them. Empty if
  /// the target is a number.
  [[nodiscard]] const std::vector<std::string>& target_names() const { return target_names_; }
  [[nodiscard]] const std::vector<std::string>& expert_names() const { return expert_names_; }
  /// The names of the files, without folders and extensions.
  [[nodiscard]] const std::vector<std::string>& file_names() const { return file_names_; }
  /// The name of the first file, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class DatasetSink;

  std::string name_;
  FloatBuffer values_;
  std::size_t added_experts_ = 0;
  std::vector<std::uint32_t> lines_;
  std::vector<std::size_t> file_begin_{0};
  std::size_t clipped_ = 0;
  std::vector<std::string> file_names_;
  std::vector<double> client_values_;
  Scaling scaling_;
  std::vector<std::string> feature_names_, expert_names_, target_names_, client_names_;
  std::vector<Encoding> encodings_;
  std::size_t lags_ = 0;
  std::vector<std::string> notes_;
};

/// Whether a target outside the given ranges is clipped. Class labels are kept, so that an unknown
/// one is an error.
enum class TargetClipping { clipped, kept };

/// Reads one file, or one file per client; "-" is standard input. The columns must agree, by their
/// names if they have names. Without given ranges the minimum and maximum are taken over all files.
/// With them, values outside are clipped and their rows counted.
///
/// Files of plain numbers are read once. Others are read again: first to find the type of each
/// column from all of its values, then to encode them. While the range of a column is unknown, its
/// numbers are stored as distances to the column's first value, so that the scaled numbers are
/// accurate to 2^-23 of the range even for columns far from 0, such as time stamps.
Result<Dataset> read_dataset(const std::vector<std::string>& paths, const ReadOptions& options,
                             TargetClipping target = TargetClipping::clipped);

/// Makes an unscaled dataset from rows of `features` numbers followed by a target.
Result<Dataset> dataset_from_values(std::string name, std::size_t features,
                                    std::span<const float> values);

/// Class labels: files contain {0, 1} or {-1, 1}; the losses need {-1, 1}.
enum class LabelConvention { none, zero_one, minus_plus };

/// Converts the targets to -1 and 1 and returns the convention of the file. Any other value is an
/// error that names its row, and so is an expert's forecast that is neither a class nor a
/// probability.
Result<LabelConvention> apply_label_convention(Dataset& data);

}  // namespace caucus
