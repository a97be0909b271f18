// S = sum of v v' over rows v = (y, z): the sums that least squares needs of the examples of a
// batch. They are all that a client keeps of its examples. With several targets, one for each
// class, y has a number for each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"

namespace caucus {

/// The number of floats of the lower triangle of a matrix of this size.
constexpr std::size_t triangle_size(std::size_t rows) { return rows * (rows + 1) / 2; }
/// Returns the size of the matrix whose lower triangle has this many floats, or a smaller one.
inline std::size_t triangle_rows(std::size_t floats) {
  auto rows = static_cast<std::size_t>(std::sqrt(2.0 * static_cast<double>(floats)));
  while (triangle_size(rows) > floats) --rows;
  return rows;
}

class RowSums {
 public:
  RowSums() = default;
  /// `size` counts the numbers of a row, the targets included.
  explicit RowSums(std::size_t size) { reset(size); }

  /// Begins anew with rows of this size, in the same memory if that is large enough.
  void reset(std::size_t size) {
    matrix_.reset(size);
    waiting_.assign(kRows * matrix_.padded_size(), 0.0F);
    count_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return matrix_.size(); }

  /// Adds the row factor * (y, z). Of z only the numbers that fit are used.
  void add(float factor, float y, std::span<const float> z) { add(factor, {&y, 1}, z); }
  void add(float factor, std::span<const float> y, std::span<const float> z) {
    write_row(factor, y, z);
    if (++count_ == kRows) add_waiting();
  }
  /// Removes a row that was added.
  void subtract(float factor, float y, std::span<const float> z) { subtract(factor, {&y, 1}, z); }
  void subtract(float factor, std::span<const float> y, std::span<const float> z) {
    add_waiting();
    write_row(factor, y, z);
    matrix_.add(std::span(waiting_).first(matrix_.padded_size()), -1.0);
  }
  /// Writes the first `rows` rows of the lower triangle, one after another.
  void write_triangle(std::size_t rows, std::span<float> out) {
    add_waiting();
    matrix_.write_triangle(rows, out);
  }
  void clear() { reset(size()); }
  /// restore() needs an object of the same size; discard it after an error.
  void save(StateWriter& to) const {
    matrix_.save(to);
    to.u64(count_);
    to.numbers(waiting_);
  }
  Status restore(StateReader& from) {
    CAUCUS_CHECK(matrix_.restore(from, size()));
    count_ = static_cast<std::size_t>(from.u64());
    from.numbers(waiting_);
    CAUCUS_CHECK(from.status());
    if (count_ >= kRows || !all_finite(waiting_)) return from.refuse("rows that wait");
    return Done{};
  }

  /// Rows that are added together: their products are summed in floats, and the sums in doubles.
  static constexpr std::size_t kRows = 16;

 private:
  void write_row(float factor, std::span<const float> y, std::span<const float> z) {
    float* row = waiting_.data() + count_ * matrix_.padded_size();
    for (const float target : y) *row++ = factor * target;
    const std::size_t count = size() - y.size();
    const float* const from = z.data();
    for (std::size_t k = 0; k < count; ++k) row[k] = factor * from[k];
  }
  void add_waiting() {
    if (count_ == 0) return;
    matrix_.add(std::span(waiting_).first(count_ * matrix_.padded_size()), 1.0);
    count_ = 0;
  }

  SymmetricMatrix matrix_;
  AlignedVector<float> waiting_;  ///< rows that are not in the matrix yet
  std::size_t count_ = 0;
};

}  // namespace caucus
