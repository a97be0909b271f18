#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "caucus/core/base/fingerprint.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/partition.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RawTables : public testing::Test {
 protected:
  Result<Dataset> read(const std::string& text, const ReadOptions& options = {}) const {
    return read_dataset({files.write("a.csv", text)}, options);
  }
  std::string error(const std::string& text, const ReadOptions& options = {}) const {
    const auto data = read(text, options);
    if (data.ok()) return "";
    const std::string line = data.error().line();
    return line.starts_with(files.path("a.csv")) ? line.substr(files.path("a.csv").size()) : line;
  }
  static std::vector<float> row(const Dataset& data, std::size_t r) {
    std::vector<float> values(data.x(r).begin(), data.x(r).end());
    values.push_back(data.y(r));
    return values;
  }

  TestFiles files;
};

TEST_F(RawTables, CategoriesHaveAColumnPerLevelAndTwoLevelsOne) {
  const auto data = read("c,b,y\nred,on,1\nblue,off,2\ngreen,on,3\nred,on,4\n");
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(data->feature_names(), ElementsAre("c=blue", "c=green", "c=red", "b=off"));
  EXPECT_THAT(row(*data, 0), ElementsAre(0, 0, 1, 0, 1));
  EXPECT_THAT(row(*data, 1), ElementsAre(1, 0, 0, 1, 2));
}

TEST_F(RawTables, MissingNumbersAreTheMeanAndHaveAnIndicator) {
  const auto data = read("x,z,y\n1,5,1\nNA,6,2\n3,7,3\n,8,NA\n");
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(data->feature_names(), ElementsAre("x", "x missing", "z"));
  EXPECT_EQ(data->rows(), 3u) << "the row without a target is left out";
  EXPECT_THAT(row(*data, 1), ElementsAre(2, 1, 6, 2));
  EXPECT_THAT(data->notes(), Contains(HasSubstr("leaves out 1 of 4 rows, which have no target")));
  ReadOptions options;
  options.impute = Impute::drop;
  EXPECT_EQ(read("x,z,y\n1,5,1\nNA,6,2\n3,7,3\n", options)->rows(), 2u);
  options.impute = Impute::none;
  EXPECT_THAT(error("x,z,y\n1,5,1\nNA,6,2\n3,7,3\n", options),
              HasSubstr(":3: column 1 'x': is missing"));
}

TEST_F(RawTables, BooleansAreOneAndZero) {
  const auto data = read("b,y\nTrue,1\nfalse,2\nTRUE,3\n");
  EXPECT_THAT(row(*data, 0), ElementsAre(1, 1));
  EXPECT_THAT(row(*data, 1), ElementsAre(0, 2));
}

TEST_F(RawTables, TimesAreSinesAndCosinesOfTheCalendarAndATrend) {
  std::string text = "when,y\n";
  for (int day = 1; day <= 28; ++day) {
    const std::string two = (day < 10 ? "0" : "") + std::to_string(day);
    text += "2013-03-" + two + " 06:00," + std::to_string(day) + "\n";
  }
  const auto data = read(text);
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(data->feature_names(),
              ElementsAre("when hour sine", "when hour cosine", "when weekday sine",
                          "when weekday cosine", "when trend"));
  // 2013-03-04 is a Monday: six hours after its beginning are 1/28 of the week.
  const double angle = 2 * std::numbers::pi / 28;
  const auto monday = row(*data, 3);
  EXPECT_NEAR(monday[0], 1.0, 1e-6);
  EXPECT_NEAR(monday[1], 0.0, 1e-6);
  EXPECT_NEAR(monday[2], std::sin(angle), 1e-6);
  EXPECT_NEAR(monday[3], std::cos(angle), 1e-6);
  EXPECT_EQ(monday[4], 15768.25F);
}

TEST_F(RawTables, IdentifiersAndConstantTextsAreLeftOutAndSaid) {
  std::string text = "id,site,x,y\n";
  for (int k = 0; k < 30; ++k) {
    text += "row" + std::to_string(k) + ",north," + std::to_string(k % 7) + "," +
            std::to_string(k % 5) + "\n";
  }
  const auto data = read(text);
  EXPECT_THAT(data->feature_names(), ElementsAre("x"));
  EXPECT_THAT(data->notes(), Contains(HasSubstr("leaves out column 1 'id' (an identifier")));
  EXPECT_THAT(data->notes(), Contains("leaves out column 2 'site' (one value)"));
  EXPECT_THAT(data->notes().front(),
              "predicts column 4 'y' (number, 0 to 4) from 1 column: 1 number");
  ReadOptions options;
  options.categories = {"id"};
  EXPECT_EQ(read(text, options)->features(), 31u) << "as asked";
}

