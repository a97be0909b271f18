#include "caucus/federation/store/store_writer.hpp"

#include <chrono>
#include <thread>

#include "caucus/data/test_files.hpp"
#include "caucus/federation/store/store_testing.hpp"

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

Status append(StoreWriter& writer, std::uint64_t batch, std::size_t snapshot_every = 1000) {
  std::optional<std::string> snapshot;
  if (batch % snapshot_every == 0) snapshot = snapshot_of(batch).bytes;
  return writer.append(batch, reports_of(batch), std::move(snapshot));
}

TEST(StoreWriterThread, WritesEveryBatchInItsOrder) {
  for (const std::size_t commit_every : {1U, 7U, 1000U}) {
    const TestFiles files;
    {
      StoreWriter writer(new_store(files.path("run.db"), commit_every));
      EXPECT_EQ(writer.in_groups(), commit_every > 1);
      ASSERT_TRUE(writer.snapshot(0, snapshot_of(0).bytes).ok());
      EXPECT_EQ(durable_in(files.path("run.db")), 0U);
      for (std::uint64_t batch = 1; batch <= 200; ++batch) {
        ASSERT_TRUE(append(writer, batch, 90).ok());
        if (commit_every == 1) {
          EXPECT_EQ(writer.durable(), batch);
        }
      }
      ASSERT_TRUE(writer.flush().ok());
      EXPECT_EQ(writer.durable(), 200U);
      EXPECT_EQ(durable_in(files.path("run.db")), 200U);
      ASSERT_TRUE(append(writer, 201).ok());
      ASSERT_TRUE(writer.snapshot(201, snapshot_of(201).bytes).ok());
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
    ASSERT_TRUE(append(writer, batch).ok());
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
    for (std::uint64_t batch = 1; batch <= 95; ++batch) ASSERT_TRUE(append(writer, batch).ok());
    writer.abandon();
    EXPECT_TRUE(append(writer, 96).ok());  // to nowhere
  }
  const std::uint64_t durable = durable_in(files.path("run.db"));
  EXPECT_EQ(durable % 10, 0U);
  EXPECT_LE(durable, 90U);
}

TEST(StoreWriterThread, AnErrorIsToldToWhoeverComesNextAndStays) {
  for (const std::size_t commit_every : {1U, 10U}) {
    const TestFiles files;
    StoreWriter writer(new_store(files.path("run.db"), commit_every));
    ASSERT_TRUE(append(writer, 1).ok());
    ASSERT_TRUE(writer.flush().ok());
    const Status gap = append(writer, 3);
    if (commit_every == 1) {
      EXPECT_FALSE(gap.ok());
    }
    EXPECT_FALSE(writer.flush().ok());
    EXPECT_FALSE(append(writer, 2).ok());
    EXPECT_FALSE(writer.snapshot(1, "").ok());
    EXPECT_EQ(writer.durable(), 1U);
    EXPECT_EQ(durable_in(files.path("run.db")), 1U);
  }
}

TEST(StoreWriterThread, WhoeverBringsTooMuchWaits) {
  const TestFiles files;
  StoreWriter writer(new_store(files.path("run.db"), 1000));
  const std::string large(StoreWriter::kMostBytes / 4, 'x');
  for (std::uint64_t batch = 1; batch <= 12; ++batch) {  // three times what may wait
    ASSERT_TRUE(writer.append(batch, {{0, large}}, {}).ok());
  }
  ASSERT_TRUE(writer.flush().ok());
  EXPECT_EQ(writer.durable(), 12U);
}

/// Clients must keep what is not durable, and can keep only so much.
TEST(StoreWriterThread, WhoeverIsMoreThanAGroupAheadWaits) {
  constexpr std::uint64_t kGroup = 3;
  const TestFiles files;
  StoreWriter writer(new_store(files.path("run.db"), kGroup));
  for (std::uint64_t batch = 1; batch <= 600; ++batch) {
    ASSERT_TRUE(append(writer, batch).ok());
    ASSERT_LE(batch, writer.durable() + 2 * kGroup);
  }
}

}  // namespace
}  // namespace caucus
