#include "caucus/data/number.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace caucus {
namespace {

NumberForm form_of(std::string_view text) {
  double value = 0.0;
  return parse_number(text, value);
}

double plain(const std::string& text) {
  double value = -7.0;
  const char* last = text.data() + text.size();
  return parse_plain_number(text.data(), last, value) == last ? value : -7.0;
}

TEST(Number, TellsFormsApart) {
  for (const char* text : {"1", "+1", "-1.5e-3", ".5", "5.", "1e-999", "1E5", "007"}) {
    EXPECT_EQ(form_of(text), NumberForm::finite) << text;
  }
  for (const char* text : {"nan", "-inf", "Infinity", "+NaN", "1e999", "-1e400"}) {
    EXPECT_EQ(form_of(text), NumberForm::not_finite) << text;
  }
  for (const char* text : {"a", "1x", "++1", "+-1", "-", "+", "0x10", "1 2", "1,5", "e5", "."}) {
    EXPECT_EQ(form_of(text), NumberForm::text) << text;
  }
  EXPECT_EQ(form_of(""), NumberForm::empty);
}

TEST(Number, UnderflowIsRounded) {
  double value = 1.0;
  EXPECT_EQ(parse_number("-1e-999", value), NumberForm::finite);
  EXPECT_EQ(value, 0.0);
  EXPECT_EQ(parse_number("4.9e-324", value), NumberForm::finite);
  EXPECT_GT(value, 0.0);
}

RC_GTEST_PROP(Number, ShortDecimalsParseToTheBitsOfStrtod, ()) {
  const auto digits = *rc::gen::inRange<std::uint64_t>(0, 10'000'000'000'000'000);
  const auto decimals = *rc::gen::inRange<std::size_t>(0, 18);
  const std::string all = std::string(18, '0') + std::to_string(digits);
  const std::size_t whole = std::min<std::size_t>(all.size() - decimals, 17);
  std::string text = *rc::gen::arbitrary<bool>() ? "-" : "";
  text.append(all.substr(all.size() - decimals - whole, whole)).append(".");
  text.append(all.substr(all.size() - decimals));
  RC_ASSERT(std::bit_cast<std::uint64_t>(plain(text)) ==
            std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)));
}

RC_GTEST_PROP(Number, PrintingIsUndoneByParsing, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  double value = 0.0;
  RC_ASSERT(parse_number(to_text(number), value) == NumberForm::finite);
  RC_ASSERT(value == number);
  RC_ASSERT(plain(to_text(number)) == number);
}

TEST(Number, NamesAreQuotedOnlyWhereNeeded) {
  EXPECT_EQ(csv_name("price"), "price");
  EXPECT_EQ(csv_name("2010"), "\"2010\"");
  EXPECT_EQ(csv_name(""), "\"\"");
  EXPECT_EQ(csv_name("a,\"b\""), "\"a,\"\"b\"\"\"");
}

}  // namespace
}  // namespace caucus