TEST_F(RawTables, MoreLevelsThanColumnsShareHashedOnes) {
  std::string text = "c,y\n";
  for (int k = 0; k < 400; ++k)
    text += "l" + std::to_string(k % 40) + "," + std::to_string(k) + "\n";
  ReadOptions options;
  options.hash_columns = 3;
  const auto data = read(text, options);
  EXPECT_EQ(data->features(), 35u);
  for (std::size_t r = 0; r < data->rows(); ++r) {
    float sum = 0;
    for (const float value : data->x(r)) sum += value;
    EXPECT_EQ(sum, 1.0F);
  }
}

TEST_F(RawTables, WordsAmongNumbersAreAnErrorThatNamesTheRemedy) {
  const std::string text = "x,y\n1,2\n3,4\nbroken,5\n6,7\n";
  EXPECT_EQ(
      error(text),
      ":4: column 1 'x': holds 'broken' among 3 numbers; expected --numbers x to take words as "
      "missing, --categories x to take all as names, or --drop x");
  ReadOptions options;
  options.numbers = {"x"};
  EXPECT_THAT(row(*read(text, options), 2), ElementsAre(10.0F / 3, 1, 5));
  options.numbers.clear();
  options.categories = {"x"};
  EXPECT_EQ(read(text, options)->features(), 4u);
  EXPECT_THAT(error("x,y\n1,2\n3,4\ninf,5\n"),
              HasSubstr(":4: column 1 'x': 'inf' is not a finite"));
}

TEST_F(RawTables, TargetsThatAreNamesBecomeClasses) {
  const auto data = read("x,y\n1,no\n2,yes\n3,no\n4,yes\n5,yes\n");
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(data->target_names(), ElementsAre("no", "yes"));
  EXPECT_THAT(row(*data, 1), ElementsAre(2, 1));
  ReadOptions options;
  options.label_range = Interval{0.0, 5.0};
  EXPECT_EQ(read("x,y\n1,no\n2,yes\n3,yes\n", options)->y(1), 1.0F) << "not scaled";
  const auto arff = files.write("a.arff",
                                "@relation r\n@attribute x real\n@attribute c {two,one,three}\n"
                                "@data\n1,one\n2,two\n");
  const auto declared = read_dataset({arff}, {});
  EXPECT_THAT(declared->target_names(), ElementsAre("two", "one", "three"));
  EXPECT_EQ(declared->y(0), 1.0F);
  EXPECT_THAT(read("x,y\n1,2\n3,4\n")->target_names(), IsEmpty());
}

TEST_F(RawTables, ALastColumnThatIsHardlyTheTargetIsSaid) {
  EXPECT_THAT(read("x,a,b\n1,0,1\n2,1,0\n3,0,1\n")->notes(), Contains(HasSubstr("--target")));
  EXPECT_THAT(read("x,a,b\nu,0,1\nv,1,0\nu,0,1\n")->notes(), Contains(HasSubstr("--target")));
  EXPECT_THAT(error("x,b\n1,same\n2,same\n"), HasSubstr("column 2 'b': has one value in all rows"));
  EXPECT_THAT(error("x,b\n1,u\n2,v\n3,w\n"), HasSubstr("has 3 different texts"));
}

TEST_F(RawTables, TheTargetCannotBeDropped) {
  ReadOptions options;
  options.drop = {"y"};
  EXPECT_EQ(error("x,y\n1,2\n3,4\n", options),
            "drop: column 2 'y' is the target; expected another --target, or not to drop it");
  options.drop = {"z"};
  EXPECT_THAT(error("x,y\n1,2\n3,4\n", options), HasSubstr("has no such column 'z'"));
}

