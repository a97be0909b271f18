#include "caucus/data/files/number.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
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

std::string random_digits(std::size_t most) {
  const auto count = *rc::gen::inRange<std::size_t>(0, most + 1);
  // Zeros are frequent: they lengthen a number without making it larger.
  const auto digit = rc::gen::oneOf(rc::gen::just('0'), rc::gen::inRange('0', ':'));
  return *rc::gen::container<std::string>(count, digit);
}

/// Decimals around every limit of the fast path: any number of digits, decimals and exponents, or
/// none, and sometimes a wrong character.
std::string random_decimal() {
  std::string text = *rc::gen::element<std::string>("", "-", "", "-", "+", "--", "- ");
  text += random_digits(*rc::gen::element<std::size_t>(1, 4, 9, 20, 40));
  text += *rc::gen::element<std::string>(".", ".", ".", "", "..", "-");
  text += random_digits(*rc::gen::element<std::size_t>(1, 7, 19, 24, 40));
  text += *rc::gen::element<std::string>("", "", "", "e", "E-", "e+", "x");
  return text + random_digits(*rc::gen::element<std::size_t>(0, 0, 2, 3));
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

RC_GTEST_PROP(Number, PlainNumbersAreThoseOfFromCharsToTheBit, ()) {
  for (int k = 0; k < 200; ++k) {
    const std::string text = random_decimal();
    const char* const last = text.data() + text.size();
    double expected = 0.0;
    const auto [end, code] = std::from_chars(text.data(), last, expected);
    double value = 0.0;
    const char* const plain_end = parse_plain_number(text.data(), last, value);
    RC_ASSERT(plain_end == (code == std::errc{} ? end : nullptr));
    if (plain_end != nullptr) RC_ASSERT(same_bits(value, expected));
  }
}

RC_GTEST_PROP(Number, AllOfATextIsANumberIfFromCharsTakesAllOfIt, ()) {
  const std::string text = random_decimal();
  const std::string unsigned_text = text.starts_with('+') ? text.substr(1) : text;
  const char* const last = unsigned_text.data() + unsigned_text.size();
  double expected = 0.0;
  const auto [end, code] = std::from_chars(unsigned_text.data(), last, expected);
  double value = 0.0;
  const NumberForm form = parse_number(text, value);
  const bool two_signs = text.starts_with("+-");
  if (text.empty()) {
    RC_ASSERT(form == NumberForm::empty);
  } else if (end != last || code == std::errc::invalid_argument || two_signs) {
    RC_ASSERT(form == NumberForm::text);
  } else if (code == std::errc{}) {
    RC_ASSERT(form == NumberForm::finite);
    RC_ASSERT(same_bits(value, expected));
  }
}

RC_GTEST_PROP(Number, DigitsAroundTheLargestExactIntegerAreRoundedOnce, ()) {
  const std::uint64_t exact = std::uint64_t{1} << 53;
  std::string text = std::to_string(exact - 50 + *rc::gen::inRange<std::uint64_t>(0, 100));
  text.insert(text.size() - *rc::gen::inRange<std::size_t>(0, text.size()), ".");
  RC_ASSERT(same_bits(plain(text), std::strtod(text.c_str(), nullptr)));
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
