#include "caucus/result.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace caucus {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return usage_error("half", std::to_string(x) + " is odd", "expected an even one");
  return x / 2;
}

Result<int> quarter(int x) {
  CAUCUS_TRY(const int once, half(x));
  CAUCUS_TRY(const int twice, half(once));
  return twice;
}

Status even(int x) {
  if (x % 2 != 0) return data_error("even", "it is not");
  return Done{};
}

Status both_even(int a, int b) {
  CAUCUS_CHECK(even(a));
  CAUCUS_CHECK(even(b));
  return Done{};
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 4);

  const Result<int> bad = half(3);
  ASSERT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().kind, ErrorKind::usage);
  EXPECT_EQ(bad.error().what, "3 is odd");
}

TEST(Result, GivesUpAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, TryYieldsTheValueOrReturnsTheFirstError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(7).error().what, "7 is odd");
  EXPECT_EQ(quarter(6).error().what, "3 is odd");
}

TEST(Result, CheckReturnsTheFirstErrorOfAStatus) {
  EXPECT_TRUE(both_even(2, 4).ok());
  EXPECT_EQ(both_even(1, 4).error().kind, ErrorKind::data);
  EXPECT_FALSE(both_even(2, 3).ok());
}

TEST(Error, KindsAreTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(static_cast<int>(ErrorKind::usage), 2);
  EXPECT_EQ(static_cast<int>(ErrorKind::data), 3);
  EXPECT_EQ(static_cast<int>(ErrorKind::network), 4);
  EXPECT_EQ(static_cast<int>(ErrorKind::internal), 5);
}

TEST(Error, LineJoinsThePartsThatAreThere) {
  EXPECT_EQ(usage_error("a.csv:3", "'x' is no number", "expected one").line(),
            "a.csv:3: 'x' is no number; expected one");
  EXPECT_EQ(usage_error("a.csv:3", "'x' is no number").line(), "a.csv:3: 'x' is no number");
  EXPECT_EQ(usage_error("", "nothing to do").line(), "nothing to do");
}

TEST(Error, LineShowsNoControlCharacterOfAHostileName) {
  EXPECT_EQ(data_error("a\nb", "\x1b[2Jx\x7f", std::string("\0\r", 2)).line(), "a b:  [2Jx ;   ");
  EXPECT_EQ(data_error("d\xc3\xa9j\xc3\xa0", "vu").line(), "d\xc3\xa9j\xc3\xa0: vu");
}

RC_GTEST_PROP(Error, LineIsOneLineWhateverThePartsContain,
              (const std::string& where, const std::string& what, const std::string& expected)) {
  const std::string line = data_error(where, what, expected).line();
  std::string joined = where.empty() ? what : where + ": " + what;
  if (!expected.empty()) joined += "; " + expected;
  RC_ASSERT(line.size() == joined.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(joined[i]);
    RC_ASSERT(line[i] == (byte < 0x20 || byte == 0x7f ? ' ' : joined[i]));
  }
}

}  // namespace
}  // namespace caucus