TEST_F(RawTables, LagsAreThePastOfTheSameClient) {
  ReadOptions options;
  options.client_column = std::string("who");
  options.lags = 2;
  const auto data = read("who,x,y\na,1,10\nb,2,20\na,3,30\nb,4,40\na,5,50\n", options);
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(data->feature_names(), ElementsAre("x", "x[-1]", "y[-1]", "x[-2]", "y[-2]"));
  EXPECT_THAT(data->client_names(), ElementsAre("a", "b"));
  EXPECT_THAT(row(*data, 4), ElementsAre(5, 3, 30, 1, 10, 50));
  EXPECT_THAT(row(*data, 3), ElementsAre(4, 2, 20, 3, 30, 40)) << "means where there is no past";
  options.impute = Impute::drop;
  EXPECT_EQ(read("who,x,y\na,1,10\nb,2,20\na,3,30\nb,4,40\na,5,50\n", options)->rows(), 1u);
}

TEST_F(RawTables, RowsAreSortedByTheNamedTime) {
  ReadOptions options;
  options.time = "t";
  const auto data = read("t,x,y\n2013-01-03,3,1\n2013-01-01,1,2\n2013-01-02,2,3\n", options);
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_EQ(data->y(0), 2.0F);
  EXPECT_EQ(data->y(2), 1.0F);
  EXPECT_THAT(error("t,x,y\n2013-01-03,3,1\nsoon,1,2\n", options),
              HasSubstr("'soon' is not a date"));
}

TEST_F(RawTables, ClientsCanHaveNames) {
  ReadOptions options;
  options.client_column = std::string("who");
  const auto data = read("who,x,y\nb,1,1\na,2,2\nb,3,3\n", options);
  const auto clients = make_partition({PartitionSpec::Kind::column, 1.0, "who"}, *data, 0, 1, 0);
  ASSERT_TRUE(clients.ok());
  EXPECT_THAT(clients->rows_of(1), ElementsAre(0, 2)) << "'b' comes after 'a'";
}

TEST_F(RawTables, FilesOfOneTableMayHaveOtherOrders) {
  const auto a = files.write("a.csv", "x,c,y\n1,u,1\n2,v,2\n");
  const auto b = files.write("b.csv", "y,more,c,x\n3,0,w,3\n");
  const auto data = read_dataset({a, b}, {});
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(row(*data, 2), ElementsAre(3, 0, 0, 1, 3));
}

TEST_F(RawTables, GivenRangesAndListsStateAllColumnsWithoutData) {
  ReadOptions options;
  options.target = "y";
  options.feature_range = Interval{-1.0, 1.0};
  options.label_range = Interval{0.0, 1.0};
  options.ranges = Ranges{{"x", "y"}, {0.0, 0.0}, {4.0, 10.0}};
  options.categories = {"c=u|v", "d"};
  options.missing = {"x"};
  options.hash_columns = 2;
  const auto stated = stated_encodings(options);
  ASSERT_TRUE(stated.ok());
  const auto scaling = encoded_scaling(*stated, 0, options.ranges);
  ASSERT_TRUE(scaling.ok());
  EXPECT_EQ(scaling->feature_columns.size(), 6u);
  const auto data = read("d,y,c,x\np,5,u,1\nq,10,w,NA\n", options);
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_THAT(data->feature_names(), ElementsAre("x", "x missing", "c=u", "c=v", "d#1", "d#2"));
  const bool first = fingerprint_of("p") % 2 == 0;
  EXPECT_THAT(row(*data, 0), ElementsAre(-0.5, -1, 1, -1, first ? 1 : -1, first ? -1 : 1, 0.5));
  EXPECT_EQ(data->x(1)[0], 0.0F) << "the middle of the range";
  EXPECT_EQ(data->x(1)[1], 1.0F);
  EXPECT_EQ(data->x(1)[2], -1.0F) << "no column for an unknown level";
  EXPECT_EQ(data->encodings(), *stated);
  EXPECT_EQ(data->scaling().minimum, scaling->minimum);
}

TEST_F(RawTables, ConcatenatedFilesRepeatTheirHeader) {
  const auto data = read("x,y\n1,2\n3,4\nx,y\n5,6\n");
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_EQ(data->rows(), 3u);
}

TEST_F(RawTables, RangesOfSitesAreMerged) {
  const auto a = files.write("a.csv", "x,c,y\n1,u,1\n2,v,2\n");
  const auto b = files.write("b.csv", "y,x,z\n-3,1.5,4\n");
  const auto merged = merge_ranges({a, b});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged, (Ranges{{"x", "y", "z"}, {1, -3, 4}, {2, 2, 4}}));
}

}  // namespace
}  // namespace caucus
