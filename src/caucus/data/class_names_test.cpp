#include "caucus/data/class_names.hpp"

#include "caucus/data/test_files.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace caucus {
namespace {

using Texts = std::vector<std::string>;

Dataset with_targets(const std::vector<float>& targets) {
  std::vector<float> values;
  for (const float y : targets) values.insert(values.end(), {0.5F, y});
  return dataset_from_values("data", 1, values).value();
}

TEST(ClassNames, AreTheNumbersThatOccurInTheirOrder) {
  Dataset data = with_targets({7, 2.5, -1, 7});
  EXPECT_EQ(apply_classes(data).value(), (Texts{"-1", "2.5", "7"}));
  EXPECT_EQ(data.y(0), 2.0F);
  EXPECT_EQ(data.y(1), 1.0F);
  EXPECT_EQ(data.y(2), 0.0F);
}

TEST(ClassNames, MayBeGiven) {
  Dataset data = with_targets({1, 0, 1});
  EXPECT_EQ(apply_classes(data, {"2", "1", "0"}).value(), (Texts{"2", "1", "0"}));
  EXPECT_EQ(data.y(0), 1.0F);
  EXPECT_EQ(data.y(1), 2.0F);
  EXPECT_EQ(numbered_classes(3), (Texts{"0", "1", "2"}));
}

TEST(ClassNames, AreThoseOfExpertsToo) {
  const TestFiles files;
  const std::string path = files.write("d.csv", "a,e,y\n1,5,7\n2,7,5\n3,6,5\n");
  ReadOptions options;
  options.expert_columns = {"e"};
  Dataset data = read_dataset({path}, options, TargetClipping::kept).value();
  EXPECT_EQ(apply_classes(data).value(), (Texts{"5", "7"}));
  EXPECT_EQ(data.x(0)[1], 0.0F);
  EXPECT_EQ(data.x(1)[1], 1.0F);
  EXPECT_EQ(data.x(2)[1], kNoClass);
}

TEST(ClassNames, OfOtherTargetsAreErrors) {
  Dataset unknown = with_targets({1, 3});
  EXPECT_EQ(apply_classes(unknown, {"1", "2"}).error().line(),
            "data: the target '3' is not one of the classes; expected 1, 2");
  Dataset one = with_targets({1, 1});
  EXPECT_NE(apply_classes(one).error().line().find("one value"), std::string::npos);
  std::vector<float> many;
  for (int k = 0; k < 1001; ++k) many.push_back(static_cast<float>(k));
  Dataset numbers = with_targets(many);
  EXPECT_NE(apply_classes(numbers).error().line().find("1000"), std::string::npos);
}

}  // namespace
}  // namespace caucus
