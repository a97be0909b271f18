#include "caucus/data/ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::string ranges_error(std::string_view text) {
  ByteSource source = ByteSource::from_memory(text, "f");
  const auto ranges = read_ranges(source);
  return ranges.ok() ? "" : ranges.error().line();
}

TEST(Ranges, AreMeasuredPerColumnInFileOrder) {
  const TestFiles files;
  const auto ranges = load_ranges(files.write("a.csv", "a,b\n1,-5\n3,-7\n2,-6\n"));
  EXPECT_THAT(ranges->names, ElementsAre("a", "b"));
  EXPECT_THAT(ranges->minimum, ElementsAre(1, -7));
  EXPECT_THAT(ranges->maximum, ElementsAre(3, -5));
}

TEST(Ranges, SurviveTheFileExactly) {
  const TestFiles files;
  const Ranges named{{"a,b", "2", ""}, {0.1, -1e-300, 1.0 / 3}, {0.30000000000000004, 1e300, 7}};
  ASSERT_TRUE(write_ranges(named, files.path("r.csv")).ok());
  EXPECT_EQ(*load_ranges(files.path("r.csv")), named);
  const Ranges unnamed{{}, {1, 2}, {3, 4}};
  ASSERT_TRUE(write_ranges(unnamed, files.path("r.csv")).ok());
  EXPECT_EQ(files.read("r.csv"), "column,minimum,maximum\n1,1,3\n2,2,4\n");
  EXPECT_EQ(*load_ranges(files.path("r.csv")), unnamed);
  const Ranges numerals{{"1", "2"}, {1, 2}, {3, 4}};
  ASSERT_TRUE(write_ranges(numerals, files.path("r.csv")).ok());
  EXPECT_EQ(*load_ranges(files.path("r.csv")), numerals);
}

TEST(Ranges, CanBeLoadedFromADataFile) {
  const TestFiles files;
  EXPECT_EQ(*load_ranges(files.write_gzip("a.csv.gz", "1,2\n5,0\n")), (Ranges{{}, {1, 0}, {5, 2}}));
  EXPECT_EQ(*load_ranges(files.write("a.libsvm", "1 1:2\n")), (Ranges{{}, {2, 1}, {2, 1}}));
}

TEST(Ranges, ErrorsNameTheLine) {
  const std::string first = "column,minimum,maximum\n";
  EXPECT_EQ(ranges_error(first + "a,1,2\nb,1\n"), "f:3: has 2 fields; expected 3");
  EXPECT_THAT(ranges_error(first + "a,x,2\n"), StartsWith("f:2: column 2: 'x' is not a number"));
  EXPECT_THAT(ranges_error(first + "a,1,inf\n"), StartsWith("f:2: column 3: 'inf' is not finite"));
  EXPECT_THAT(ranges_error(first + "a,3,2\n"),
              StartsWith("f:2: has the minimum 3 above the maximum 2"));
  EXPECT_THAT(ranges_error(first), StartsWith("f: has no ranges"));
  EXPECT_THAT(ranges_error("1,2,3\n"), StartsWith("f: is not a ranges file"));
}

}  // namespace
}  // namespace caucus
