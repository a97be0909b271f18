// Hides rows with a value that few rows of a batch have, such as the mark of a rare disease. If a
// column x_k is c in all rows but one, then the sums of (x_k - c) v are a multiple of that row v:
// sums over many rows do not hide it. So if fewer than kFewest rows have another value than c, a
// client that hides examples gives these rows the value c too, and leaves out their random
// features, which depend on x_k.
//
// If the target is a class, few rows of one class are hidden in the same way: y_c is 0 in all other
// rows. If the classes with fewer than kFewest rows have kFewest rows together, the target of all
// of these is their mean, the shares of these classes. Otherwise they get the commonest class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class RareRows {
 public:
  /// A value that fewer rows than this have is rare.
  static constexpr std::size_t kFewest = 5;
  /// In a batch of fewer rows than this, most rows need not have one value in common.
  static constexpr std::size_t kShortestBatch = 2 * kFewest;

  /// What was added to the sums and to the loss of a model for a row.
  struct Row {
    float factor = 0.0F, target = 0.0F;
    double y = 0.0, loss = 0.0;
    double usual = 0.0;  ///< the mean loss before
    std::vector<float> z = {};
    std::vector<double> outputs = {};  ///< of the model, if the target is a class
  };

  RareRows() = default;
  /// The first `columns` numbers of z are those of x, and the first `kept` numbers each depend on
  /// one column at most. The first `size` numbers of z are used. `classes` is 0 if the target is a
  /// number.
  RareRows(std::size_t columns, std::size_t kept, std::size_t size, std::size_t classes = 0)
      : columns_(columns),
        candidates_(columns),
        kept_(kept),
        size_(size),
        of_class_(classes, 0),
        outputs_(classes) {}

  /// Takes the next row; `z` and `outputs` replace those of `row`.
  void add(const Row& row, std::span<const float> z, std::span<const double> outputs = {}) {
    if (candidates_ > 0 || !of_class_.empty()) add_candidate(row, z, outputs);
  }
  /// Calls replace(row, z, targets) for every row with rare values or of a rare class, where z is
  /// without them. There are targets, one for each class, if the class is rare.
  template <class Replace>
  void for_each(Replace&& replace) const {
    const std::vector<float> targets = hidden_targets();
    std::vector<float> hidden;
    for (const Row& row : rare_) {
      const bool has_rare_values = hide(row, hidden);
      const bool is_rare = is_of_rare_class(row);
      if (!has_rare_values && !is_rare) continue;
      replace(row, std::span<const float>(has_rare_values ? hidden : row.z),
              std::span<const float>(targets).first(is_rare ? targets.size() : 0));
    }
  }
  void clear();

  /// restore() needs an object with the same arguments; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  struct Column {
    float common = 0.0F;
    std::size_t others = 0;  ///< rows with other values; kFewest if they are not rare
  };
  static constexpr std::size_t kFirst = kShortestBatch - 1;

  void add_candidate(const Row& row, std::span<const float> z, std::span<const double> outputs);
  /// Finds the values that most of the first rows have.
  void find_common_values();
  /// Counts a row. Returns whether it has a value that may be rare.
  bool count(std::span<const float> z);
  /// Writes z without rare values. Returns false if it has none.
  bool hide(const Row& row, std::vector<float>& hidden) const;
  [[nodiscard]] bool is_of_rare_class(const Row& row) const {
    return !of_class_.empty() && of_class_[static_cast<std::size_t>(row.y)] < kFewest;
  }
  /// Returns the target of all rows of rare classes.
  [[nodiscard]] std::vector<float> hidden_targets() const;

  std::vector<Column> columns_;
  std::size_t candidates_ = 0;  ///< columns that may have rare values
  std::size_t kept_ = 0, size_ = 0, rows_ = 0;
  std::vector<std::size_t> of_class_;  ///< the rows of each class
  std::size_t outputs_ = 0;            ///< of a model, if the target is a class
  std::vector<Row> rare_;              ///< the first rows; later those that may have rare values
};

}  // namespace caucus
