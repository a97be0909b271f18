#include "caucus/federation/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "caucus/data/test_files.hpp"
#include "caucus/federation/store/test_store.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

Status ignore(std::uint64_t /*batch*/, std::span<const StoredReport> /*reports*/) { return Done{}; }

Store opened(const std::string& path, std::size_t commit_every = 1) {
  auto store = Store::open(path, {commit_every});
  EXPECT_TRUE(store.ok()) << store.error().line();
  return std::move(store).value();
}

Store opened_for_reading(const std::string& path) {
  auto store = Store::open_for_reading(path);
  EXPECT_TRUE(store.ok()) << store.error().line();
  return std::move(store).value();
}

Store with_run(const std::string& path, std::size_t commit_every = 1) {
  Store store = opened(path, commit_every);
  EXPECT_TRUE(store.create_run(some_run()).ok());
  return store;
}

TEST(Store, ANewOneIsEmpty) {
  const TestFiles files;
  Store store = opened(files.path("run.db"));
  EXPECT_FALSE(store.run().has_value());
  EXPECT_EQ(store.durable(), 0u);
  EXPECT_FALSE(store.latest_snapshot()->has_value());
  expect_intact(store);
}

TEST(Store, GivesBackWhatItWasGiven) {
  const TestFiles files;
  {
    Store store = with_run(files.path("run.db"));
    append_up_to(store, 1, 20);
    EXPECT_EQ(store.durable(), 20u);
    expect_intact(store);
  }
  {
    Store store = opened(files.path("run.db"));
    EXPECT_EQ(store.durable(), 20u);
    EXPECT_EQ(store.run()->identity, some_run().identity);
    EXPECT_EQ(store.run()->plan, some_run().plan);
    append_up_to(store, 21, 23);
    expect_intact(store);
    ASSERT_TRUE(store.snapshot(snapshot_of(23)).ok());
    ASSERT_TRUE(store.snapshot(snapshot_of(23)).ok());  // also of the same batch again
  }
  Store store = opened(files.path("run.db"));
  EXPECT_EQ(store.durable(), 23u);
  expect_intact(store);
}

TEST(Store, NoticesAtASnapshotThatItsFileIsGone) {
  for (const bool replaced : {false, true}) {
    const TestFiles files;
    const std::string path = files.path("run.db");
    Store store = with_run(path);
    append_up_to(store, 1, 3);
    ASSERT_TRUE(store.snapshot(snapshot_of(3)).ok());
    std::filesystem::rename(path, path + "-moved");
    if (replaced) files.write("run.db", "another file");
    append_up_to(store, 4, 5);
    const Status status = store.snapshot(snapshot_of(5));
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error().line(),
                HasSubstr(path + ": was removed, renamed or replaced while it was served"));
  }
}

TEST(Store, OnlyItsOwnerCanReadIt) {
  const TestFiles files;
  const std::string path = files.path("run.db");
  const mode_t before = ::umask(0);
  Store store = with_run(path);
  append_up_to(store, 1, 3);
  ::umask(before);
  for (const char* part : {"", "-wal", "-shm", "-lock"}) {
    struct stat info {};
    ASSERT_EQ(::stat((path + part).c_str(), &info), 0) << part;
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << part;
  }
}

TEST(Store, RemembersWhoHasAcknowledgedTheEnd) {
  const TestFiles files;
  {
    Store store = with_run(files.path("run.db"), 10);
    EXPECT_FALSE(store.acknowledged()->has_value());
    append_up_to(store, 1, 3);
    ASSERT_TRUE(store.set_acknowledged("01").ok());
    EXPECT_EQ(store.durable(), 3u);  // with all that was appended before
    ASSERT_TRUE(store.set_acknowledged("11").ok());
  }
  Store store = opened(files.path("run.db"));
  EXPECT_EQ(*store.acknowledged(), "11");
  expect_intact(store);
}

TEST(Store, CountsItsServers) {
  const TestFiles files;
  {
    Store store = opened(files.path("run.db"));
    EXPECT_FALSE(store.count_start().ok());  // of which run?
    ASSERT_TRUE(store.create_run(some_run()).ok());
    EXPECT_EQ(*store.count_start(), 1U);
    EXPECT_FALSE(store.started());
  }
  Store store = opened(files.path("run.db"));
  EXPECT_EQ(*store.count_start(), 2U);
  append_up_to(store, 1, 3);
  expect_intact(store);
}

TEST(Store, EmptyBytesAreKeptAsSuch) {
  const TestFiles files;
  {
    Store store = opened(files.path("run.db"));
    ASSERT_TRUE(store.create_run({}).ok());
    ASSERT_TRUE(store.append(1, {}).ok());
    ASSERT_TRUE(store.snapshot({1, ""}).ok());
  }
  Store store = opened(files.path("run.db"));
  EXPECT_EQ(store.run()->plan, "");
  EXPECT_EQ((*store.latest_snapshot())->bytes, "");
}

