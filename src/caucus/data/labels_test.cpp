#include "caucus/data/dataset.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

Dataset data_of(std::vector<float> values, std::size_t features) {
  auto data = dataset_from_values("test", features, values);
  EXPECT_TRUE(data.ok());
  return std::move(data).value();
}

TEST(Labels, BothConventionsBecomeMinusOneAndOne) {
  Dataset zeros = data_of({0.1F, 0, 0.2F, 1, 0.3F, 0}, 1);
  EXPECT_EQ(*apply_label_convention(zeros), LabelConvention::zero_one);
  EXPECT_EQ(zeros.y(0), -1.0F);
  EXPECT_EQ(zeros.y(1), 1.0F);
  Dataset signs = data_of({0.1F, -1, 0.2F, 1}, 1);
  EXPECT_EQ(*apply_label_convention(signs), LabelConvention::minus_plus);
  EXPECT_EQ(signs.y(0), -1.0F);
}

TEST(Labels, AnythingElseIsAnErrorThatNamesTheRow) {
  Dataset wrong = data_of({0.1F, 0, 0.2F, 2}, 1);
  const auto result = apply_label_convention(wrong);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().line().find("row 2"), std::string::npos);
  Dataset mixed = data_of({0.1F, 0, 0.2F, -1}, 1);
  EXPECT_FALSE(apply_label_convention(mixed).ok());
}

}  // namespace
}  // namespace caucus
