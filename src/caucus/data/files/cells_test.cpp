#include "caucus/data/files/cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

KeepingCells csv_cells(std::string_view text) { return cells_of(TableFormat::csv, text); }
std::string csv_cells_error(std::string_view text) { return cells_error(TableFormat::csv, text); }

TEST(Cells, KeepTextsQuotesAndLinesInsideQuotes) {
  const auto t = csv_cells("a,b\r\n\"x\r\ny, z\",\"say \"\"hi\"\"\"\r\n1,5\" pipe\r\n");
  EXPECT_THAT(t.head.names, ElementsAre("a", "b"));
  EXPECT_THAT(t.rows,
              ElementsAre(ElementsAre("x\ny, z", "say \"hi\""), ElementsAre("1", "5\" pipe")));
  EXPECT_THAT(t.lines, ElementsAre(2, 4));
}

TEST(Cells, SkipAByteOrderMarkAndRepeatedHeaders) {
  const auto t = csv_cells(
      "\xEF\xBB\xBFgr\xC3\xB6\xC3\x9F"
      "e,y\n1,2\ngr\xC3\xB6\xC3\x9F"
      "e,y\n3,NA\n");
  EXPECT_THAT(t.head.names, ElementsAre("gr\xC3\xB6\xC3\x9F"
                                        "e",
                                        "y"));
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "NA")));
}

TEST(Cells, AFirstLineOfNamesAboveNumbersIsAHeaderAlsoIfSomeNamesAreNumbers) {
  const auto t = csv_cells("a,2\n1,2\n");
  EXPECT_THAT(t.head.names, ElementsAre("a", "2"));
  EXPECT_TRUE(t.head.is_guess);
  const auto iris = csv_cells("5.1,3.5,setosa\n4.9,3.0,setosa\n");
  EXPECT_TRUE(iris.head.names.empty());
  EXPECT_EQ(iris.rows.size(), 2u);
  EXPECT_TRUE(csv_cells("1,ERR,3\n1,2,3\n").head.names.empty()) << "two numbers above numbers";
  EXPECT_TRUE(csv_cells("2013-03-01,a\n2013-03-02,b\n").head.names.empty())
      << "a date above a date";
  EXPECT_THAT(csv_cells(",x\nr1,1\n").head.names, ElementsAre("1", "x")) << "a number for no name";
}

TEST(Cells, RowsOfAnotherLengthNameTheirLine) {
  EXPECT_EQ(csv_cells_error("a,b\nx,y\nz\n"), "f:3: has 1 fields; expected 2");
  EXPECT_THAT(csv_cells_error("a,b\n\"x,y\nz,1\n"),
              StartsWith("f:2: column 1: has an unclosed quote"));
}

TEST(Cells, FilesThatAreNoTablesAreNamed) {
  EXPECT_THAT(csv_cells_error(""), StartsWith("f: is empty"));
  EXPECT_THAT(csv_cells_error("a,b\n"), StartsWith("f: has a header but no rows"));
  EXPECT_THAT(csv_cells_error("PAR1\x15\x04\n"), HasSubstr("Parquet"));
  EXPECT_THAT(csv_cells_error("PK\x03\x04\n"), HasSubstr("spreadsheet"));
  EXPECT_THAT(csv_cells_error("\xFF\xFE"
                              "a\n"),
              HasSubstr("UTF-16"));
}

TEST(Cells, KnowTheWordsForMissingValues) {
  for (const char* word : {"", " ", "NA", "n/a", "NaN", "NULL", "?", "#N/A"}) {
    EXPECT_TRUE(is_missing(word)) << word;
  }
  for (const char* word : {"none", "-", "."}) {
    EXPECT_FALSE(is_missing(word)) << word << " may be a level";
    EXPECT_TRUE(is_missing_number(word)) << word;
  }
  EXPECT_FALSE(is_missing_number("north"));
  EXPECT_FALSE(is_missing_number("0"));
}

TEST(Cells, ReadDecimalCommasOnlyWhereTheyAreNoDelimiters) {
  double value = 0.0;
  EXPECT_EQ(parse_cell("3,14", true, value), NumberForm::finite);
  EXPECT_EQ(value, 3.14);
  EXPECT_EQ(parse_cell("3,14", false, value), NumberForm::text);
  EXPECT_TRUE(csv_cells("a;b\n3,1;2\n").head.decimal_comma);
}

TEST(Times, AreReadInTheUsualForms) {
  constexpr double kFirstOfMarch = 15765.0;  // days from 1970-01-01 to 2013-03-01
  for (const char* text : {"2013-03-01", "2013/3/1", "01.03.2013", "3/1/2013", "01-Mar-2013",
                           "1 March 2013", "03/01/13", "2013-03-01T00:00:00Z"}) {
    const auto days = parse_time(text, false);
    ASSERT_TRUE(days) << text;
    EXPECT_EQ(*days, kFirstOfMarch) << text;
  }
  EXPECT_EQ(*parse_time("1/3/2013", true), kFirstOfMarch);
  EXPECT_EQ(*parse_time("2013-03-01 06:00", false), kFirstOfMarch + 0.25);
  EXPECT_EQ(*parse_time("2013-03-01T18:00:00.000+02:00", false), kFirstOfMarch + 0.75);
  EXPECT_EQ(*parse_time("3/1/2013 6:00 PM", false), kFirstOfMarch + 0.75);
  EXPECT_EQ(*parse_time("12:00", false), 0.5);
  EXPECT_EQ(*parse_time_or_stamp("1362096000", false), kFirstOfMarch);
  EXPECT_EQ(*parse_time_or_stamp("1362096000000", false), kFirstOfMarch);
  EXPECT_EQ(*parse_time_or_stamp("20130301", false), kFirstOfMarch);
  for (const char* text : {"2013-02-30", "2013", "13/13/2013", "2013-03-01 25:00", "north", "1-2",
                           "2013-03-01x", "2013-03-01 06:00 XM", "99:99"}) {
    EXPECT_FALSE(parse_time(text, false)) << text;
  }
}

}  // namespace
}  // namespace caucus
