#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace caucus {
namespace {

constexpr std::size_t kSizes[] = {1, 7, 8, 9, 16, 17, 33, 220};

struct WeightedRow {
  float factor = 1.0F;
  float y = 0.0F;
  Floats z;
};

std::vector<WeightedRow> weighted_rows(std::size_t count, std::size_t size, Stream& stream) {
  std::vector<WeightedRow> rows(count);
  for (WeightedRow& row : rows) {
    row.factor = static_cast<float>(0.5 + stream.uniform());
    row.y = static_cast<float>(stream.normal());
    row.z = normals(size - 1, stream);
  }
  return rows;
}

RowSums row_sums_of(const std::vector<WeightedRow>& rows, std::size_t size) {
  RowSums sums(size);
  for (const WeightedRow& row : rows) sums.add(row.factor, row.y, row.z);
  return sums;
}

Floats triangle_of(RowSums& sums, std::size_t rows) {
  Floats triangle(triangle_size(rows), -99.0F);
  sums.write_triangle(rows, triangle);
  return triangle;
}

/// Compares with sums of doubles, up to the rounding of sums of 16 floats.
void expect_naive_sums(const std::vector<WeightedRow>& rows, std::size_t size,
                       const Floats& triangle) {
  const auto number = [](const WeightedRow& row, std::size_t k) {
    const auto factor = static_cast<double>(row.factor);
    return factor * static_cast<double>(k > 0 ? row.z[k - 1] : row.y);
  };
  ASSERT_EQ(triangle.size(), triangle_size(size));
  for (std::size_t r = 0, place = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c, ++place) {
      double sum = 0.0;
      double sizes = 0.0;
      for (const WeightedRow& row : rows) {
        const double product = number(row, r) * number(row, c);
        sum += product;
        sizes += std::abs(product);
      }
      ASSERT_NEAR(static_cast<double>(triangle[place]), sum, 2e-6 * sizes) << r << ", " << c;
    }
  }
}

TEST(RowSums, AreTheSumsOfAllProducts) {
  Stream stream({.seed = 3});
  for (const std::size_t size : kSizes) {
    for (const std::size_t count : {0U, 1U, 5U, 16U, 17U, 32U, 45U}) {
      SCOPED_TRACE(std::to_string(count) + " rows of " + std::to_string(size));
      const auto rows = weighted_rows(count, size, stream);
      RowSums sums = row_sums_of(rows, size);
      EXPECT_EQ(sums.size(), size);
      expect_naive_sums(rows, size, triangle_of(sums, size));
    }
  }
}

TEST(RowSums, OfTheSameRowsHaveTheSameBits) {
  Stream stream({.seed = 4});
  for (const std::size_t size : kSizes) {
    const auto rows = weighted_rows(37, size, stream);
    RowSums one = row_sums_of(rows, size);
    RowSums other = row_sums_of(rows, size);
    EXPECT_EQ(triangle_of(one, size), triangle_of(other, size)) << size;
    other.clear();
    EXPECT_EQ(triangle_of(other, size), Floats(triangle_size(size), 0.0F)) << size;
    for (const WeightedRow& row : rows) other.add(row.factor, row.y, row.z);
    EXPECT_EQ(triangle_of(one, size), triangle_of(other, size)) << size;
  }
}

TEST(RowSums, CanBeWrittenBetweenRows) {
  Stream stream({.seed = 5});
  const std::size_t size = 9;
  const auto rows = weighted_rows(40, size, stream);
  RowSums sums(size);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    sums.add(rows[n].factor, rows[n].y, rows[n].z);
    if (n % 7 == 3) triangle_of(sums, size);
  }
  expect_naive_sums(rows, size, triangle_of(sums, size));
}

TEST(RowSums, FewerRowsOfTheTriangleAreItsBeginning) {
  Stream stream({.seed = 6});
  for (const std::size_t size : kSizes) {
    RowSums sums = row_sums_of(weighted_rows(20, size, stream), size);
    const Floats whole = triangle_of(sums, size);
    for (std::size_t rows = 0; rows <= size; rows += 1 + size / 20) {
      const Floats part = triangle_of(sums, rows);
      EXPECT_EQ(part, Floats(whole.begin(),
                             whole.begin() + static_cast<std::ptrdiff_t>(triangle_size(rows))));
    }
  }
}

TEST(RowSums, UseOnlyTheFirstNumbersOfALongerRow) {
  RowSums sums(3);
  sums.add(2.0F, 1.0F, Floats{3.0F, 5.0F, 100.0F, 200.0F});
  EXPECT_EQ(triangle_of(sums, 3), (Floats{4.0F, 12.0F, 36.0F, 20.0F, 60.0F, 100.0F}));
}

TEST(RowSums, WithoutNumbersAreEmpty) {
  RowSums sums;
  sums.clear();
  EXPECT_EQ(sums.size(), 0U);
  EXPECT_TRUE(triangle_of(sums, 0).empty());
}

