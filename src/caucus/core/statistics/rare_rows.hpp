// Rows with a value that few rows of a batch have, such as the mark of a rare disease. If a column
// x_k is c in all rows but one, then the sums of (x_k - c) v are a multiple of that row v: sums
// over many rows do not hide it. So where a column has one value in all but fewer than kFewest
// rows, a client that hides examples gives the other rows this value too, and leaves out their
// random features, which depend on x_k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/result.hpp"

namespace caucus {

class RareRows {
 public:
  /// Values of fewer rows than this are rare.
  static constexpr std::size_t kFewest = 5;
  /// In a batch of fewer rows than this no value need be that of most rows.
  static constexpr std::size_t kShortestBatch = 2 * kFewest;

  RareRows() = default;
  /// The first `columns` numbers of z are those of x, and `kept` numbers of z do not depend on
  /// rare values or are known to everybody. `size` counts the numbers of a row, y included.
  RareRows(std::size_t columns, std::size_t kept, std::size_t size)
      : columns_(columns), candidates_(columns), kept_(kept), size_(size) {}

  /// Takes a row as RowSums does.
  void add(float factor, float y, std::span<const float> z);
  /// Replaces the rows with rare values in the sums over all rows.
  void hide(RowSums& sums) const;
  void clear();

  /// restore() needs an object with the same arguments; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  struct Column {
    float common = 0.0F;
    std::size_t others = 0;  ///< rows with other values; kFewest if they are not rare
  };
  struct Row {
    float factor = 0.0F, y = 0.0F;
    std::vector<float> z;
  };
  static constexpr std::size_t kFirst = kShortestBatch - 1;

  /// Finds the values that most of the first rows have.
  void find_common_values();
  /// Counts a row. Returns whether it has a value that may be rare.
  bool count(std::span<const float> z);

  std::vector<Column> columns_;
  std::size_t candidates_ = 0;  ///< columns that may have rare values
  std::size_t kept_ = 0, size_ = 0, rows_ = 0;
  std::vector<Row> rare_;  ///< the first rows; later those that may have rare values
};

}  // namespace caucus
