#include "caucus/data/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "caucus/core/base/random.hpp"
#include "caucus/data/files/number.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class DatasetFiles : public testing::Test {
 protected:
  Result<Dataset> read(const std::string& text, const ReadOptions& options = {}) const {
    return read_dataset({files.write("a.csv", text)}, options);
  }
  std::string error(const std::string& text, const ReadOptions& options = {}) const {
    const auto data = read(text, options);
    return data.ok() ? "" : data.error().line();
  }
  [[nodiscard]] std::string file() const { return files.path("a.csv"); }

  TestFiles files;
};

std::vector<double> row_of(const Dataset& data, std::size_t row) {
  std::vector<double> values(data.x(row).begin(), data.x(row).end());
  values.push_back(static_cast<double>(data.y(row)));
  return values;
}

TEST_F(DatasetFiles, KeepsPlainNumbersWithoutScaling) {
  const auto data = read("a,b,c\n1,2,3\n4,5,6\n");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->rows(), 2u);
  EXPECT_EQ(data->features(), 2u);
  EXPECT_EQ(data->experts(), 0u);
  EXPECT_THAT(row_of(*data, 1), ElementsAre(4, 5, 6));
  EXPECT_THAT(data->feature_names(), ElementsAre("a", "b"));
  EXPECT_THAT(data->file_begin(), ElementsAre(0, 2));
  EXPECT_EQ(data->scaling().feature_interval(1), Interval(2, 5));
  EXPECT_EQ(data->scaling().target_interval(), Interval(3, 6));
}

TEST_F(DatasetFiles, AFileUnpackedAheadGivesTheSameNumbers) {
  std::string text;
  for (std::uint32_t row = 0; row < 40'000; ++row) {
    text += std::to_string(row * 2654435761u) + ".25," + std::to_string(row) + ",-1e-3\n";
  }
  ReadOptions options;
  options.feature_range = Interval{-1.0, 1.0};
  const auto plain = read_dataset({files.write("a.csv", text)}, options);
  const auto packed = read_dataset({files.write_gzip("b.csv.gz", text)}, options);
  ASSERT_TRUE(plain.ok() && packed.ok());
  ASSERT_EQ(packed->rows(), 40'000u);
  for (std::size_t row = 0; row < plain->rows(); ++row) {
    ASSERT_EQ(row_of(*packed, row), row_of(*plain, row)) << row;
  }
}

TEST_F(DatasetFiles, ExpertsTooFarFromTheTargetDoNotFitAfterScaling) {
  ReadOptions options;
  options.expert_columns = {"2"};
  options.label_range = Interval{0.0, 1.0};
  EXPECT_THAT(error("1,3,0\n2,1e38,1e-3\n", options),
              StartsWith(file() + ": column 2: does not fit a float after scaling (row 2)"));
}

TEST_F(DatasetFiles, TheTargetIsFoundByWordNumberOrName) {
  for (const char* target : {"first", "1", "a"}) {
    ReadOptions options;
    options.target = target;
    EXPECT_THAT(row_of(*read("a,b,c\n1,2,3\n", options), 0), ElementsAre(2, 3, 1)) << target;
  }
}

TEST_F(DatasetFiles, AnUnknownTargetNamesFileAndSuggests) {
  ReadOptions options;
  options.target = "prise";
  const auto data = read("age,price\n1,2\n", options);
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().kind, ErrorKind::data);
  EXPECT_EQ(data.error().where, file());
  EXPECT_THAT(data.error().line(), HasSubstr("did you mean 'price'?"));
  EXPECT_THAT(data.error().line(), HasSubstr("'age', 'price'"));
  options.target = "3";
  EXPECT_THAT(error("1,2\n", options), HasSubstr("expected a number from 1 to 2"));
  options.target = "x";
  EXPECT_THAT(error("x,x\n1,2\n", options), HasSubstr("more than one column named 'x'"));
}

