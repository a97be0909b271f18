#include "caucus/data/encoding/row_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;

class RowTextFiles : public testing::Test, public TestFiles {};

TEST_F(RowTextFiles, AreTheColumnsWithoutTheTarget) {
  ReadOptions options;
  options.target = "price";
  options.feature_range = {0.0, 1.0};
  const std::string file = write("rows.csv", "a,price,\"b,c\"\n1,2,0.1\n4,5,1e30\n");
  const auto data = read_dataset({file}, options);
  ASSERT_TRUE(data.ok()) << data.error().line();
  const auto texts = read_row_texts({file}, options.target, *data);
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(texts->header, ",a,\"b,c\"");
  EXPECT_THAT(texts->rows, ElementsAre(",1,0.1", ",4,1e30"));
}

TEST_F(RowTextFiles, OfSeveralFilesHaveTheOrderOfTheDataSet) {
  const std::string first = write("first.csv", "1,2\n\n3,4\n");
  const std::string second = write("second.csv", "5,6\n");
  const auto data = read_dataset({first, second}, {});
  ASSERT_TRUE(data.ok());
  const auto texts = read_row_texts({first, second}, "last", *data);
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(texts->header, ",1") << "columns without names are numbered";
  EXPECT_THAT(texts->rows, ElementsAre(",1", ",3", ",5"));
}

}  // namespace
}  // namespace caucus
