#include "caucus/core/base/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace caucus {
namespace {

double read(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// Returns the number of significant digits of the text, without leading and trailing zeros.
int significant_digits(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  digits.erase(digits.find_last_not_of('0') + 1);
  return static_cast<int>(digits.size());
}

TEST(Text, PlainNumbersLookPlain) {
  EXPECT_EQ(to_text(0.0), "0");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(-2.0), "-2");
  EXPECT_EQ(to_text(0.25), "0.25");
  EXPECT_EQ(to_text(1e300), "1e+300");
}

TEST(Text, OneOfAThingIsSingular) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(12, "row"), "12 rows");
}

TEST(Text, InfinitiesAndTheExtremesOfDoubleFit) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {Limits::infinity(), -Limits::infinity(), Limits::max(),
                             Limits::lowest(), Limits::min(), -Limits::denorm_min()}) {
    EXPECT_EQ(read(to_text(value)), value);
  }
  EXPECT_TRUE(std::isnan(read(to_text(Limits::quiet_NaN()))));
}

RC_GTEST_PROP(Text, ReadsBackToTheSameBits, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits * 0x9E3779B97F4A7C15ULL);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(std::bit_cast<std::uint64_t>(read(to_text(value))) ==
            std::bit_cast<std::uint64_t>(value));
}

RC_GTEST_PROP(Text, OneDigitFewerWouldNotReadBack, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits * 0x9E3779B97F4A7C15ULL);
  RC_PRE(std::isfinite(value));
  const std::string text = to_text(value);
  const int digits = significant_digits(text);
  // Whole numbers below 1e22 may be written out, to their last digit.
  if (digits < 2 || text.find_first_of("e.") == std::string::npos) return;
  char shorter[64];
  std::snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
  RC_ASSERT(read(shorter) != value);
}

TEST(Text, NearestWordHasFewestEdits) {
  EXPECT_EQ(nearest("prise", {"size", "price", "age"}), "price");
  EXPECT_EQ(nearest("clinets", {"partition", "clients"}), "clients");
}

TEST(Text, AWordWithoutItsEndIsNearerThanOneOfFewerEdits) {
  EXPECT_EQ(nearest("linger", {"listen", "linger_ms"}), "linger_ms");
  EXPECT_EQ(nearest("li", {"li_very_long", "ln"}), "ln") << "two letters begin too many words";
}

TEST(Text, AWordUnlikeAllOthersHasNoNearest) {
  EXPECT_EQ(nearest("b.toml", {"--sample", "--clients"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
}

}  // namespace
}  // namespace caucus
