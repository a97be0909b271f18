// Hides rows with a value that few rows of a batch have, such as the mark of a rare disease. If a
// column x_k is c in all rows but one, then the sums of (x_k - c) v are a multiple of that row v:
// sums over many rows do not hide it. So if fewer than kFewest rows have another value than c, a
// client that hides examples gives these rows the value c too, and leaves out their random
// features, which depend on x_k.
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
  };

  RareRows() = default;
  /// The first `columns` numbers of z are those of x, and the first `kept` numbers each depend on
  /// one column at most. The first `size` numbers of z are used.
  RareRows(std::size_t columns, std::size_t kept, std::size_t size)
      : columns_(columns), candidates_(columns), kept_(kept), size_(size) {}

  /// Takes the next row; `z` replaces that of `row`.
  void add(const Row& row, std::span<const float> z) {
    if (candidates_ > 0) add_candidate(row, z);
  }
  /// Calls replace(row, z) for every row with rare values, where z is without them.
  template <class Replace>
  void for_each(Replace&& replace) const {
    std::vector<float> hidden;
    for (const Row& row : rare_) {
      if (hide(row, hidden)) replace(row, std::span<const float>(hidden));
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

  void add_candidate(const Row& row, std::span<const float> z);
  /// Finds the values that most of the first rows have.
  void find_common_values();
  /// Counts a row. Returns whether it has a value that may be rare.
  bool count(std::span<const float> z);
  /// Writes z without rare values. Returns false if it has none.
  bool hide(const Row& row, std::vector<float>& hidden) const;

  std::vector<Column> columns_;
  std::size_t candidates_ = 0;  ///< columns that may have rare values
  std::size_t kept_ = 0, size_ = 0, rows_ = 0;
  std::vector<Row> rare_;  ///< the first rows; later those that may have rare values
};

}  // namespace caucus
