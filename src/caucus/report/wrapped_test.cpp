#include "caucus/report/wrapped.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>

#include "caucus/report/html_text.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, letters(line));
  return widest;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("abcdefgh", 3), "abc\ndef\ngh");
  EXPECT_EQ(wrapped("a\nb", 10), "a\nb");
  EXPECT_EQ(wrapped("", 10), "");
}

RC_GTEST_PROP(Wrapped, NoLineIsWiderAndNoWordIsLost, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::element('a', 'b', '-')));
  std::string text;
  for (const std::string& word : words) text += word + " ";
  const auto width = *rc::gen::inRange<std::size_t>(5, 60);
  const std::string lines = wrapped(text, width, *rc::gen::inRange<std::size_t>(0, 4));
  RC_ASSERT(widest_line(lines) <= width);
  RC_ASSERT(without_blanks(lines) == without_blanks(text));
}

RC_GTEST_PROP(TextTable, NoLineIsWiderThanTheTerminal, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::element('x', ' ', '7'));
  TextTable table;
  const auto columns = *rc::gen::inRange<std::size_t>(1, 12);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 5);
  const std::vector<std::size_t> list(rows, 0);
  for (std::size_t c = 0; c < columns; ++c) {
    table.add_column(*word, c == 0 || *rc::gen::arbitrary<bool>(), list,
                     [&](std::size_t) { return *word; });
  }
  const auto width = *rc::gen::inRange<std::size_t>(40, 120);
  RC_ASSERT(widest_line(table.text(width)) <= width);
}

TEST(TextTable, ColumnsWithoutRoomFollowBelow) {
  TextTable table({"name", "first", "second"});
  table.add({"a", "1", "2"});
  table.add({"b", "3", ""});
  EXPECT_EQ(table.text(12),
            "name  first\n───────────\na         1\nb         3\n"
            "\nname  second\n────────────\na          2\n");
  EXPECT_EQ(table.text(),
            "name  first  second\n───────────────────\na         1       2\n"
            "b         3\n");
}

TEST(TextTable, WordsAreShortenedBeforeColumnsMove) {
  TextTable table({"name of the candidate space", "n"});
  table.add({"gaussian with a large width", "1"});
  EXPECT_EQ(widest_line(table.text(20)), 20U);
  EXPECT_NE(table.text(20).find("gaussian with a …  1"), std::string::npos) << table.text(20);
}

TEST(ShareText, ATinyShareIsNotAnExponent) {
  EXPECT_EQ(share_text(3.86e-80), "< 1e-6");
  EXPECT_EQ(share_text(0.0), "0");
  EXPECT_EQ(share_text(0.5), "0.5");
  EXPECT_EQ(figure(3.86e-80), "< 1e-6");
  EXPECT_EQ(figure(-3.86e-80), "> −1e-6");
  EXPECT_EQ(figure(2e-8), "2 × 10⁻⁸");
}

}  // namespace
}  // namespace caucus::report