TEST(Store, AGroupBecomesDurableAsAWhole) {
  const TestFiles files;
  {
    Store store = with_run(files.path("run.db"), 4);
    append_up_to(store, 1, 3);
    EXPECT_EQ(store.durable(), 0u);
    append_up_to(store, 4, 10);
    EXPECT_EQ(store.durable(), 8u);
    EXPECT_EQ(Store::open_for_reading(files.path("run.db"))->durable(), 8u);
  }
  {
    Store store = opened(files.path("run.db"), 100);
    EXPECT_EQ(store.durable(), 8u);
    append_up_to(store, 9, 15);
    ASSERT_TRUE(store.commit().ok());
    EXPECT_EQ(store.durable(), 15u);
    append_up_to(store, 16, 17);
  }
  Store store = opened(files.path("run.db"));
  EXPECT_EQ(store.durable(), 15u);
  expect_intact(store);
}

TEST(Store, ASnapshotCommitsAndForgetsTheReportsBeforeIt) {
  const TestFiles files;
  {
    Store store = with_run(files.path("run.db"), 100);
    append_up_to(store, 1, 12);
    ASSERT_TRUE(store.snapshot(snapshot_of(10)).ok());
    EXPECT_EQ(store.durable(), 12u);
  }
  Store store = opened(files.path("run.db"));
  EXPECT_EQ(store.durable(), 12u);
  expect_intact(store);
  EXPECT_THAT(store.replay(9, ignore).error().line(), HasSubstr("expected a batch from 10 to 12"));
  ASSERT_TRUE(store.snapshot(snapshot_of(12)).ok());
  expect_intact(store);
  append_up_to(store, 13, 14);
  expect_intact(store);
}

TEST(Store, KeepsWhatWasLearnedWhenASnapshotForgetsTheReports) {
  const TestFiles files;
  Store store = with_run(files.path("run.db"), 2);
  append_up_to(store, 1, 2);
  ASSERT_TRUE(store.keep_learned(3, "three").ok());
  EXPECT_EQ(opened_for_reading(files.path("run.db")).learned(3).value(), std::nullopt)
      << "the batch is not durable yet";
  append_up_to(store, 3, 4);
  ASSERT_TRUE(store.snapshot(snapshot_of(4)).ok());
  Store reader = opened_for_reading(files.path("run.db"));
  EXPECT_EQ(reader.learned(3).value(), "three");
  EXPECT_EQ(reader.learned(2).value(), std::nullopt);
  EXPECT_EQ(reader.snapshot_batch(), 4U);
}

TEST(Store, PruningKeepsTheFileSmall) {
  const TestFiles files;
  {
    Store store = with_run(files.path("run.db"), 50);
    for (std::uint64_t batch = 1; batch <= 4000; ++batch) {
      ASSERT_TRUE(store.append(batch, reports_of(batch)).ok());
      if (batch % 100 != 0) continue;
      ASSERT_TRUE(store.snapshot(snapshot_of(batch)).ok());
    }
  }
  EXPECT_LT(std::filesystem::file_size(files.path("run.db")), 1u << 20);  // of 7 MB appended
}

TEST(Store, MistakesOfTheCallerAreErrorsAndChangeNothing) {
  const TestFiles files;
  Store store = opened(files.path("run.db"), 10);
  EXPECT_THAT(store.append(1, {}).error().line(), HasSubstr("holds no run yet"));
  ASSERT_TRUE(store.create_run({{9}, "another"}).ok());
  ASSERT_TRUE(store.create_run(some_run()).ok());  // the other one has not started
  EXPECT_EQ(store.run()->plan, some_run().plan);
  EXPECT_FALSE(store.started());
  append_up_to(store, 1, 5);
  EXPECT_TRUE(store.started());
  EXPECT_THAT(store.create_run(some_run()).error().line(), HasSubstr("holds a run already"));
  for (const std::uint64_t batch : {0u, 4u, 5u, 7u}) {
    EXPECT_THAT(store.append(batch, {}).error().line(),
                HasSubstr("cannot append batch " + std::to_string(batch) + "; expected batch 6"));
  }
  EXPECT_FALSE(store.snapshot(snapshot_of(6)).ok());
  ASSERT_TRUE(store.snapshot(snapshot_of(3)).ok());
  EXPECT_FALSE(store.snapshot(snapshot_of(2)).ok());
  EXPECT_FALSE(store.replay(6, ignore).ok());
  append_up_to(store, 6, 6);
  ASSERT_TRUE(store.commit().ok());
  EXPECT_EQ(store.durable(), 6u);
  expect_intact(store);
  EXPECT_EQ(Store::open(files.path("other.db"), {0}).error().kind, ErrorKind::usage);
}

TEST(Store, ReplayEndsWithTheCallbacksError) {
  const TestFiles files;
  Store store = with_run(files.path("run.db"));
  append_up_to(store, 1, 5);
  std::uint64_t seen = 0;
  const Status status = store.replay(1, [&](std::uint64_t batch, auto) -> Status {
    seen = batch;
    if (batch == 3) return data_error("here", "no more");
    return Done{};
  });
  EXPECT_EQ(status.error().what, "no more");
  EXPECT_EQ(seen, 3u);
  expect_intact(store);
}