TEST_F(DatasetFiles, ScalingAgreesWithANaiveComputationEvenForTimeStamps) {
  Stream stream({.seed = 5});
  std::vector<std::vector<double>> raw;
  std::string text;
  for (int i = 0; i < 500; ++i) {
    raw.push_back({stream.uniform(), 1.6e9 + 1e4 * stream.normal(), 1e-9 * stream.normal(), 42.0,
                   1e15 + std::floor(100 * stream.uniform()), -7.0 + stream.normal()});
    for (const double value : raw.back()) text += to_text(value) + ",";
    text.back() = '\n';
  }
  ReadOptions options;
  options.feature_range = {-1.0, 1.0};
  options.label_range = {0.0, 1.0};
  const auto own = read(text, options);
  ASSERT_TRUE(own.ok());
  options.ranges = *load_ranges(file());
  const auto given = read(text, options);
  for (std::size_t k = 0; k < 6; ++k) {
    const auto less = [&](auto& a, auto& b) { return a[k] < b[k]; };
    const double low = (*std::min_element(raw.begin(), raw.end(), less))[k];
    const double high = (*std::max_element(raw.begin(), raw.end(), less))[k];
    const double a = k < 5 ? -1.0 : 0.0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const double naive = low == high ? 0.0 : a + (1.0 - a) * (raw[i][k] - low) / (high - low);
      EXPECT_NEAR(row_of(*own, i)[k], naive, 1.0 / (1 << 22)) << k;
      EXPECT_NEAR(row_of(*given, i)[k], naive, 1.0 / (1 << 23)) << k;
    }
  }
  EXPECT_EQ(own->scaling(), given->scaling());
  EXPECT_EQ(own->scaling().feature_interval(0), Interval(-1, 1));
  EXPECT_EQ(own->scaling().feature_interval(3), Interval(0, 0));
}

TEST_F(DatasetFiles, TheScalingTreatsNewDataAlike) {
  ReadOptions options;
  options.feature_range = {-1.0, 1.0};
  options.label_range = {0.0, 1.0};
  const auto data = read("10,5,100\n20,5,300\n", options);
  const Scaling& scaling = data->scaling();
  EXPECT_EQ(scaling.feature(0, 15), 0.0);
  EXPECT_EQ(scaling.feature(0, 40), 5.0) << "not clipped";
  EXPECT_EQ(scaling.feature(1, 6), 0.0) << "a constant column";
  EXPECT_EQ(scaling.target(200), 0.5);
  EXPECT_EQ(scaling.target_original(0.5), 200);
  EXPECT_EQ(scaling.target_original(scaling.target(500)), 500);
}

TEST_F(DatasetFiles, GivenRangesMustHaveTheColumnsOfTheFile) {
  ReadOptions options;
  options.feature_range = {0.0, 1.0};
  options.ranges = Ranges{{}, {0}, {10}};
  EXPECT_THAT(error("20,7\n", options), HasSubstr("there is no range of column 2"));
  options.ranges = Ranges{{"a", "c"}, {0, 0}, {10, 1}};
  EXPECT_THAT(error("a,b\n20,7\n", options), HasSubstr("has no column 'c'"));
}

TEST_F(DatasetFiles, ExpertColumnsFollowTheFeaturesAndScaleLikeTheTarget) {
  ReadOptions options;
  options.expert_columns = {"2..3"};
  options.feature_range = {-1.0, 1.0};
  options.label_range = {0.0, 1.0};
  for (const bool known : {false, true}) {
    if (known) options.ranges = *load_ranges(file());
    const auto data = read("f,e1,e2,y\n1,10,35,10\n3,20,5,30\n", options);
    ASSERT_TRUE(data.ok());
    EXPECT_EQ(data->features(), 1u);
    EXPECT_EQ(data->experts(), 2u);
    EXPECT_THAT(row_of(*data, 0), ElementsAre(-1, 0, 1.25, 0));
    EXPECT_THAT(row_of(*data, 1), ElementsAre(1, 0.5, -0.25, 1));
    EXPECT_EQ(data->scaling().expert_interval(1), Interval(-0.25, 1.25));
  }
}

TEST_F(DatasetFiles, ExpertColumnsKeepTheOrderAndTheNamesThatTheUserGives) {
  ReadOptions options;
  options.expert_columns = {"tree", "2"};
  const auto data = read("tree,forest,f,y\n1,2,3,4\n", options);
  ASSERT_TRUE(data.ok());
  EXPECT_THAT(row_of(*data, 0), ElementsAre(3, 1, 2, 4));
  EXPECT_THAT(data->expert_names(), ElementsAre("tree", "forest"));
}

