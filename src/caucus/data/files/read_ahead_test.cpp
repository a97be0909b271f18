#include "caucus/data/files/read_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace caucus {
namespace {

constexpr std::size_t kBytes = 3'000'001;

std::string numbered_bytes() {
  std::string text(kBytes, ' ');
  for (std::size_t k = 0; k < kBytes; ++k) text[k] = static_cast<char>(k * k / 7 % 251);
  return text;
}

/// Fills from `text`, sometimes less than a block, and returns `end` after it.
ReadAhead::Fill fill_from(const std::string& text, const Result<std::size_t>& end) {
  return [&text, end, at = std::size_t{0}](std::span<char> into) mutable -> Result<std::size_t> {
    if (at == text.size()) return end;
    const std::size_t wanted = at % 3 == 0 ? into.size() : into.size() / 2 + 1;
    const std::size_t count = std::min(wanted, text.size() - at);
    std::copy_n(text.data() + at, count, into.data());
    at += count;
    return count;
  };
}

/// Reads all bytes up to the end or the error, in pieces of the given size.
std::string read_in_pieces(ReadAhead& source, std::size_t piece, bool& failed) {
  std::string all;
  std::string part(piece, ' ');
  for (;;) {
    const auto got = source.read(part);
    failed = !got.ok();
    if (failed || *got == 0) return all;
    all.append(part, 0, *got);
  }
}

TEST(ReadAheadThread, DeliversTheSameBytesForPiecesOfAnySize) {
  const std::string text = numbered_bytes();
  for (const std::size_t piece : {1000u, 131072u, 500'000u, 4'000'000u}) {
    ReadAhead source(fill_from(text, std::size_t{0}));
    bool failed = false;
    EXPECT_TRUE(read_in_pieces(source, piece, failed) == text) << piece;
    EXPECT_FALSE(failed);
    std::string more(10, ' ');
    EXPECT_EQ(*source.read(more), 0u) << "the end stays the end";
  }
}

TEST(ReadAheadThread, AnErrorComesAfterTheBytesBeforeItAndStays) {
  const std::string text = numbered_bytes();
  ReadAhead source(fill_from(text, data_error("f", "is broken")));
  bool failed = false;
  EXPECT_TRUE(read_in_pieces(source, 1, failed) == text);
  EXPECT_TRUE(failed);
  std::string more(10, ' ');
  const auto again = source.read(more);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().what, "is broken");
}

TEST(ReadAheadThread, StopsWhenNobodyReadsOn) {
  std::atomic<std::size_t> blocks = 0;
  {
    ReadAhead endless([&](std::span<char> into) -> Result<std::size_t> {
      ++blocks;
      return into.size();
    });
    std::string piece(10, ' ');
    EXPECT_EQ(*endless.read(piece), piece.size());
  }
  EXPECT_GE(blocks, 1u);
  EXPECT_LE(blocks, 4u) << "no more than there are blocks to fill";
}

}  // namespace
}  // namespace caucus
