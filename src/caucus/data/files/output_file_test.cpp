#include "caucus/data/files/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "caucus/data/files/text_file.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

Status put(const std::string& path, const std::string& text, Readers readers = Readers::usual) {
  CAUCUS_TRY(OutputFile file, OutputFile::create(path, readers));
  CAUCUS_CHECK(file.write(text));
  return file.commit();
}

TEST(OutputFile, AppearsWithItsWholeContentOnCommit) {
  const TestFiles files;
  const std::string large(1 << 20, 'x');
  {
    auto file = OutputFile::create(files.path("a"));
    ASSERT_TRUE(file->write(large).ok());
    EXPECT_FALSE(std::filesystem::exists(files.path("a")));
    ASSERT_TRUE(file->write("end").ok());
    ASSERT_TRUE(file->commit().ok());
  }
  EXPECT_EQ(files.read("a"), large + "end");
  EXPECT_EQ(files.count(), 1u);
}

TEST(OutputFile, WithoutCommitTheOldFileStaysAndNothingElse) {
  const TestFiles files;
  files.write("a", "old");
  {
    auto file = OutputFile::create(files.path("a"));
    ASSERT_TRUE(file->write(std::string(1 << 20, 'x')).ok());
  }
  EXPECT_EQ(files.read("a"), "old");
  EXPECT_EQ(files.count(), 1u);
}

TEST(OutputFile, WhatAKilledProcessLeavesIsHiddenAndInNobodysWay) {
  const TestFiles files;
  for (int n = 0; n < 200; ++n) {  // names that this process would have chosen
    files.write(".a.tmp-" + std::to_string(::getpid()) + "-" + std::to_string(n), "left");
  }
  auto file = OutputFile::create(files.path("a"));
  ASSERT_TRUE(file.ok()) << file.error().line();
  for (const auto& entry : std::filesystem::directory_iterator(files.path("."))) {
    EXPECT_TRUE(entry.path().filename().string().starts_with('.')) << entry.path();
  }
  ASSERT_TRUE(file->write("new").ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(files.read("a"), "new");
}

TEST(OutputFile, ReplacesAFileBehindALinkAndKeepsItsMode) {
  const TestFiles files;
  files.write("a", "old");
  std::filesystem::permissions(
      files.path("a"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(files.path("a"), files.path("link"));
  ASSERT_TRUE(put(files.path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(files.path("link")));
  EXPECT_EQ(files.read("a"), "new");
  struct stat info {};
  ASSERT_EQ(stat(files.path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(OutputFile, ASecretIsItsOwnersEvenInPlaceOfAnOpenFile) {
  const TestFiles files;
  files.write("open", "old");
  std::filesystem::permissions(files.path("open"), std::filesystem::perms::all);
  for (const char* name : {"open", "new"}) {
    ASSERT_TRUE(put(files.path(name), "secret", Readers::owner).ok());
    struct stat info {};
    ASSERT_EQ(stat(files.path(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << name;
    EXPECT_EQ(files.read(name), "secret");
  }
}

TEST(OutputFile, AFullDiskIsAnError) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{1} << 20}) {
    const auto status = put("/dev/full", std::string(size, 'x'));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::data);
    EXPECT_THAT(status.error().line(), HasSubstr("No space left"));
  }
}

TEST(OutputFile, DevicesAreWrittenDirectly) {
  EXPECT_TRUE(put("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  testing::internal::CaptureStdout();
  EXPECT_TRUE(put("/dev/stdout", "to the terminal").ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "to the terminal");
}

TEST(OutputFile, PathsThatCannotBeWrittenAreDataErrors) {
  for (const char* path : {"/nonexistent/a", "/tmp", ""}) {
    const auto status = put(path, "x");
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().kind, ErrorKind::data);
  }
}

TEST(TextWriter, CompressesByExtension) {
  const TestFiles files;
  std::string text;
  for (int k = 0; k < 200000; ++k) text += std::to_string(k) + "\n";
  auto out = TextWriter::create(files.path("a.csv.gz"));
  for (std::size_t k = 0; k < text.size(); k += 1000) {
    ASSERT_TRUE(out->write(std::string_view(text).substr(k, 1000)).ok());
  }
  ASSERT_TRUE(out->commit().ok());
  EXPECT_LT(files.read("a.csv.gz").size(), text.size() / 2);
  auto source = ByteSource::open(files.path("a.csv.gz"));
  std::string back(text.size() + 1, ' ');
  EXPECT_EQ(*source->read(back), text.size());
  EXPECT_TRUE(back.starts_with(text));
}

}  // namespace
}  // namespace caucus
