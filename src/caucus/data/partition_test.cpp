#include "caucus/data/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "caucus/core/base/random.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using Kind = PartitionSpec::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

Dataset with_rows(std::size_t rows, std::uint32_t values = 1000) {
  Stream stream({.seed = 3});
  std::vector<float> numbers;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers.push_back(static_cast<float>(i));
    numbers.push_back(static_cast<float>(stream.below(values)));
  }
  return dataset_from_values("memory", 1, numbers).value();
}

std::vector<std::uint32_t> all_rows(const Partition& partition) {
  std::vector<std::uint32_t> rows;
  for (std::size_t j = 0; j < partition.clients(); ++j) {
    for (std::size_t t = 0; t < partition.rounds(j); ++t) rows.push_back(partition.row(j, t));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

RC_GTEST_PROP(Partition, EqualSplitsUseEachOfTheFirstRowsOnce, ()) {
  const auto clients = *rc::gen::inRange<std::size_t>(1, 20);
  const auto rows = clients + *rc::gen::inRange<std::size_t>(0, 200);
  for (const Kind kind : {Kind::shuffle, Kind::blocks}) {
    const auto partition = make_partition({.kind = kind}, with_rows(rows), clients, 1, 0);
    RC_ASSERT(partition.ok());
    RC_ASSERT(partition->clients() == clients);
    RC_ASSERT(partition->longest() == rows / clients);
    RC_ASSERT(partition->used() == rows / clients * clients);
    for (std::size_t j = 0; j < clients; ++j) {
      RC_ASSERT(partition->rounds(j) == rows / clients);
    }
    RC_ASSERT(all_rows(*partition) == first_rows(partition->used()));
  }
}

RC_GTEST_PROP(Partition, DirichletUsesEveryRowOnceAndLeavesNoClientEmpty, ()) {
  const auto clients = *rc::gen::inRange<std::size_t>(1, 30);
  const auto rows = clients + *rc::gen::inRange<std::size_t>(0, 300);
  const auto values = *rc::gen::inRange<std::uint32_t>(1, 30);
  const double concentration = std::pow(10.0, *rc::gen::inRange<int>(-12, 6));
  const PartitionSpec spec{Kind::dirichlet, concentration, {}};
  const auto partition = make_partition(spec, with_rows(rows, values), clients, 1, 0);
  RC_ASSERT(partition.ok());
  RC_ASSERT(all_rows(*partition) == first_rows(rows));
  std::size_t longest = 0;
  for (std::size_t j = 0; j < clients; ++j) {
    RC_ASSERT(partition->rounds(j) > 0);
    longest = std::max(longest, partition->rounds(j));
  }
  RC_ASSERT(partition->longest() == longest);
}

TEST(Partition, ShuffleDealsAPermutationRoundRobin) {
  const auto data = with_rows(100);
  const auto one = make_partition({}, data, 1, 7, 2);
  const auto ten = make_partition({}, data, 10, 7, 2);
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_EQ(ten->row(k % 10, k / 10), one->row(0, k));
  }
  const auto all = one->rows_of(0);
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
}

TEST(Partition, DependsOnSeedAndRepetitionOnly) {
  const auto data = with_rows(100);
  for (const Kind kind : {Kind::shuffle, Kind::dirichlet}) {
    const auto rows = [&](std::uint64_t seed, std::uint32_t repetition) {
      const auto partition = make_partition({.kind = kind}, data, 4, seed, repetition);
      return partition->rows_of(0);
    };
    EXPECT_EQ(rows(1, 0), rows(1, 0));
    EXPECT_NE(rows(1, 0), rows(1, 1));
    EXPECT_NE(rows(1, 0), rows(2, 0));
  }
}

TEST(Partition, BlocksAreContiguousInFileOrder) {
  const auto partition = make_partition({.kind = Kind::blocks}, with_rows(7), 2, 1, 0);
  EXPECT_THAT(partition->rows_of(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(partition->rows_of(1), ElementsAre(3, 4, 5));
}

TEST(Partition, AColumnGivesOneClientPerValueAscending) {
  const TestFiles files;
  ReadOptions options;
  options.client_column = std::string("1");
  const auto path = files.write("a.csv", "9,1,1\n-2,1,1\n9,2,2\n5,3,3\n");
  const auto data = read_dataset({path}, options);
  const auto partition = make_partition({.kind = Kind::column}, *data, 0, 1, 0);
  ASSERT_EQ(partition->clients(), 3u);
  EXPECT_THAT(partition->rows_of(0), ElementsAre(1));
  EXPECT_THAT(partition->rows_of(1), ElementsAre(3));
  EXPECT_THAT(partition->rows_of(2), ElementsAre(0, 2));
  EXPECT_TRUE(make_partition({.kind = Kind::column}, *data, 3, 1, 0).ok());
  const auto wrong = make_partition({.kind = Kind::column}, *data, 4, 1, 0);
  EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
  EXPECT_THAT(wrong.error().line(), HasSubstr("4; expected 3"));
}

TEST(Partition, FilesGiveOneClientEach) {
  const TestFiles files;
  const auto data =
      read_dataset({files.write("a.csv", "1,1\n2,2\n"), files.write("b.csv", "3,3\n")}, {});
  const auto partition = make_partition({.kind = Kind::files}, *data, 0, 1, 0);
  ASSERT_EQ(partition->clients(), 2u);
  EXPECT_THAT(partition->rows_of(0), ElementsAre(0, 1));
  EXPECT_THAT(partition->rows_of(1), ElementsAre(2));
  EXPECT_EQ(make_partition({.kind = Kind::files}, *data, 3, 1, 0).error().kind, ErrorKind::usage);
}

// The spread between the clients' mean targets, which is near zero for a homogeneous split.
double spread(const Dataset& data, double concentration) {
  const PartitionSpec spec{Kind::dirichlet, concentration, {}};
  const auto partition = make_partition(spec, data, 5, 1, 0);
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (std::size_t j = 0; j < 5; ++j) {
    double sum = 0.0;
    for (const auto row : partition->rows_of(j)) sum += static_cast<double>(data.y(row));
    const double mean = sum / static_cast<double>(partition->rounds(j));
    lowest = std::min(lowest, mean);
    highest = std::max(highest, mean);
  }
  return highest - lowest;
}

TEST(Partition, ASmallConcentrationIsHeterogeneous) {
  const auto data = with_rows(5000);
  EXPECT_GT(spread(data, 0.05), 200.0);
  EXPECT_LT(spread(data, 1000.0), 50.0);
}

TEST(Partition, TooFewRowsOrNoClientsAreErrors) {
  const auto few = make_partition({}, with_rows(7), 10, 1, 0);
  EXPECT_EQ(few.error().kind, ErrorKind::data);
  EXPECT_EQ(few.error().line(), "memory: has 7 rows; expected at least one per client (10)");
  EXPECT_EQ(make_partition({}, with_rows(7), 0, 1, 0).error().kind, ErrorKind::usage);
}

TEST(Partition, IsParsedFromItsWords) {
  EXPECT_EQ(parse_partition("shuffle")->kind, Kind::shuffle);
  EXPECT_EQ(parse_partition("blocks")->kind, Kind::blocks);
  EXPECT_EQ(parse_partition("column:who")->column, "who");
  EXPECT_EQ(parse_partition("dirichlet:0.3")->concentration, 0.3);
  for (const char* text : {"", "files", "column:", "dirichlet:0", "dirichlet:-1", "dirichlet:x",
                           "dirichlet:inf", "Shuffle", "dirichlet"}) {
    const auto spec = parse_partition(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_EQ(spec.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace caucus
