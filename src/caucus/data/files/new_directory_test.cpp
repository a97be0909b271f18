#include "caucus/data/files/output_file.hpp"

#include <gtest/gtest.h>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

TEST(NewDirectory, VanishesUnlessKept) {
  const TestFiles files;
  {
    const auto directory = NewDirectory::make(files.path("a/b/c"));
    ASSERT_TRUE(directory.ok());
    EXPECT_TRUE(std::filesystem::is_directory(files.path("a/b/c")));
  }
  EXPECT_EQ(files.count(), 0u);
  {
    auto directory = NewDirectory::make(files.path("a/b"));
    directory->keep();
  }
  EXPECT_TRUE(std::filesystem::is_directory(files.path("a/b")));
}

TEST(NewDirectory, WhatWasThereOrHasFilesStays) {
  const TestFiles files;
  std::filesystem::create_directory(files.path("a"));
  {
    const auto directory = NewDirectory::make(files.path("a/b"));
    files.write("a/b/file", "x");
  }
  EXPECT_EQ(files.read("a/b/file"), "x");
  std::filesystem::remove(files.path("a/b/file"));
  { const auto directory = NewDirectory::make(files.path("a/b")); }
  EXPECT_TRUE(std::filesystem::is_directory(files.path("a/b")));
}

TEST(NewDirectory, AFileInTheWayIsADataErrorAndNothingIsLeft) {
  const TestFiles files;
  files.write("file", "x");
  for (const char* name : {"file", "file/below"}) {
    const auto directory = NewDirectory::make(files.path(name));
    ASSERT_FALSE(directory.ok()) << name;
    EXPECT_EQ(directory.error().kind, ErrorKind::data);
  }
  EXPECT_EQ(files.read("file"), "x");
}

}  // namespace
}  // namespace caucus