TEST(Triangle, RowsAreFoundFromTheNumberOfFloats) {
  for (std::size_t rows = 0; rows < 1000; ++rows) {
    EXPECT_EQ(triangle_rows(triangle_size(rows)), rows);
    EXPECT_EQ(triangle_rows(triangle_size(rows) + rows), rows);  // one less than the next
  }
  EXPECT_EQ(triangle_rows(triangle_size(65000)), 65000U);
}

TEST(SymmetricMatrix, AddingATriangleIsTheInverseOfWritingIt) {
  Stream stream({.seed = 7});
  for (const std::size_t size : kSizes) {
    RowSums sums = row_sums_of(weighted_rows(20, size, stream), size);
    const Floats triangle = triangle_of(sums, size);
    SymmetricMatrix matrix(size);
    matrix.add_triangle(size, triangle);
    Floats again(triangle.size());
    matrix.write_triangle(size, again);
    EXPECT_EQ(again, triangle) << size;
    for (std::size_t r = 0, place = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c, ++place) {
        ASSERT_EQ(matrix(r, c), static_cast<double>(triangle[place]));
        ASSERT_EQ(matrix(c, r), matrix(r, c));
      }
    }
    // A product reads what operator() does not: the other half of a diagonal block.
    std::vector<double> x(matrix.padded_size(), 0.0);
    std::vector<double> y(matrix.padded_size(), 0.0);
    for (std::size_t k = 0; k < size; ++k) x[k] = stream.normal();
    matrix.multiply(x, y);
    for (std::size_t r = 0; r < size; ++r) {
      double expected = 0.0;
      for (std::size_t c = 0; c < size; ++c) expected += matrix(r, c) * x[c];
      ASSERT_NEAR(y[r], expected, 1e-10 * static_cast<double>(size)) << size;
    }
  }
}

TEST(SymmetricMatrix, FewerRowsOfATriangleLeaveTheOthers) {
  Stream stream({.seed = 8});
  const std::size_t size = 17;
  RowSums sums = row_sums_of(weighted_rows(20, size, stream), size);
  const Floats triangle = triangle_of(sums, size);
  for (std::size_t rows = 0; rows <= size; ++rows) {
    SymmetricMatrix matrix(size);
    matrix.add_triangle(rows, triangle);
    matrix.add_triangle(rows, triangle);
    for (std::size_t r = 0, place = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c, ++place) {
        ASSERT_EQ(matrix(r, c), r < rows ? 2.0 * static_cast<double>(triangle[place]) : 0.0);
      }
    }
  }
}

TEST(SymmetricMatrix, GrowsToTheSizeOfWhatIsAdded) {
  Stream stream({.seed = 10});
  for (const std::size_t small : {1U, 8U, 9U, 20U}) {
    for (const std::size_t large : {20U, 24U, 33U}) {
      SymmetricMatrix of_small(small);
      SymmetricMatrix of_large(large);
      RowSums sums = row_sums_of(weighted_rows(20, large, stream), large);
      const Floats triangle = triangle_of(sums, large);
      of_small.add_triangle(small, triangle);
      of_large.add_triangle(large, triangle);
      SymmetricMatrix grown = of_small;
      grown.add(of_large);
      SymmetricMatrix other = of_large;
      other.add(of_small);
      EXPECT_EQ(grown.size(), large);
      for (std::size_t r = 0; r < large + 2; ++r) {
        for (std::size_t c = 0; c < large + 2; ++c) {
          ASSERT_EQ(grown(r, c), of_small(r, c) + of_large(r, c));
          ASSERT_EQ(other(r, c), grown(r, c));
        }
      }
      grown.reset(small);
      EXPECT_EQ(grown.size(), small);
      grown.grow(large);
      for (std::size_t r = 0; r < large; ++r) ASSERT_EQ(grown(r, 0), 0.0);
    }
  }
}

TEST(SymmetricMatrix, AddsAnotherMatrixAndIsCleared) {
  Stream stream({.seed = 9});
  for (const std::size_t size : kSizes) {
    RowSums sums = row_sums_of(weighted_rows(20, size, stream), size);
    const Floats triangle = triangle_of(sums, size);
    SymmetricMatrix one(size);
    one.add_triangle(size, triangle);
    SymmetricMatrix other = one;
    other.scale(0.5);
    one.add(other);
    for (std::size_t r = 0, place = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c, ++place) {
        ASSERT_EQ(one(r, c), 1.5 * static_cast<double>(triangle[place]));
      }
    }
    one.clear();
    Floats zeros(triangle.size(), 1.0F);
    one.write_triangle(size, zeros);
    EXPECT_EQ(zeros, Floats(triangle.size(), 0.0F));
  }
}

}  // namespace
}  // namespace caucus
