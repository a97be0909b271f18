#include "caucus/federation/hosting/store_writer.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "caucus/data/test_files.hpp"
#include "caucus/federation/store/test_store.hpp"

namespace caucus {
namespace {

Store new_store(const std::string& path, std::size_t commit_every) {
  auto store = Store::open(path, {commit_every});
  EXPECT_TRUE(store.ok()) << store.error().line();
  EXPECT_TRUE(store->create_run(some_run()).ok());
  return std::move(store).value();
}

/// What another process would find.
std::uint64_t durable_in(const std::string& path) {
  auto store = Store::open_for_reading(path);
  EXPECT_TRUE(store.ok()) << store.error().line();
  expect_intact(*store);
  return store->durable();
}

void append(StoreWriter& writer, std::uint64_t batch, std::size_t snapshot_every = 1000) {
  std::optional<std::string> snapshot;
  if (batch % snapshot_every == 0) snapshot = snapshot_of(batch).bytes;
  writer.append(batch, reports_of(batch), std::move(snapshot));
}

TEST(StoreWriterThread, WritesEveryBatchInItsOrder) {
  for (const std::size_t commit_every : {1U, 7U, 1000U}) {
    const TestFiles files;
    {
      StoreWriter writer(new_store(files.path("run.db"), commit_every));
      EXPECT_EQ(writer.in_groups(), commit_every > 1);
      writer.snapshot(0, snapshot_of(0).bytes);
      for (std::uint64_t batch = 1; batch <= 200; ++batch) append(writer, batch, 90);
      ASSERT_TRUE(writer.flush().ok());
      EXPECT_EQ(writer.durable(), 200U);
      EXPECT_EQ(durable_in(files.path("run.db")), 200U);
      append(writer, 201);
      const auto ticket = writer.snapshot(201, snapshot_of(201).bytes);
      ASSERT_TRUE(writer.flush().ok());
      EXPECT_GT(writer.written(), ticket);
      EXPECT_EQ(durable_in(files.path("run.db")), 201U);
    }
    auto store = Store::open_for_reading(files.path("run.db"));
    EXPECT_EQ((*store->latest_snapshot())->batch, 201U);
  }
}

TEST(StoreWriterThread, AFullGroupIsWrittenAtOnce) {
  const TestFiles files;
  StoreWriter writer(new_store(files.path("run.db"), 10));
  for (std::uint64_t batch = 1; batch <= 30; ++batch) {
    append(writer, batch);
    if (batch % 10 > 0) continue;
    for (int n = 0; n < 2000 && writer.durable() < batch; ++n) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(writer.durable(), batch);
  }
}

TEST(StoreWriterThread, OnlyWholeGroupsOutliveAnAbandonedOne) {
  const TestFiles files;
  {
    StoreWriter writer(new_store(files.path("run.db"), 10));
    for (std::uint64_t batch = 1; batch <= 95; ++batch) append(writer, batch);
    writer.abandon();
    append(writer, 96);  // to nowhere
  }
  const std::uint64_t durable = durable_in(files.path("run.db"));
  EXPECT_EQ(durable % 10, 0U);
  EXPECT_LE(durable, 90U);
}

TEST(StoreWriterThread, TheFirstErrorStays) {
  for (const std::size_t commit_every : {1U, 10U}) {
    const TestFiles files;
    StoreWriter writer(new_store(files.path("run.db"), commit_every));
    append(writer, 1);
    ASSERT_TRUE(writer.flush().ok());
    EXPECT_FALSE(writer.failure());
    append(writer, 3);
    EXPECT_FALSE(writer.flush().ok());
    append(writer, 2);
    EXPECT_FALSE(writer.flush().ok());
    EXPECT_TRUE(writer.failure());
    EXPECT_EQ(writer.durable(), 1U);
    EXPECT_EQ(durable_in(files.path("run.db")), 1U);
  }
}

TEST(StoreWriterThread, SaysThatItIsBehindUntilAllIsWritten) {
  for (const std::size_t commit_every : {1U, 3U}) {
    const TestFiles files;
    std::atomic<int> progress = 0;
    StoreWriter writer(new_store(files.path("run.db"), commit_every), [&] { ++progress; });
    EXPECT_FALSE(writer.is_behind());
    for (std::uint64_t batch = 1; batch <= 600; ++batch) {
      append(writer, batch);
      while (writer.is_behind()) std::this_thread::yield();
      // Clients must keep what is not durable, and can keep only so much.
      ASSERT_LE(batch, writer.durable() + (commit_every == 1 ? 0 : 2 * commit_every));
    }
    EXPECT_GE(progress, 100);
  }
}

TEST(StoreWriterThread, IsBehindWithManyBytes) {
  const TestFiles files;
  StoreWriter writer(new_store(files.path("run.db"), 1000));
  writer.append(1, {{0, std::string(StoreWriter::kMostBytes + 1, 'x')}}, {});
  EXPECT_TRUE(writer.is_behind());
  ASSERT_TRUE(writer.flush().ok());
  EXPECT_FALSE(writer.is_behind());
  EXPECT_EQ(writer.durable(), 1U);
}

}  // namespace
}  // namespace caucus