TEST(Store, MovesWithItsLockAndItsOpenGroup) {
  const TestFiles files;
  {
    Store store = with_run(files.path("a.db"), 10);
    append_up_to(store, 1, 3);
    Store moved = std::move(store);
    ASSERT_TRUE(moved.commit().ok());
    EXPECT_FALSE(Store::open(files.path("a.db"), {}).ok());
  }
  Store again = opened(files.path("a.db"));
  EXPECT_EQ(again.durable(), 3u);
}

TEST(Store, ASecondServerIsRefusedAndReadersAreNot) {
  const TestFiles files;
  Store store = with_run(files.path("run.db"));
  append_up_to(store, 1, 3);
  std::filesystem::create_symlink(files.path("run.db"), files.path("link.db"));
  const auto refused = [&](const std::string& name) {
    const auto second = Store::open(files.path(name), {});
    return !second.ok() && second.error().line() ==
                               std::filesystem::canonical(files.path("run.db")).string() +
                                   ": is in use by another server; expected one server per store";
  };
  EXPECT_TRUE(refused("run.db"));
  EXPECT_TRUE(refused("link.db"));
  EXPECT_EQ(in_child([&] { return refused("run.db") ? 0 : 1; }), 0);
  auto reader = Store::open_for_reading(files.path("run.db"));
  ASSERT_TRUE(reader.ok()) << reader.error().line();
  expect_intact(*reader);
  append_up_to(store, 4, 6);
  expect_intact(store);
}

TEST(Store, AReaderSeesOneMoment) {
  const TestFiles files;
  Store store = with_run(files.path("run.db"));
  append_up_to(store, 1, 3);
  auto reader = Store::open_for_reading(files.path("run.db"));
  append_up_to(store, 4, 6);
  ASSERT_TRUE(store.snapshot(snapshot_of(6)).ok());
  EXPECT_EQ(reader->durable(), 3u);
  expect_intact(*reader);
  auto later = Store::open_for_reading(files.path("run.db"));
  EXPECT_EQ(later->durable(), 6u);
  expect_intact(*later);
}

TEST(Store, AReaderCannotWrite) {
  const TestFiles files;
  { with_run(files.path("run.db")); }
  auto reader = Store::open_for_reading(files.path("run.db"));
  ASSERT_TRUE(reader.ok());
  for (const Status& status : {reader->append(1, {}), reader->commit(), reader->snapshot({}),
                               reader->create_run({}), reader->set_acknowledged("1")}) {
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error().line(), HasSubstr("open for reading only"));
  }
  const auto missing = Store::open_for_reading(files.path("missing.db"));
  EXPECT_THAT(missing.error().line(), HasSubstr("there is no store"));
  EXPECT_FALSE(std::filesystem::exists(files.path("missing.db")));
}

TEST(Store, DamagedBytesAreNamedByTheirBatch) {
  const TestFiles files;
  const std::string path = files.path("run.db");
  const auto line_after = [&](const char* sql) {
    std::filesystem::remove(path);
    {
      Store store = with_run(path);
      append_up_to(store, 1, 12);
      EXPECT_TRUE(store.snapshot(snapshot_of(3)).ok());
    }
    tamper(path, sql);
    auto store = Store::open(path, {});
    if (!store.ok()) return store.error().line();
    const auto snapshot = store->latest_snapshot();
    if (!snapshot.ok()) return snapshot.error().line();
    const Status replayed = store->replay(3, ignore);
    return replayed.ok() ? std::string("no error") : replayed.error().line();
  };
  EXPECT_EQ(line_after(""), "no error");
  for (const char* sql :
       {"UPDATE batches SET reports = CAST(reports || x'00' AS BLOB) WHERE batch = 9",
        "UPDATE batches SET reports = x'' WHERE batch = 9",
        "UPDATE batches SET checksum = checksum + 1 WHERE batch = 9",
        "UPDATE batches SET (reports, checksum) = "
        "(SELECT reports, checksum FROM batches WHERE batch = 8) WHERE batch = 9"}) {
    EXPECT_THAT(line_after(sql), HasSubstr("batch 9 is damaged")) << sql;
  }
  EXPECT_THAT(line_after("DELETE FROM batches WHERE batch = 9"), HasSubstr("batch 9 is missing"));
  EXPECT_THAT(line_after("DELETE FROM batches WHERE batch = 4"), HasSubstr("batch 4 is missing"));
  EXPECT_THAT(line_after("UPDATE records SET batch = 2 WHERE name = 'snapshot'"),
              HasSubstr("the snapshot's record, of batch 2, is damaged"));
  EXPECT_THAT(line_after("UPDATE records SET bytes = x'01' WHERE name = 'run'"),
              HasSubstr("the run's record"));
}

}  // namespace
}  // namespace caucus
