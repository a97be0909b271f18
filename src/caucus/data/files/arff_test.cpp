#include "caucus/data/files/cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kHead =
    "% a comment\n@RELATION 'my set'\n@attribute 'first one' NUMERIC\n"
    "@Attribute colour {red, 'dark green', blue}\n@attribute grade {3,5.5}\n@attribute y real\n"
    "@DATA\n";

using Type = DeclaredColumn::Type;

KeepingCells arff_table(const std::string& rows) {
  return cells_of(TableFormat::arff, kHead + rows);
}
std::string arff_error(const std::string& rows) {
  return cells_error(TableFormat::arff, kHead + rows);
}

TEST(Arff, ReadsDenseRows) {
  const auto t = arff_table("1.5, 'dark green', 5.5, -2\n% note\n\n2,red,3,1e3\n");
  EXPECT_THAT(t.head.names, ElementsAre("first one", "colour", "grade", "y"));
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre("1.5", "dark green", "5.5", "-2"),
                                  ElementsAre("2", "red", "3", "1e3")));
  EXPECT_THAT(t.lines, ElementsAre(8, 11));
}

TEST(Arff, SaysWhatIsDeclared) {
  const auto t = cells_of(TableFormat::arff,
                          "@relation r\n@attribute a real\n@attribute b {x, 'y z'}\n"
                          "@attribute c string\n@attribute d date 'yyyy-MM-dd'\n@data\n1,x,e,f\n");
  ASSERT_EQ(t.head.declared.size(), 4u);
  EXPECT_EQ(t.head.declared[0].type, Type::number);
  EXPECT_EQ(t.head.declared[1].type, Type::category);
  EXPECT_THAT(t.head.declared[1].levels, ElementsAre("x", "y z"));
  EXPECT_EQ(t.head.declared[2].type, Type::text);
  EXPECT_EQ(t.head.declared[3].type, Type::time);
}

TEST(Arff, SparseRowsOmitZerosAndFirstNominalValues) {
  const auto t = arff_table("{1 blue, 3 7}\n{}\n");
  EXPECT_THAT(t.rows,
              ElementsAre(ElementsAre("0", "blue", "3", "7"), ElementsAre("0", "red", "3", "0")));
}

TEST(Arff, TakesMissingValuesAndACommaAtTheEndOfARow) {
  const auto t = arff_table(" 1 ,?, 3 , ? ,\n");
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre("1", "?", "3", "?")));
}

TEST(Arff, ErrorsInRowsNameLineAndColumn) {
  EXPECT_THAT(arff_error("1,red,3\n"), StartsWith("f:8: has 3 fields; expected 4"));
  EXPECT_THAT(arff_error("1,red,3,4,5\n"), StartsWith("f:8: has 5 fields; expected 4"));
  EXPECT_THAT(arff_error("1,pink,3,4\n"),
              StartsWith("f:8: column 2: 'pink' is not a value of 'colour'"));
  EXPECT_THAT(arff_error("1 2,red,3,4\n"), StartsWith("f:8: has '2,red,3,4' after a value"));
  EXPECT_THAT(arff_error("{4 1}\n"), StartsWith("f:8: has the index '4'"));
  EXPECT_THAT(arff_error("{3 1, 0 1}\n"), StartsWith("f:8: has the index '0'"));
  EXPECT_THAT(arff_error("{3 1\n"), StartsWith("f:8: has an unclosed sparse row"));
  EXPECT_THAT(arff_error(""), StartsWith("f: has no rows"));
}

TEST(Arff, ErrorsInDeclarationsNameTheLine) {
  const auto declared = [](const std::string& text) {
    return cells_error(TableFormat::arff, "@relation r\n" + text + "\n@data\n1\n");
  };
  EXPECT_THAT(declared("@attribute note relational"),
              StartsWith("f:2: attribute 'note' has the type 'relational'"));
  EXPECT_THAT(declared("@attribute 'a"), StartsWith("f:2: has an unclosed quote"));
  EXPECT_THAT(declared("@attribute a {x,y"), StartsWith("f:2: has an unclosed list of values"));
  EXPECT_THAT(declared("@attribute a {}"), StartsWith("f:2: has no values"));
  EXPECT_THAT(declared("1,2"), StartsWith("f:2: '1,2' is not a declaration"));
  EXPECT_THAT(declared(""), StartsWith("f:3: comes before any @attribute"));
  EXPECT_THAT(cells_error(TableFormat::arff, "@relation r\n"), HasSubstr("has no @data"));
}

}  // namespace
}  // namespace caucus
