#include "caucus/core/base/state_io.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/test_numbers.hpp"

namespace caucus {
namespace {

TEST(StateIo, NumbersAreLittleEndian) {
  StateWriter writer;
  writer.u8(1);
  writer.u32(0x04030201);
  writer.u64(0x0807060504030201);
  writer.real(1.0);
  EXPECT_EQ(writer.bytes(), std::string("\1\1\2\3\4\1\2\3\4\5\6\7\10\0\0\0\0\0\0\xF0\x3F", 21));
}

TEST(StateIo, WhatIsWrittenIsReadBitForBit) {
  const std::vector<double> reals = {-0.0, 5e-324, -kInfinity, 0.1};
  const AlignedVector<float> floats = {1.5F, -0.0F, 1e-45F};
  const std::vector<std::uint32_t> none;
  StateWriter writer;
  writer.flag(true);
  writer.numbers(reals);
  writer.numbers(std::span<const float>(floats).first(2));
  writer.numbers(none);
  writer.text(std::string_view("a\0b", 3));
  writer.number(0.25F);
  const std::string bytes = writer.take();
  EXPECT_TRUE(writer.bytes().empty());

  StateReader reader(bytes);
  EXPECT_TRUE(reader.flag());
  std::vector<double> again(4);
  reader.numbers(again);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(again[k]), std::bit_cast<std::uint64_t>(reals[k]));
  }
  const auto two = reader.numbers<float>();
  ASSERT_EQ(two.size(), 2U);
  EXPECT_TRUE(std::signbit(two[1]));
  EXPECT_TRUE(reader.numbers<std::uint32_t>().empty());
  EXPECT_EQ(reader.text(), std::string_view("a\0b", 3));
  EXPECT_EQ(reader.number<float>(), 0.25F);
  EXPECT_TRUE(reader.done().ok());
}

TEST(StateIo, AfterTheFirstFailureAllIsZeroAndTheFirstErrorStays) {
  StateWriter writer;
  writer.u32(7);
  StateReader reader(writer.bytes(), "file.state");
  EXPECT_EQ(reader.u64(), 0U);
  EXPECT_EQ(reader.u32(), 0U);  // the bytes exist, but the reader has failed
  std::vector<double> some = {1.0, 2.0};
  reader.numbers(some);
  EXPECT_EQ(some, std::vector<double>(2, 0.0));
  EXPECT_TRUE(reader.numbers<float>().empty());
  EXPECT_TRUE(reader.text().empty());
  (void)reader.refuse("something else");
  EXPECT_FALSE(reader.ok());
  ASSERT_FALSE(reader.done().ok());
  EXPECT_EQ(reader.done().error().line(),
            "file.state: at byte 0: ends where 8 bytes should be; expected 4 more");
}

TEST(StateIo, AListIsNeverLongerThanItsBytes) {
  for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    StateWriter writer;
    writer.u64(count);
    writer.real(1.0);
    writer.real(2.0);
    StateReader reader(writer.bytes());
    EXPECT_TRUE(reader.numbers<double>().empty());
    EXPECT_FALSE(reader.ok()) << count;
  }
}

TEST(StateIo, AListOfAnotherLengthIsAnError) {
  StateWriter writer;
  writer.numbers(std::vector<double>{1.0, 2.0});
  StateReader reader(writer.bytes());
  std::vector<double> three = {5.0, 5.0, 5.0};
  reader.numbers(three);
  EXPECT_EQ(three, std::vector<double>(3, 0.0));
  ASSERT_FALSE(reader.status().ok());
  EXPECT_NE(reader.status().error().line().find("a list of 2; expected 3"), std::string::npos);
}

TEST(StateIo, FlagsNamesAndTheEndAreChecked) {
  StateWriter writer;
  writer.u8(2);
  StateReader flag(writer.bytes());
  (void)flag.flag();
  EXPECT_FALSE(flag.ok());

  StateWriter name;
  name.text("theirs");
  StateReader reader(name.bytes());
  reader.expect("ours");
  EXPECT_FALSE(reader.ok());

  StateReader unread(name.bytes());
  EXPECT_TRUE(unread.status().ok());
  EXPECT_FALSE(unread.done().ok());
}

TEST(StateIo, ASealBreaksWithAnyByte) {
  const std::string whole = sealed("a state");
  const auto content = unsealed(whole, "file");
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(*content, "a state");
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_FALSE(unsealed(whole.substr(0, k), "file").ok()) << k;
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[k] = static_cast<char>(changed[k] ^ (1 << bit));
      EXPECT_FALSE(unsealed(changed, "file").ok()) << k;
    }
  }
}

}  // namespace
}  // namespace caucus