TEST_F(DatasetFiles, PlacesForForecastsFollowTheNumbersOfARow) {
  auto data = read("1,2,3\n4,5,6\n", {});
  ASSERT_TRUE(data.ok());
  data->add_experts(2, 9.0F);
  EXPECT_EQ(data->experts(), 2u);
  EXPECT_THAT(row_of(*data, 0), ElementsAre(1, 2, 9, 9, 3));
  data->changing_x(1)[3] = 7.0F;
  EXPECT_THAT(row_of(*data, 1), ElementsAre(4, 5, 9, 7, 6));
}

TEST_F(DatasetFiles, AForecastOfAClassIsAClassOrAProbability) {
  ReadOptions options;
  options.expert_columns = {"2"};
  for (const char* good : {"f,e,y\n1,0.25,0\n2,1,1\n", "f,e,y\n1,-1,-1\n2,0,1\n"}) {
    auto data = read(good, options);
    EXPECT_TRUE(apply_label_convention(*data).ok()) << good;
  }
  auto scores = read("f,e,y\n1,0.25,0\n2,1.5,1\n", options);
  EXPECT_THAT(apply_label_convention(*scores).error().line(),
              HasSubstr("column 2, data row 2: the forecast is 1.5"));
}

TEST_F(DatasetFiles, AColumnCanBeAFeatureAndAnExpert) {
  ReadOptions options;
  options.expert_columns = {"2..3"};
  options.experts_are_features = true;
  options.feature_range = {0.0, 1.0};
  options.label_range = {0.0, 2.0};
  const auto data = read("f,e1,e2,y\n1,10,40,10\n3,30,20,30\n", options);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->features(), 3u);
  EXPECT_THAT(row_of(*data, 0), ElementsAre(0, 0, 1, 0, 3, 0)) << "as features, then as experts";
  EXPECT_THAT(row_of(*data, 1), ElementsAre(1, 1, 0, 2, 1, 2));
}

TEST_F(DatasetFiles, ImpossibleColumnsAndRangesAreUsageErrors) {
  const auto kind = [&](const ReadOptions& options) {
    return read("1,2,3\n", options).error().kind;
  };
  ReadOptions options;
  options.expert_columns = {"2..3"};
  EXPECT_EQ(kind(options), ErrorKind::usage) << "the target is column 3";
  options.expert_columns = {"2..1"};
  EXPECT_EQ(kind(options), ErrorKind::usage);
  options.expert_columns = {"1", "1..2"};
  EXPECT_EQ(kind(options), ErrorKind::usage) << "column 1 is named twice";
  options.expert_columns = {"2..4"};
  EXPECT_EQ(kind(options), ErrorKind::data);
  options.expert_columns = {"tree"};
  EXPECT_EQ(kind(options), ErrorKind::data);
  for (const Interval& range : {Interval(1, 1), Interval(2, 1), Interval(0, HUGE_VAL)}) {
    options = {};
    options.feature_range = range;
    EXPECT_EQ(kind(options), ErrorKind::usage);
    options = {};
    options.label_range = range;
    EXPECT_EQ(kind(options), ErrorKind::usage);
  }
}

TEST_F(DatasetFiles, TheClientColumnIsNoFeatureAndKeepsItsDigits) {
  ReadOptions options;
  options.client_column = std::string("who");
  options.feature_range = {0.0, 1.0};
  const auto data = read("who,a,y\n16777217,2,3\n16777216,4,6\n", options);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->features(), 1u);
  EXPECT_THAT(data->client_values(), ElementsAre(16777217, 16777216));
  options.client_column = std::string("3");
  EXPECT_EQ(read("who,a,y\n1,2,3\n", options)->features(), 2u) << "the target may tell clients";
  options.client_column = std::string("nobody");
  EXPECT_THAT(error("who,a,y\n1,2,3\n", options), HasSubstr("no client column 'nobody'"));
}

