#include "caucus/core/statistics/rare_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {
namespace {

using RowsOfFloats = std::vector<std::vector<float>>;

/// Rows (y, z): z has columns with so many rows that differ from 0.5, then 1, then two numbers that
/// depend on the columns.
RowsOfFloats rows_with(std::size_t rows, const std::vector<std::size_t>& others,
                       std::uint32_t seed) {
  Stream stream({1, Purpose::test, 0, seed, 0});
  RowsOfFloats all(rows);
  for (auto& row : all) row.push_back(static_cast<float>(stream.normal()));
  for (const std::size_t count : others) {
    std::vector<float> column(rows, 0.5F);
    for (std::size_t k = 0; k < count; ++k) {
      column[k] = seed % 2 == 0 ? -1.0F : static_cast<float>(stream.normal());
    }
    for (std::size_t k = rows; k > 1; --k) {
      std::swap(column[k - 1], column[stream.below(static_cast<std::uint32_t>(k))]);
    }
    for (std::size_t n = 0; n < rows; ++n) all[n].push_back(column[n]);
  }
  for (auto& row : all) {
    float sum = 0.0F;
    for (std::size_t k = 1; k <= others.size(); ++k) sum += row[k];
    row.insert(row.end(), {1.0F, std::cos(sum), std::sin(sum)});
  }
  return all;
}

/// The same rows without rare values, found by counting every value.
RowsOfFloats hidden(RowsOfFloats rows, std::size_t columns) {
  std::vector<std::map<float, std::size_t>> counts(columns);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < columns; ++k) ++counts[k][row[k + 1]];
  }
  for (auto& row : rows) {
    bool rare = false;
    for (std::size_t k = 0; k < columns; ++k) {
      for (const auto& [value, count] : counts[k]) {
        if (rows.size() - count >= RareRows::kFewest || row[k + 1] == value) continue;
        row[k + 1] = value;
        rare = true;
      }
    }
    if (rare) std::fill(row.end() - 2, row.end(), 0.0F);
  }
  return rows;
}

void expect_hidden(RareRows& rare, const RowsOfFloats& rows, std::size_t columns) {
  const std::size_t size = rows[0].size();
  RowSums sums(size);
  for (const auto& row : rows) {
    sums.add(2.0F, row[0], std::span(row).subspan(1));
    rare.add({.factor = 2.0F, .target = row[0]}, std::span(row).subspan(1));
  }
  rare.for_each([&](const RareRows::Row& row, std::span<const float> z, std::span<const float>) {
    sums.subtract(row.factor, row.target, row.z);
    sums.add(row.factor, row.target, z);
  });
  std::vector<float> triangle(triangle_size(size));
  sums.write_triangle(size, triangle);
  const RowsOfFloats expected = hidden(rows, columns);
  for (std::size_t r = 0, place = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c, ++place) {
      double sum = 0.0;
      for (const auto& row : expected) {
        sum += 4.0 * static_cast<double>(row[r]) * static_cast<double>(row[c]);
      }
      ASSERT_NEAR(static_cast<double>(triangle[place]), sum, 1e-6 * (100.0 + std::abs(sum)))
          << r << ", " << c;
    }
  }
}

TEST(RareRows, AreReplacedWhereverTheyAre) {
  for (const std::size_t rows : {10U, 11U, 38U, 500U}) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
      const std::vector<std::size_t> others = {
          0, 1, RareRows::kFewest - 1, RareRows::kFewest, rows / 2, rows};
      RareRows rare(others.size(), others.size() + 1, others.size() + 3);
      expect_hidden(rare, rows_with(rows, others, seed), others.size());
      rare.clear();
      expect_hidden(rare, rows_with(rows, {1, 0, 5, 2, 9, 4}, seed + 77), others.size());
    }
  }
}

TEST(RareRows, GoOnExactlyFromTheirState) {
  const auto rows = rows_with(40, {1, 0, 5, 2, 9, 4}, 3);
  for (const std::size_t before : {0U, 5U, 9U, 30U}) {
    RareRows whole(6, 7, 9), half(6, 7, 9), rest(6, 7, 9);
    std::string bytes;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      if (n == before) {
        StateWriter to;
        half.save(to);
        bytes = to.bytes();
        StateReader from(bytes);
        ASSERT_TRUE(rest.restore(from).ok());
        ASSERT_TRUE(from.done().ok());
      }
      const std::span z = std::span(rows[n]).subspan(1);
      const RareRows::Row row{.factor = 1.0F, .target = rows[n][0], .y = 0.5, .loss = 2.0};
      whole.add(row, z);
      (n < before ? half : rest).add(row, z);
    }
    StateWriter expected, found;
    whole.save(expected);
    rest.save(found);
    EXPECT_EQ(expected.bytes(), found.bytes());
  }
}

/// Hides rows with one column of many values, whose classes are these; returns the targets of all.
std::vector<std::vector<float>> hidden_classes(const std::vector<std::size_t>& of_rows,
                                               std::size_t classes) {
  RareRows rare(1, 1, 1, classes);
  std::vector<std::vector<float>> targets;
  for (std::size_t n = 0; n < of_rows.size(); ++n) {
    const std::vector<float> z = {static_cast<float>(n)};
    rare.add({.factor = 1.0F, .y = static_cast<double>(of_rows[n])}, z,
             std::vector<double>(classes, 0.25));
    targets.emplace_back(classes, 0.0F)[of_rows[n]] = 1.0F;
  }
  rare.for_each(
      [&](const RareRows::Row& row, std::span<const float> z, std::span<const float> hidden) {
        EXPECT_EQ(row.outputs, std::vector<double>(classes, 0.25));
        targets[static_cast<std::size_t>(z[0])].assign(hidden.begin(), hidden.end());
      });
  return targets;
}

TEST(RareRows, OfRareClassesShareOneTarget) {
  std::vector<std::size_t> of_rows(20, 1);
  of_rows[2] = of_rows[7] = of_rows[19] = 0;  // three rows
  of_rows[3] = of_rows[8] = 2;                // two rows
  for (std::size_t n = 10; n < 15; ++n) of_rows[n] = 3;
  const auto targets = hidden_classes(of_rows, 5);
  for (std::size_t n = 0; n < of_rows.size(); ++n) {
    const bool rare = of_rows[n] == 0 || of_rows[n] == 2;
    std::vector<float> expected(5, 0.0F);
    expected[of_rows[n]] = 1.0F;
    EXPECT_EQ(targets[n], rare ? (std::vector<float>{0.6F, 0.0F, 0.4F, 0.0F, 0.0F}) : expected);
  }
}

TEST(RareRows, OfRareClassesThatAreFewTogetherGetTheCommonestClass) {
  std::vector<std::size_t> of_rows(30, 2);
  of_rows[4] = of_rows[29] = 0;
  of_rows[5] = 1;
  for (const auto& target : hidden_classes(of_rows, 3)) {
    EXPECT_EQ(target, (std::vector<float>{0.0F, 0.0F, 1.0F}));
  }
}

}  // namespace
}  // namespace caucus
