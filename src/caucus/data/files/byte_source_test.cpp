#include "caucus/data/files/byte_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::string> read_all(const std::string& path) {
  CAUCUS_TRY(ByteSource source, ByteSource::open(path));
  std::string text(1 << 22, ' ');
  CAUCUS_TRY(const std::size_t got, source.read(text));
  text.resize(got);
  return text;
}

std::string random_text() {
  std::string text;
  for (unsigned k = 0; k < 100000; ++k) text += std::to_string(k * 2654435761u) + "\n";
  return text;
}

Result<std::vector<std::string>> lines_of(ByteSource source) {
  LineReader reader(source);
  std::vector<std::string> lines;
  for (std::string_view line;;) {
    CAUCUS_TRY(const bool more, reader.next(line));
    if (!more) return lines;
    lines.emplace_back(line);
  }
}

TEST(ByteSource, ReadsPlainAndGzipAlike) {
  const TestFiles files;
  const std::string text = random_text();
  EXPECT_EQ(*read_all(files.write("a", text)), text);
  EXPECT_EQ(*read_all(files.write_gzip("b", text)), text);
}

TEST(ByteSource, CanBeReadAgainAfterRewind) {
  const TestFiles files;
  auto source = ByteSource::open(files.write_gzip("a", "hello"));
  for (int pass = 0; pass < 2; ++pass) {
    std::string text(10, ' ');
    EXPECT_EQ(*source->read(text), 5u);
    EXPECT_EQ(text.substr(0, 5), "hello");
    EXPECT_TRUE(source->rewind().ok());
  }
}

TEST(ByteSource, TruncatedGzipIsAnError) {
  const TestFiles files;
  files.write_gzip("a.gz", random_text());
  const std::string bytes = files.read("a.gz");
  for (const std::size_t kept : {bytes.size() - 1, bytes.size() - 8, bytes.size() / 2}) {
    const auto result = read_all(files.write("b.gz", bytes.substr(0, kept)));
    ASSERT_FALSE(result.ok()) << kept;
    EXPECT_EQ(result.error().kind, ErrorKind::data);
    EXPECT_THAT(result.error().line(), HasSubstr("truncated gzip"));
  }
}

TEST(ByteSource, CorruptGzipIsAnError) {
  const TestFiles files;
  files.write_gzip("a.gz", random_text());
  std::string bytes = files.read("a.gz");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const auto result = read_all(files.write("b.gz", bytes));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().line(), HasSubstr("corrupt gzip"));
}

TEST(ByteSource, StreamsOneAfterTheOtherAreOne) {
  const TestFiles files;
  files.write_gzip("a.gz", random_text());
  files.write_gzip("b.gz", "the end\n");
  const std::string both = files.read("a.gz") + files.read("b.gz");
  const std::string text = random_text() + "the end\n";
  EXPECT_TRUE(*read_all(files.write("both.gz", both)) == text);
  // Bytes after the last stream are ignored, as gzip does.
  for (const std::string& rest : {std::string("x"), std::string(1000, '\0'), std::string("\x1f")}) {
    EXPECT_TRUE(*read_all(files.write("rest.gz", both + rest)) == text);
  }
  const auto cut = read_all(files.write("cut.gz", both.substr(0, both.size() - 3)));
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.error().line(), HasSubstr("truncated gzip"));
  const auto begun = read_all(files.write("begun.gz", both + "\x1f\x8b"));
  ASSERT_FALSE(begun.ok());
  EXPECT_THAT(begun.error().line(), HasSubstr("truncated gzip"));
}

TEST(ByteSource, EveryDamagedByteOfASmallGzipFileIsFoundOrHarmless) {
  const TestFiles files;
  files.write_gzip("a.gz", "x,y\n1,2\n3,4\n");
  const std::string bytes = files.read("a.gz");
  for (std::size_t k = 2; k < bytes.size(); ++k) {
    for (const int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[k] = static_cast<char>(changed[k] ^ (1 << bit));
      const auto result = read_all(files.write("b.gz", changed));
      if (!result.ok()) continue;
      EXPECT_EQ(*result, "x,y\n1,2\n3,4\n") << k << " " << bit;
    }
  }
  for (std::size_t kept = 2; kept < bytes.size(); ++kept) {
    EXPECT_FALSE(read_all(files.write("b.gz", bytes.substr(0, kept))).ok()) << kept;
  }
}

TEST(ByteSource, TheFirstByteOfAGzipFileAloneIsText) {
  const TestFiles files;
  EXPECT_EQ(*read_all(files.write("a", "\x1f")), "\x1f");
  EXPECT_EQ(*read_all(files.write("a", "\x1fy")), "\x1fy");
  EXPECT_EQ(*read_all(files.write("a", "")), "");
}

