// For tests of the store: contents that follow from the batch, and processes of their own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "caucus/federation/store/sqlite.hpp"
#include "caucus/federation/store/store.hpp"

namespace caucus {

inline std::string bytes_of(std::uint64_t seed, std::size_t size) {
  std::string bytes(size, ' ');
  for (char& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(seed >> 56U);
  }
  return bytes;
}

inline std::vector<StoredReport> reports_of(std::uint64_t batch) {
  std::vector<StoredReport> reports;
  for (std::uint32_t client = 0; client < batch % 5; ++client) {
    reports.push_back({client, bytes_of(batch * 100 + client, (batch * 331 + client) % 1800)});
  }
  return reports;
}

inline StoredSnapshot snapshot_of(std::uint64_t batch) {
  return {batch, bytes_of(batch, 20000 + batch % 1000)};
}

inline StoredRun some_run() { return {{1, 2, 3, 250, 0, 7}, bytes_of(1, 300)}; }

/// Everything the store holds is as it must be, up to durable().
inline void expect_intact(Store& store) {
  auto snapshot = store.latest_snapshot();
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().line();
  std::uint64_t last = 0;
  if (snapshot->has_value()) {
    last = (*snapshot)->batch;
    EXPECT_EQ((*snapshot)->bytes, snapshot_of(last).bytes);
  }
  const Status status =
      store.replay(last, [&](std::uint64_t batch, std::span<const StoredReport> reports) -> Status {
        EXPECT_EQ(batch, ++last);
        const auto expected = reports_of(batch);
        EXPECT_EQ(reports.size(), expected.size()) << batch;
        for (std::size_t k = 0; k < std::min(reports.size(), expected.size()); ++k) {
          EXPECT_EQ(reports[k].client, expected[k].client) << batch;
          EXPECT_EQ(reports[k].bytes, expected[k].bytes) << batch;
        }
        return Done{};
      });
  EXPECT_TRUE(status.ok()) << status.error().line();
  EXPECT_EQ(last, store.durable());
}

inline void append_up_to(Store& store, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t batch = from; batch <= to; ++batch) {
    const Status status = store.append(batch, reports_of(batch));
    ASSERT_TRUE(status.ok()) << status.error().line();
  }
}

/// Changes the file behind the store's back.
inline void tamper(const std::string& path, const char* sql) {
  auto database = Database::open(path, Database::Access::write);
  ASSERT_TRUE(database.ok());
  const Status status = database->execute(sql);
  ASSERT_TRUE(status.ok()) << status.error().line();
}

/// The exit code of a child process that does this; 255 if it ended otherwise.
template <class Action>
int in_child(const Action& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace caucus
