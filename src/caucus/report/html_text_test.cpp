#include "caucus/report/html_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace caucus::report {
namespace {

TEST(HtmlText, NothingThatIsEscapedCanOpenATagOrLeaveAnAttribute) {
  EXPECT_EQ(escaped("<script>alert('a' & \"b\")</script>"),
            "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
  EXPECT_EQ(escaped("größer ≤ 𝕂\n\t"), "größer ≤ 𝕂\n\t");
}

TEST(HtmlText, WhatIsNotUtf8IsReplaced) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFFz"), "a" + replacement + "z");
  EXPECT_EQ(escaped(std::string("a\0z", 3)), "a" + replacement + "z");
  EXPECT_EQ(escaped("\xC3"), replacement);                                 // cut off
  EXPECT_EQ(escaped("\xC0\xAF"), replacement + replacement);               // a slash, too long
  EXPECT_EQ(escaped("\xED\xA0\x80").find('\xED'), std::string::npos);      // half of a pair
  EXPECT_EQ(escaped("\xF4\x90\x80\x80").find('\xF4'), std::string::npos);  // beyond Unicode
  EXPECT_EQ(escaped("\xC3<"), replacement + "&lt;");  // the tag is seen all the same
}

TEST(HtmlText, LongTextIsCutBetweenCodePoints) {
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größer", 5), "größ…");
  EXPECT_EQ(shortened("größer", 4), "grö…");
  EXPECT_EQ(letters("grö…"), 4U);
}

TEST(HtmlText, FiguresAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(figure(0.0), "0");
  EXPECT_EQ(figure(-0.0), "0");
  EXPECT_EQ(figure(0.0112057), "0.01121");
  EXPECT_EQ(figure(-3.5), "−3.5");
  EXPECT_EQ(figure(176.0), "176");
  EXPECT_EQ(figure(999.96), "1,000");
  EXPECT_EQ(figure(16590.2), "16,590");
  EXPECT_EQ(figure(1e7), "10⁷");
  EXPECT_EQ(figure(-1.23456e-7), "−1.235 × 10⁻⁷");
  EXPECT_EQ(figure(1e300), "10³⁰⁰");
  EXPECT_EQ(figure(std::nan("")), "–");
  EXPECT_EQ(figure(-HUGE_VAL), "−∞");
  EXPECT_EQ(figure(153.7, 2), "154");
}

TEST(HtmlText, AValueIsWrittenToTheSecondDigitOfItsSpread) {
  EXPECT_EQ(figure_with_spread(0.0112057, 0.000188), "0.01121 ± 0.00019");
  EXPECT_EQ(figure_with_spread(0.0604, 0.034), "0.060 ± 0.034");
  EXPECT_EQ(figure_with_spread(-12.34, 1.27), "−12.3 ± 1.3");
  EXPECT_EQ(figure_with_spread(123456.0, 789.0), "123,456 ± 789");
  EXPECT_EQ(figure_with_spread(0.0102, 1e-12), "0.0102 ± 10⁻¹²");
  EXPECT_EQ(figure_with_spread(0.5, 0.0), "0.5");
  EXPECT_EQ(figure_with_spread(0.5, std::nan("")), "0.5");
  EXPECT_EQ(figure_with_spread(std::nan(""), 1.0), "–");
}

}  // namespace
}  // namespace caucus::report
