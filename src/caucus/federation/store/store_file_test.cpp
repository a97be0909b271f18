#include "caucus/federation/store/store_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "caucus/data/test_files.hpp"
#include "caucus/federation/store/test_store.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

void make_store(const std::string& path) {
  auto store = Store::open(path, {});
  ASSERT_TRUE(store.ok()) << store.error().line();
  ASSERT_TRUE(store->create_run(some_run()).ok());
  append_up_to(*store, 1, 30);
}

// Both ways of opening refuse it, and its bytes stay.
void expect_refused(const TestFiles& files, const std::string& name, const std::string& message) {
  const std::string before = files.read(name);
  const auto written = Store::open(files.path(name), {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::data);
  EXPECT_THAT(written.error().line(), HasSubstr(message));
  const auto read = Store::open_for_reading(files.path(name));
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().line(), HasSubstr(message));
  EXPECT_EQ(files.read(name), before);
}

TEST(StoreFile, OfAnotherProgramIsRefused) {
  const TestFiles files;
  files.write("text", std::string(10000, 'x'));
  expect_refused(files, "text", "is damaged or no store (file is not a database)");
  files.write("short", "x");
  expect_refused(files, "short", "is another program's database");
  for (const char* sql : {"CREATE TABLE batches (a)", "PRAGMA application_id = 77",
                          "PRAGMA journal_mode = WAL; CREATE TABLE a (a)"}) {
    std::filesystem::remove(files.path("other.db"));
    {
      ASSERT_TRUE(
          Database::open(files.path("other.db"), Database::Access::create)->execute(sql).ok());
    }
    expect_refused(files, "other.db", "is another program's database");
  }
  EXPECT_FALSE(std::filesystem::exists(files.path("other.db-lock")));
}

TEST(StoreFile, OfAnotherVersionIsRefused) {
  const TestFiles files;
  for (const char* sql : {"PRAGMA user_version = 2", "PRAGMA user_version = 0"}) {
    std::filesystem::remove(files.path("run.db"));
    make_store(files.path("run.db"));
    tamper(files.path("run.db"), sql);
    expect_refused(files, "run.db", "is a store of version");
  }
}

TEST(StoreFile, OfAnotherVersionIsRefusedWhenOnlyTheLogSaysSo) {
  const TestFiles files;
  make_store(files.path("run.db"));
  auto newer = Database::open(files.path("run.db"), Database::Access::write);
  ASSERT_TRUE(newer->tidy_on_close(false).ok());
  ASSERT_TRUE(newer->execute("PRAGMA user_version = 2").ok());
  newer = data_error("", "closed as by kill -9");
  const std::string log = files.read("run.db-wal");
  ASSERT_FALSE(log.empty());
  expect_refused(files, "run.db", "is a store of version 2");
  EXPECT_EQ(files.read("run.db-wal"), log);
}

TEST(StoreFile, DamageIsFound) {
  const TestFiles files;
  make_store(files.path("whole.db"));
  const std::string whole = files.read("whole.db");
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(whole[at]); };
  const std::size_t size_of_page = std::size_t{byte(16)} << 8U | byte(17);  // SQLite's header
  for (const std::size_t size : {size_of_page, whole.size() / 2, whole.size() - size_of_page}) {
    files.write("cut.db", whole.substr(0, size));
    expect_refused(files, "cut.db", "is damaged");
  }
  // Noise on any page is refused at once or found when the batches are read; it never crashes.
  for (std::size_t page = 0; page < whole.size() / size_of_page; ++page) {
    std::string noisy = whole;
    noisy.replace(page * size_of_page, 200, bytes_of(page, 200));
    files.write("noisy.db", noisy);
    auto store = Store::open_for_reading(files.path("noisy.db"));
    if (!store.ok()) continue;
    const Status replayed = store->replay(0, [](auto, auto) -> Status { return Done{}; });
    EXPECT_FALSE(replayed.ok()) << page;
  }
}

TEST(StoreFile, AnEmptyFileBecomesAStore) {
  const TestFiles files;
  files.write("run.db", "");
  make_store(files.path("run.db"));
  auto store = Store::open(files.path("run.db"), {});
  expect_intact(*store);
}

TEST(StoreFile, TheRestOfAKilledCreationIsNoHindrance) {
  const TestFiles files;
  files.write("run.db-new", "half");
  files.write("run.db-new-journal", "half");
  make_store(files.path("run.db"));
  EXPECT_FALSE(std::filesystem::exists(files.path("run.db-new")));
  EXPECT_FALSE(std::filesystem::exists(files.path("run.db-new-journal")));
}

TEST(StoreFile, TheLogOfALostStoreIsNotTakenForANewOnes) {
  const TestFiles files;
  files.write("run.db-wal", "of another");
  const auto store = Store::open(files.path("run.db"), {});
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().line(),
              HasSubstr("run.db-wal: is left over from a store that is gone"));
  EXPECT_EQ(files.read("run.db-wal"), "of another");
}

TEST(StoreFile, PathsThatCannotHoldAStoreAreErrors) {
  for (const char* path : {"", "/", "/nonexistent/run.db", "/dev/null", "/dev/null/run.db", "."}) {
    const auto store = Store::open(path, {});
    ASSERT_FALSE(store.ok()) << path;
    EXPECT_EQ(store.error().kind, ErrorKind::data) << path;
  }
}

TEST(StoreFile, ADirectoryWithoutPermissionIsAnErrorForServersAndNoneForReaders) {
  const TestFiles files;
  std::filesystem::permissions(files.path(""), std::filesystem::perms(0755));
  make_store(files.path("run #1%41?.db"));
  std::filesystem::remove(files.path("run #1%41?.db-lock"));
  std::filesystem::permissions(files.path("run #1%41?.db"), std::filesystem::perms(0644));
  std::filesystem::permissions(files.path(""), std::filesystem::perms(0555));
  const int code = in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 9;  // root may write everywhere
    if (Store::open(files.path("new.db"), {}).ok()) return 1;
    if (Store::open(files.path("run #1%41?.db"), {}).ok()) return 2;
    auto reader = Store::open_for_reading(files.path("run #1%41?.db"));
    if (!reader.ok()) return 3;
    expect_intact(*reader);
    return testing::Test::HasFailure() ? 4 : 0;
  });
  std::filesystem::permissions(files.path(""), std::filesystem::perms(0755));
  EXPECT_EQ(code, 0);
  EXPECT_EQ(files.count(), 1u);
}

}  // namespace
}  // namespace caucus