TEST_F(DatasetFiles, SeveralFilesShareColumnsAndRanges) {
  ReadOptions options;
  options.feature_range = {0.0, 1.0};
  const auto a = files.write("a.csv", "a,y\n0,1\n5,2\n");
  const auto b = files.write("b.csv", "a,y\n10,3\n");
  const auto data = read_dataset({a, b}, options);
  ASSERT_TRUE(data.ok());
  EXPECT_THAT(data->file_begin(), ElementsAre(0, 2, 3));
  EXPECT_THAT(row_of(*data, 1), ElementsAre(0.5, 2));
  EXPECT_THAT(row_of(*data, 2), ElementsAre(1, 3));
  const auto c = files.write("c.csv", "1,2,3\n");
  EXPECT_THAT(read_dataset({a, c}, options).error().line(),
              StartsWith(c + ": has 3 columns; expected 2 as in " + a));
  const auto d = files.write("d.csv", "z,y\n1,2\n");
  EXPECT_THAT(read_dataset({a, d}, options).error().line(), HasSubstr("has no column 'a'"));
}

TEST_F(DatasetFiles, NumbersBeyondFloatsAreErrors) {
  EXPECT_THAT(error("1,2\n1e39,2\n"), StartsWith(file() + ":2: column 1: '1e+39' does not fit"));
  ReadOptions options;
  options.feature_range = {0.0, 1.0};
  EXPECT_THAT(error("1,2\n-1e300,2\n", options), StartsWith(file() + ":2: column 1:"));
  EXPECT_THAT(error("1e-300,2\n3e-300,2\n", options), HasSubstr("column 1: has values within"));
}

TEST_F(DatasetFiles, ATableWithoutFeaturesIsAnError) {
  EXPECT_THAT(error("1\n2\n"), HasSubstr("has no column left for a feature"));
}

TEST(Dataset, LabelsCanBeReplaced) {
  auto data = dataset_from_values("memory", 2, std::vector<float>{1, 2, 3, 4, 5, 6});
  data->set_y(1, -1.0f);
  EXPECT_THAT(row_of(*data, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(row_of(*data, 1), ElementsAre(4, 5, -1));
  EXPECT_FALSE(dataset_from_values("memory", 2, std::vector<float>{1, 2}).ok());
}

TEST(FloatBuffer, RefusesWhatNoMemoryHolds) {
  FloatBuffer buffer;
  *buffer.append(1) = 7.0f;
  EXPECT_EQ(buffer.append(static_cast<std::size_t>(-1) / 8), nullptr);
  EXPECT_EQ(buffer.values()[0], 7.0f);
}

TEST(Dataset, ClipsWhatIsOutsideGivenRangesAndCountsItsRows) {
  const TestFiles files;
  const std::string path = files.write("a.csv", "x,z,y\n5,0,1\n-1e9,0,2\n5,40,2000\n10,1,3\n");
  ReadOptions options;
  options.feature_range = Interval{-1.0, 1.0};
  options.label_range = Interval{0.0, 1.0};
  options.ranges = Ranges{{"x", "z", "y"}, {0.0, 0.0, 1.0}, {10.0, 1.0, 3.0}};
  const auto data = read_dataset({path}, options);
  ASSERT_TRUE(data.ok()) << data.error().line();
  EXPECT_EQ(data->rows(), 4U);
  EXPECT_EQ(data->clipped(), 2U);
  EXPECT_EQ(data->x(0)[0], 0.0F);
  EXPECT_EQ(data->x(1)[0], -1.0F);
  EXPECT_EQ(data->x(2)[1], 1.0F);
  EXPECT_EQ(data->y(2), 1.0F);
  EXPECT_EQ(data->y(3), 1.0F);

  // Class labels are kept.
  options.label_range.reset();
  const auto kept = read_dataset({path}, options, TargetClipping::kept);
  EXPECT_EQ(kept->y(2), 2000.0F);
  EXPECT_EQ(kept->clipped(), 2U);
  // Unscaled columns are clipped too: a server knows their bounds from the ranges.
  options.feature_range.reset();
  const auto unscaled = read_dataset({path}, options);
  EXPECT_EQ(unscaled->x(1)[0], 0.0F);
  EXPECT_EQ(unscaled->y(2), 3.0F);
}

TEST(Dataset, ClipsNothingWithoutGivenRanges) {
  const TestFiles files;
  const std::string path = files.write("a.csv", "5,1\n-1e9,2\n");
  ReadOptions options;
  options.feature_range = Interval{-1.0, 1.0};
  EXPECT_EQ(read_dataset({path}, options)->clipped(), 0U);
}

}  // namespace
}  // namespace caucus
