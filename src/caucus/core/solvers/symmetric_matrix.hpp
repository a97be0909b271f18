// A symmetric matrix of doubles, stored as blocks of 8 rows up to and including the diagonal block.
// Four rows of eight columns are stored together, followed by the next eight columns, so that every
// pass reads memory in order. Vectors have padded_size() numbers; those beyond size() are 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/simd/kernels.hpp"
#include "caucus/result.hpp"

namespace caucus {

class SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  explicit SymmetricMatrix(std::size_t size)
      : size_(size), blocks_(blocks(size)), values_(numbers(size), 0.0) {}

  /// The memory of a matrix of this size.
  [[nodiscard]] static std::size_t bytes(std::size_t size) {
    return sizeof(double) * numbers(size);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t padded_size() const { return blocks_ * simd::kBlock; }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  /// y = A x
  void multiply(std::span<const double> x, std::span<double> y) const {
    simd::kernels().symmetric_multiply(values_.data(), blocks_, x.data(), y.data());
  }
  /// A += factor sum_j v_j v_j^T, for vectors stored one after another. The sum is computed in
  /// float, so the lengths |v_j| should be at most about 1.
  void add(std::span<const float> vectors, double factor) {
    simd::kernels().symmetric_add(values_.data(), blocks_, vectors.data(),
                                  vectors.size() / padded_size(), factor);
  }
  /// Adds a matrix. The smaller of the two counts as padded with rows and columns of zeros.
  void add(const SymmetricMatrix& other) {
    grow(other.size_);
    for (std::size_t n = 0; n < other.values_.size(); ++n) values_[n] += other.values_[n];
  }
  /// Adds rows and columns of zeros up to this size.
  void grow(std::size_t size) {
    if (size <= size_) return;
    size_ = size;
    blocks_ = blocks(size);
    values_.resize(numbers(size), 0.0);  // the rows are stored in order
  }
  /// Makes it a zero matrix of this size, in the same memory if that is large enough.
  void reset(std::size_t size) {
    size_ = size;
    blocks_ = blocks(size);
    values_.assign(numbers(size), 0.0);
  }
  void scale(double factor) {
    for (double& value : values_) value *= factor;
  }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }
  /// Writes the first `rows` rows of the lower triangle, one after another.
  void write_triangle(std::size_t rows, std::span<float> out) const {
    float* to = out.data();
    for (std::size_t r = 0; r < rows; ++r) {
      const double* from = values_.data() + place(r, 0);
      const std::size_t whole = (r + 1) / simd::kBlock;
      for (std::size_t n = 0; n < whole; ++n, from += kApart, to += simd::kBlock) {
        for (std::size_t k = 0; k < simd::kBlock; ++k) to[k] = static_cast<float>(from[k]);
      }
      for (std::size_t k = 0; k < (r + 1) % simd::kBlock; ++k) *to++ = static_cast<float>(from[k]);
    }
  }
  /// Writes the lower triangle of the first `rows` rows, without the first rows and columns, by
  /// columns: element (r, c) goes to out[(c - first) stride + r - first].
  void write_lower(std::size_t first, std::size_t rows, std::size_t stride, double* out) const {
    for (std::size_t r = first; r < rows; ++r) {
      const double* const row = values_.data() + place(r, 0);
      for (std::size_t c = first; c <= r; ++c) {
        out[(c - first) * stride + r - first] = row[c / simd::kBlock * kApart + c % simd::kBlock];
      }
    }
  }
  /// Adds a triangle of `rows` rows, as write_triangle() writes it, times a factor.
  void add_triangle(std::size_t rows, std::span<const float> triangle, double factor = 1.0) {
    const float* from = triangle.data();
    for (std::size_t r = 0; r < rows; ++r) {
      double* to = values_.data() + place(r, 0);
      const std::size_t diagonal = r / simd::kBlock * simd::kBlock;
      for (std::size_t c = 0; c < diagonal; c += simd::kBlock, to += kApart, from += simd::kBlock) {
        for (std::size_t k = 0; k < simd::kBlock; ++k)
          to[k] += factor * static_cast<double>(from[k]);
      }
      for (std::size_t c = diagonal; c <= r; ++c) {  // the diagonal block has both halves
        const double value = factor * static_cast<double>(*from++);
        to[c - diagonal] += value;
        if (c < r) values_[place(c, r)] += value;
      }
    }
  }
  /// restore() gives this matrix the given size; discard it after an error.
  void save(StateWriter& to) const { to.numbers(values_); }
  Status restore(StateReader& from, std::size_t size) {
    if (from.left() < bytes(size)) {  // checked before allocating
      return from.refuse("a matrix is cut off",
                         "expected " + std::to_string(bytes(size)) + " bytes");
    }
    *this = SymmetricMatrix(size);
    from.numbers(values_);
    CAUCUS_CHECK(from.status());
    if (!all_finite(values_)) return from.refuse("a matrix", "expected finite numbers");
    return Done{};
  }
  /// Rows and columns beyond the size are 0, as for add().
  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const {
    if (std::max(row, column) >= size_) return 0.0;
    return row / simd::kBlock >= column / simd::kBlock ? values_[place(row, column)]
                                                       : values_[place(column, row)];
  }

 private:
  /// The distance between the blocks of eight columns of a row.
  static constexpr std::size_t kApart = simd::kRows * simd::kBlock;

  [[nodiscard]] static std::size_t blocks(std::size_t size) {
    return (size + simd::kBlock - 1) / simd::kBlock;
  }
  [[nodiscard]] static std::size_t numbers(std::size_t size) {
    return simd::kBlock * simd::kBlock * blocks(size) * (blocks(size) + 1) / 2;
  }
  /// The position of an element in or left of the diagonal block of its row.
  [[nodiscard]] static std::size_t place(std::size_t row, std::size_t column) {
    const std::size_t block = row / simd::kBlock;
    const std::size_t columns = (block + 1) * simd::kBlock;
    const std::size_t in_block = row % simd::kBlock;
    return simd::kBlock * simd::kBlock * block * (block + 1) / 2 +
           in_block / simd::kRows * simd::kRows * columns +
           (column / simd::kBlock * simd::kRows + in_block % simd::kRows) * simd::kBlock +
           column % simd::kBlock;
  }

  std::size_t size_ = 0, blocks_ = 0;
  AlignedVector<double> values_;
};

/// <a, b> of padded vectors, summed in 16 lanes so that every SIMD variant gives the same bits.
inline double dot_padded(std::span<const double> a, std::span<const double> b) {
  return simd::kernels().dot_doubles(a.data(), b.data(), a.size());
}

}  // namespace caucus
