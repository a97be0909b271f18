#include "caucus/data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

KeepingSink csv_table(std::string_view text) { return table_of(TableFormat::csv, text); }
std::string csv_error(std::string_view text) { return table_error(TableFormat::csv, text); }

TEST(Csv, ReadsRowsWithoutAHeader) {
  const auto t = csv_table("1,2\n3,4\n");
  EXPECT_TRUE(t.head.names.empty());
  EXPECT_EQ(t.head.columns, 2u);
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(t.lines, ElementsAre(1, 2));
}

TEST(Csv, TakesAFirstRowOfNamesAsHeader) {
  const auto t = csv_table("a,b\n3,4\n");
  EXPECT_THAT(t.head.names, ElementsAre("a", "b"));
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre(3, 4)));
  EXPECT_THAT(t.lines, ElementsAre(2));
}

TEST(Csv, QuotedNumbersAreNamesInTheFirstRowAndNumbersBelow) {
  const auto t = csv_table("\"1\",\"say \"\"x\"\"\"\n\"3\", \"4\" \n");
  EXPECT_THAT(t.head.names, ElementsAre("1", "say \"x\""));
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre(3, 4)));
}

TEST(Csv, DetectsTheDelimiter) {
  EXPECT_THAT(csv_table("1;2;3\n").rows, ElementsAre(ElementsAre(1, 2, 3)));
  EXPECT_THAT(csv_table("1\t2\n").rows, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(csv_table("\"a,b,c\";d\n1;2\n").rows, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(csv_table("5\n6\n").rows, ElementsAre(ElementsAre(5), ElementsAre(6)));
}

TEST(Csv, AllowsSpacesPlusSignsBlankLinesAndCarriageReturns) {
  const auto t = csv_table("\n 1 , +2\r\n  \r\n+3.5,\t-4e2 \r\n\n");
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre(1, 2), ElementsAre(3.5, -400)));
  EXPECT_THAT(t.lines, ElementsAre(2, 4));
}

TEST(Csv, RowsOfAnotherLengthNameFileLineAndBothCounts) {
  EXPECT_EQ(csv_error("1,2,3\n1,2\n"), "f:2: has 2 fields; expected 3");
  EXPECT_EQ(csv_error("a,b\n1,2\n1,2,3\n"), "f:3: has 3 fields; expected 2");
  EXPECT_EQ(csv_error("1,2\n1,2,\n"), "f:2: has 3 fields; expected 2");
}

TEST(Csv, TextNamesLineColumnAndValue) {
  EXPECT_EQ(csv_error("1,2\n1,abc\n"), "f:2: column 2: 'abc' is not a number; expected a number");
  EXPECT_THAT(csv_error("1,2\n1x,2\n"), StartsWith("f:2: column 1: '1x'"));
  EXPECT_THAT(csv_error("1\n" + std::string(1000, 'z') + "\n"), HasSubstr("zzz...'"));
}

TEST(Csv, NumbersThatAreNotFiniteAreErrors) {
  for (const char* value : {"nan", "inf", "-inf", "NaN", "1e999"}) {
    EXPECT_THAT(csv_error("1,2\n3," + std::string(value) + "\n"),
                StartsWith("f:2: column 2: '" + std::string(value) + "' is not finite"));
  }
  EXPECT_THAT(csv_error("1,nan\n"), StartsWith("f:1: column 2: 'nan' is not finite"));
}

TEST(Csv, AnEmptyFieldIsAnError) {
  EXPECT_EQ(csv_error("1,2\n1,\n"), "f:2: column 2: is empty; expected a number");
  EXPECT_EQ(csv_error("1,,3\n"), "f:1: column 2: is empty; expected a number");
  EXPECT_EQ(csv_error("1,2\n\"\",1\n"), "f:2: column 1: is empty; expected a number");
}

TEST(Csv, AFirstRowOfNamesAndNumbersIsRefused) {
  EXPECT_THAT(csv_error("a,2\n1,2\n"), StartsWith("f:1: mixes 1 numbers with 1 names"));
  EXPECT_THAT(csv_error("a,2\n1,2\n"), HasSubstr("a header of all names or all quoted"));
}

TEST(Csv, FilesWithoutRowsAreErrors) {
  EXPECT_THAT(csv_error(""), StartsWith("f: is empty"));
  EXPECT_THAT(csv_error("\n \n"), StartsWith("f: is empty"));
  EXPECT_THAT(csv_error("a,b\n"), StartsWith("f: has a header but no rows"));
}

TEST(Csv, QuotesThatDoNotEndAreErrors) {
  EXPECT_THAT(csv_error("a,b\n1,\"2\n3\",4\n"), StartsWith("f:2: column 2: has an unclosed quote"));
  EXPECT_THAT(csv_error("a,b\n1,\"2\"3\n"), StartsWith("f:2: column 2: has '3' after"));
}

TEST(Csv, ZeroBytesAreTextNotAnEnd) {
  EXPECT_THAT(csv_error(std::string_view("1,2\n1\0,2\n", 9)), StartsWith("f:2: column 1:"));
}

TEST(Table, FormatComesFromTheExtension) {
  EXPECT_EQ(table_format("a.csv"), TableFormat::csv);
  EXPECT_EQ(table_format("a.csv.gz"), TableFormat::csv);
  EXPECT_EQ(table_format("a.data"), TableFormat::csv);
  EXPECT_EQ(table_format("a.libsvm"), TableFormat::libsvm);
  EXPECT_EQ(table_format("a.SVM.gz"), TableFormat::libsvm);
  EXPECT_EQ(table_format("a.Arff.gz"), TableFormat::arff);
}

TEST(Table, GzippedFilesReadLikePlainOnes) {
  const TestFiles files;
  KeepingSink sink;
  ASSERT_TRUE(read_table(files.write_gzip("a.csv.gz", "x,y\n1,2\n"), sink).ok());
  EXPECT_THAT(sink.rows, ElementsAre(ElementsAre(1, 2)));
}

}  // namespace
}  // namespace caucus
