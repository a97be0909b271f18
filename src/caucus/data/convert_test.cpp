#include "caucus/data/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

KeepingSink read_back(const std::string& path) {
  KeepingSink sink;
  EXPECT_TRUE(read_table(path, sink).ok()) << path;
  return sink;
}

TEST(Convert, RoundTripsThroughEveryWrittenFormat) {
  const TestFiles files;
  const auto from =
      files.write("a.csv", "\"7\",b,y\n0.1,0,3\n1e-300,-0.30000000000000004,2\n0,0,1\n");
  const auto original = read_back(from);
  for (const char* name : {"b.csv", "b.csv.gz", "b.libsvm", "b.svm.gz"}) {
    ASSERT_TRUE(convert_table(from, files.path(name)).ok()) << name;
    const auto copy = read_back(files.path(name));
    EXPECT_EQ(copy.rows, original.rows) << name;
    const bool named = std::string(name).find("svm") == std::string::npos;
    EXPECT_EQ(copy.head.names, named ? original.head.names : std::vector<std::string>{});
  }
  EXPECT_EQ(files.read("b.csv"), "\"7\",b,y\n0.1,0,3\n1e-300,-0.30000000000000004,2\n0,0,1\n");
  EXPECT_EQ(files.read("b.libsvm"), "3 1:0.1 2:0\n2 1:1e-300 2:-0.30000000000000004\n1\n");
}

TEST(Convert, ReadsArff) {
  const TestFiles files;
  const auto from = files.write(
      "a.arff", "@relation r\n@attribute 'a b' real\n@attribute c {no,yes}\n@data\n1,yes\n{0 2}\n");
  ASSERT_TRUE(convert_table(from, files.path("b.csv")).ok());
  EXPECT_EQ(files.read("b.csv"), "a b,c\n1,yes\n2,no\n");
}

TEST(Convert, KeepsTextsAndQuotesThoseThatNeedIt) {
  const TestFiles files;
  const auto from = files.write("a.csv", "a;b\n\"x\ny\";NA\n\"1,5\";\"say \"\"z\"\"\"\n");
  ASSERT_TRUE(convert_table(from, files.path("b.csv")).ok());
  EXPECT_EQ(files.read("b.csv"), "a,b\n\"x\ny\",NA\n\"1,5\",\"say \"\"z\"\"\"\n");
}

TEST(Convert, EncodesWhatLibsvmCannotHold) {
  const TestFiles files;
  const auto from = files.write("a.csv", "c,x,y\nred,1,5\nblue,,6\ngreen,3,7\nred,2,8\n");
  ASSERT_TRUE(convert_table(from, files.path("b.libsvm")).ok());
  EXPECT_EQ(files.read("b.libsvm"), "5 3:1 4:1 5:0\n6 1:1 4:2 5:1\n7 2:1 4:3\n8 3:1 4:2\n");
}

TEST(Convert, AnErrorLeavesNothing) {
  const TestFiles files;
  const auto from = files.write("a.csv", "1,2\n1\n");
  EXPECT_FALSE(convert_table(from, files.path("b.csv")).ok());
  EXPECT_FALSE(convert_table(from, files.path("b.csv.gz")).ok());
  EXPECT_FALSE(convert_table(from, files.path("b.libsvm")).ok());
  EXPECT_EQ(convert_table(from, files.path("b.arff")).error().kind, ErrorKind::usage);
  EXPECT_EQ(files.count(), 1u);
}

TEST(Convert, AFileCanBeConvertedOntoItself) {
  const TestFiles files;
  const auto path = files.write("a.csv", "1;2.50\n");
  ASSERT_TRUE(convert_table(path, path).ok());
  EXPECT_EQ(files.read("a.csv"), "1,2.50\n");
}

TEST(Split, DealsRowsRoundRobinAndRepeatsTheHeader) {
  const TestFiles files;
  const auto from = files.write("a.csv", "x,y\n1,2\n3,4\n5,6\n7,8\n9,0.1\n");
  ASSERT_TRUE(split_table(from, 2, files.path("deep/out")).ok());
  EXPECT_EQ(files.read("deep/out/c01.csv"), "x,y\n1,2\n5,6\n9,0.1\n");
  EXPECT_EQ(files.read("deep/out/c02.csv"), "x,y\n3,4\n7,8\n");
  ASSERT_TRUE(split_table(from, 2, files.path("deep/out")).ok()) << "an existing directory";
}

TEST(Split, ManyClientsGetNamesOfOneWidthAndNeedNoOpenFiles) {
  const TestFiles files;
  std::string text;
  for (int k = 0; k < 3000; ++k) text += "1,2\n";
  ASSERT_TRUE(split_table(files.write("a.csv", text), 3000, files.path("out")).ok());
  EXPECT_EQ(files.read("out/c0001.csv"), "1,2\n");
  EXPECT_EQ(files.read("out/c3000.csv"), "1,2\n");
}

TEST(Split, FewerRowsThanClientsLeaveNothing) {
  const TestFiles files;
  const auto from = files.write("a.csv", "1,2\n3,4\n");
  const auto status = split_table(from, 3, files.path("deep/out"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::data);
  EXPECT_THAT(status.error().line(), HasSubstr("has 2 rows; expected at least one per client (3)"));
  EXPECT_EQ(files.count(), 1u);
  EXPECT_EQ(split_table(from, 0, files.path("out")).error().kind, ErrorKind::usage);
  EXPECT_FALSE(split_table(from, 1, from).ok()) << "not a directory";
}

}  // namespace
}  // namespace caucus
