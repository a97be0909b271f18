#include "caucus/data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string libsvm_error(std::string_view text) { return table_error(TableFormat::libsvm, text); }

TEST(Libsvm, FillsInZerosAndPutsTheLabelLast) {
  const auto t =
      table_of(TableFormat::libsvm, "+1 2:0.5 # note\n\n# only a comment\n-1 1:3 4:-1e2\r\n0\n");
  EXPECT_TRUE(t.head.names.empty());
  EXPECT_EQ(t.head.columns, 5u);
  EXPECT_THAT(t.rows, ElementsAre(ElementsAre(0, 0.5, 0, 0, 1), ElementsAre(3, 0, 0, -100, -1),
                                  ElementsAre(0, 0, 0, 0, 0)));
  EXPECT_THAT(t.lines, ElementsAre(1, 4, 5));
}

TEST(Libsvm, ErrorsNameTheLine) {
  EXPECT_THAT(libsvm_error("1 1:1\nx 1:1\n"), StartsWith("f:2: label: 'x' is not a number"));
  EXPECT_THAT(libsvm_error("1 1:1\n1 3:1 2:1\n"), StartsWith("f:2: has the index 2 after 3"));
  EXPECT_THAT(libsvm_error("1 1:1\n1 1:1 1:2\n"), StartsWith("f:2: has the index 1 after 1"));
  EXPECT_THAT(libsvm_error("1 0:1\n"), StartsWith("f:1: has the index 0; expected 1 to 1000000"));
  EXPECT_THAT(libsvm_error("1 1000001:1\n"), StartsWith("f:1: has the index 1000001"));
  EXPECT_THAT(libsvm_error("1 2\n"), StartsWith("f:1: '2' is not a feature; expected index:value"));
  EXPECT_THAT(libsvm_error("1 -1:2\n"), StartsWith("f:1: '-1:2' is not a feature"));
  EXPECT_THAT(libsvm_error("1 qid:2\n"), StartsWith("f:1: 'qid:2'"));
  EXPECT_THAT(libsvm_error("1 2:\n"), StartsWith("f:1: index 2: is empty"));
  EXPECT_THAT(libsvm_error("1 2:nan\n"), StartsWith("f:1: index 2: 'nan' is not finite"));
  EXPECT_THAT(libsvm_error("# nothing\n"), StartsWith("f: is empty"));
}

TEST(Libsvm, APipeIsReadTwice) {
  std::FILE* pipe = popen("printf '1 1:1\\n'", "r");
  auto source = ByteSource::open("/dev/fd/" + std::to_string(fileno(pipe)));
  ASSERT_TRUE(source.ok());
  KeepingSink sink;
  ASSERT_TRUE(read_libsvm(*source, sink).ok());
  EXPECT_THAT(sink.rows, ElementsAre(ElementsAre(1, 1)));
  pclose(pipe);
}

}  // namespace
}  // namespace caucus