// A first read that fills its buffer starts the thread that reads ahead.
Result<std::string> read_source_in_pieces(ByteSource& source, std::size_t most) {
  std::string all;
  std::string piece(70'000, ' ');
  while (all.size() < most) {
    CAUCUS_TRY(const std::size_t got, source.read(piece));
    if (got == 0) break;
    all.append(piece, 0, got);
  }
  return all;
}

TEST(ByteSourceThread, UnpackingAheadChangesNothing) {
  const TestFiles files;
  const std::string text = random_text();
  auto source = ByteSource::open(files.write_gzip("a.gz", text));
  const auto part = read_source_in_pieces(*source, text.size() / 3);
  ASSERT_TRUE(part.ok());
  EXPECT_LT(part->size(), text.size()) << "the thread is still at work";
  EXPECT_TRUE(text.starts_with(*part));
  ASSERT_TRUE(source->rewind().ok());
  ByteSource moved = std::move(*source);
  EXPECT_TRUE(*read_source_in_pieces(moved, text.size() + 1) == text);
  ASSERT_TRUE(moved.rewind().ok());
  EXPECT_TRUE(*read_source_in_pieces(moved, text.size() + 1) == text);
}

TEST(ByteSourceThread, DamageFoundWhileUnpackingAheadIsAnError) {
  const TestFiles files;
  files.write_gzip("a.gz", random_text());
  const std::string bytes = files.read("a.gz");
  auto cut = ByteSource::open(files.write("cut.gz", bytes.substr(0, bytes.size() - 5)));
  const auto truncated = read_source_in_pieces(*cut, random_text().size() + 1);
  ASSERT_FALSE(truncated.ok());
  EXPECT_THAT(truncated.error().line(), HasSubstr("cut.gz: is a truncated gzip file"));

  std::string changed = bytes;
  changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 0x55);
  auto damaged = ByteSource::open(files.write("damaged.gz", changed));
  const auto corrupt = read_source_in_pieces(*damaged, random_text().size() + 1);
  ASSERT_FALSE(corrupt.ok());
  EXPECT_THAT(corrupt.error().line(), HasSubstr("damaged.gz: is a corrupt gzip file"));
}

TEST(ByteSource, MissingFileAndDirectoryAreDataErrors) {
  const auto missing = read_all("/nonexistent/file.csv");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::data);
  EXPECT_EQ(missing.error().where, "/nonexistent/file.csv");
  const auto directory = read_all("/tmp");
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().line(), HasSubstr("is a directory"));
}

TEST(ByteSource, AStreamIsKeptToBeReadAgain) {
  std::FILE* pipe = popen("printf 'abcdef'", "r");
  auto source = ByteSource::open("/dev/fd/" + std::to_string(fileno(pipe)));
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE(source->is_stream());
  std::string text(4, ' ');
  EXPECT_EQ(*source->read(text), 4u);
  ASSERT_TRUE(source->rewind().ok());
  EXPECT_EQ(*source->read(text), 4u);
  EXPECT_EQ(text, "abcd");
  EXPECT_EQ(*source->read(text), 2u);
  EXPECT_EQ(text, "efcd");
  pclose(pipe);
}

TEST(LineReader, TakesBothLineEndsAndALastLineWithout) {
  const auto lines = lines_of(ByteSource::from_memory("a\r\n\nb c\nlast", "f"));
  EXPECT_THAT(*lines, ElementsAre("a", "", "b c", "last"));
}

TEST(LineReader, DropsAByteOrderMarkOnlyAtTheStart) {
  const auto lines =
      lines_of(ByteSource::from_memory("\xEF\xBB\xBF"
                                       "a\n\xEF\xBB\xBF"
                                       "b\n",
                                       "f"));
  EXPECT_THAT(*lines, ElementsAre("a",
                                  "\xEF\xBB\xBF"
                                  "b"));
}

TEST(LineReader, GrowsForLongLinesUpToItsLimit) {
  const std::string fits = "x\n" + std::string(5 << 20, 'y') + "\nz\n";
  const auto lines = lines_of(ByteSource::from_memory(fits, "f"));
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ((*lines)[1].size(), std::size_t{5} << 20);
  EXPECT_EQ((*lines)[2], "z");
  const std::string endless = "x\n" + std::string(150u << 20, 'y');
  const auto refused = lines_of(ByteSource::from_memory(endless, "f"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "f:2");
}

}  // namespace
}  // namespace caucus
