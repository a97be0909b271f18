// kill -9 at any moment, and disks without room.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <random>

#include "caucus/data/test_files.hpp"
#include "caucus/federation/store/test_store.hpp"

namespace caucus {
namespace {

// Appends for ever and says after each commit what is durable.
[[noreturn]] void serve(const std::string& path, std::size_t commit_every, int announcements) {
  auto store = Store::open(path, {commit_every});
  if (!store.ok()) _exit(1);
  if (!store->run() && !store->create_run(some_run()).ok()) _exit(2);
  std::uint64_t announced = store->durable();
  for (std::uint64_t batch = announced + 1;; ++batch) {
    if (!store->append(batch, reports_of(batch)).ok()) _exit(3);
    if (batch % 17 == 0 && !store->snapshot(snapshot_of(batch - batch % 3)).ok()) _exit(4);
    if (store->durable() == announced) continue;
    announced = store->durable();
    if (write(announcements, &announced, sizeof announced) != sizeof announced) _exit(5);
  }
}

enum class Since { start, first_announcement };

// The last batch that a server announced before it was killed, some time after this moment.
std::uint64_t killed_server(const std::string& path, std::size_t commit_every, Since since,
                            long microseconds) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) serve(path, commit_every, ends[1]);
  close(ends[1]);
  std::uint64_t last = 0;
  const auto heard = [&] {
    std::uint64_t announced = 0;
    if (read(ends[0], &announced, sizeof announced) != sizeof announced) return false;
    last = announced;
    return true;
  };
  if (since == Since::first_announcement) {
    EXPECT_TRUE(heard());
  }
  const timespec delay{0, microseconds * 1000};
  nanosleep(&delay, nullptr);
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the server ended by itself, with " << WEXITSTATUS(status);
  while (heard()) continue;
  close(ends[0]);
  return last;
}

long microseconds_below(std::mt19937& random, unsigned most) {
  return static_cast<long>(random() % most);
}

TEST(StoreCrash, WhatWasAnnouncedSurvivesKillAtAnyMoment) {
  std::mt19937 random(5);
  for (const std::size_t commit_every : {1U, 3U, 40U}) {
    const TestFiles files;
    std::uint64_t before = 0;
    for (int round = 0; round < 12; ++round) {
      const Since since = round % 3 == 0 ? Since::start : Since::first_announcement;
      const std::uint64_t announced = killed_server(files.path("run.db"), commit_every, since,
                                                    microseconds_below(random, 30000));
      {
        auto reader = Store::open_for_reading(files.path("run.db"));
        if (reader.ok()) {  // else it was killed before there was a store
          expect_intact(*reader);
          EXPECT_GE(reader->durable(), announced);
        } else {
          EXPECT_EQ(std::max(before, announced), 0u) << reader.error().line();
        }
      }
      auto store = Store::open(files.path("run.db"), {commit_every});
      ASSERT_TRUE(store.ok()) << store.error().line();
      expect_intact(*store);
      EXPECT_GE(store->durable(), std::max(before, announced));
      if (since == Since::first_announcement) {
        EXPECT_GT(announced, before);
      }
      before = store->durable();
    }
  }
}

TEST(StoreCrash, KillWhileTheStoreIsMadeLeavesNothingInTheWay) {
  std::mt19937 random(6);
  for (int round = 0; round < 20; ++round) {
    const TestFiles files;
    const std::uint64_t announced =
        killed_server(files.path("run.db"), 1, Since::start, microseconds_below(random, 12000));
    auto store = Store::open(files.path("run.db"), {});
    ASSERT_TRUE(store.ok()) << store.error().line();
    EXPECT_GE(store->durable(), announced);
    if (announced > 0) {
      EXPECT_EQ(store->run()->plan, some_run().plan);
    }
    expect_intact(*store);
  }
}

void limit_file_size(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

// 0 if the store stays as it was at the last commit while files cannot grow, and goes on after.
int run_out_of_room(const std::string& path, std::size_t commit_every, rlim_t room) {
  signal(SIGXFSZ, SIG_IGN);
  auto store = Store::open(path, {commit_every});
  if (!store.ok() || !store->create_run(some_run()).ok()) return 1;
  append_up_to(*store, 1, 10);
  if (!store->commit().ok()) return 2;
  limit_file_size(room);
  std::uint64_t batch = 10;
  Status status = Done{};
  while (status.ok() && batch < 10000) {
    ++batch;
    status = store->append(batch, reports_of(batch));
  }
  if (status.ok() || status.error().kind != ErrorKind::data) return 3;
  if (status.error().line().find("cannot be read or written") == std::string::npos) return 4;
  const std::uint64_t durable = store->durable();
  if (durable < 10 || durable >= batch) return 5;
  expect_intact(*store);
  StoredSnapshot large = snapshot_of(durable);
  large.bytes.resize(room * 2);
  if (store->snapshot(large).ok()) return 6;
  if (store->durable() != durable) return 7;
  expect_intact(*store);
  limit_file_size(RLIM_INFINITY);
  append_up_to(*store, durable + 1, durable + 100);
  if (!store->commit().ok() || store->durable() != durable + 100) return 8;
  expect_intact(*store);
  return testing::Test::HasFailure() ? 9 : 0;
}

TEST(StoreCrash, WithoutRoomTheStoreStaysAsItWasAtTheLastCommit) {
  for (const std::size_t commit_every : {1U, 20U, 5000U}) {
    for (const rlim_t room : {100'000U, 300'001U, 5'000'000U /* the log is emptied before */}) {
      if (commit_every == 1 && room > 1'000'000) continue;  // thousands of synchronisations
      const TestFiles files;
      EXPECT_EQ(in_child([&] { return run_out_of_room(files.path("run.db"), commit_every, room); }),
                0)
          << commit_every << " " << room;
      auto store = Store::open(files.path("run.db"), {});
      ASSERT_TRUE(store.ok()) << store.error().line();
      EXPECT_GE(store->durable(), 110u);
      expect_intact(*store);
    }
  }
}

TEST(StoreCrash, WithoutRoomForANewStoreThereIsNone) {
  for (const rlim_t room : {0U, 1000U, 5000U, 9000U}) {
    const TestFiles files;
    const int code = in_child([&] {
      signal(SIGXFSZ, SIG_IGN);
      limit_file_size(room);
      return Store::open(files.path("run.db"), {}).ok() ? 1 : 0;
    });
    EXPECT_EQ(code, 0) << room;
    EXPECT_FALSE(std::filesystem::exists(files.path("run.db")));
    EXPECT_TRUE(Store::open(files.path("run.db"), {}).ok());
  }
}

}  // namespace
}  // namespace caucus
