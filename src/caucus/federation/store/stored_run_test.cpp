#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/data/test_files.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/federation/store/test_stored_run.hpp"

namespace caucus {
namespace {

constexpr const char* kAdvice =
    "\nA run that this version has stored would be misread. If the layout is to change, raise "
    "kSnapshotName (federation_bytes.cpp) or, for rows, kRowVersion (member_bytes.cpp) as well, "
    "and "
    "write the files again:\n"
    "  CAUCUS_WRITE_STORED_RUNS=1 build/bin/federation_test --gtest_filter='StoredRun.*'\n";

std::string path_of(const char* name) {
  return CAUCUS_SOURCE_DIR "/tests/fuzz/corpus/store/" + std::string(name);
}

std::string packed(const ClosedBatch& closed) { return pack_reports(closed.reports); }

void write_file(std::size_t schedule) {
  const auto& [kind, name] = kStoredSchedules[schedule];
  MadeUpRun run(kind);
  StoredBytes stored{static_cast<std::uint8_t>(schedule), {}, {}};
  for (int batch = 1; batch <= 5; ++batch) {
    ASSERT_TRUE(run.play_batch());
    if (batch == 3) stored.snapshot = unsealed(run.federation.snapshot(), "").value();
    if (batch > 3) stored.rows.push_back(packed(run.closed.back()));
  }
  std::ofstream(path_of(name), std::ios::binary) << to_file(stored);
}

StoredBytes read_stored(const char* name) {
  std::ostringstream bytes;
  bytes << std::ifstream(path_of(name), std::ios::binary).rdbuf();
  return from_file(bytes.str());
}

struct Collect {
  void operator()(double value) const { into->push_back(value); }
  void operator()(std::size_t value) const { into->push_back(static_cast<double>(value)); }
  void operator()(const PersonalRecord& personal) const {
    (*this)(personal.given);
    (*this)(personal.federated);
  }
  void operator()(const RecentForecasts& recent) const {
    (*this)(recent.previous.targets + recent.latest.targets);
    (*this)(std::size_t{recent.reported});
  }
  void operator()(const ErrorSums& errors) const {
    (*this)(errors.squared_error);
    (*this)(errors.targets);
    (*this)(errors.squared_targets);
  }
  template <class T>
  void operator()(const std::vector<T>& values) const {
    for (const T& value : values) (*this)(value);
  }
  std::vector<double>* into;
};

/// All that a federation shows, by its meaning and not by its place among the bytes.
std::vector<double> numbers_of(const Federation& federation) {
  std::vector<double> all;
  const Collect add{&all};
  add(federation.batch());
  add(static_cast<std::size_t>(federation.phase()));
  add(federation.settings().plan.features);
  add(federation.settings().plan.experts);
  for (const TrackedMember& member : federation.members()) {
    for (const bool flag : {member.joined, member.finished, member.cut_off}) add(flag ? 1.0 : 0.0);
    for (const auto count : {member.examples, member.counted, member.playing, member.last_batch}) {
      add(count);
    }
    for (const auto counter : kCounters) add(member.counters.*counter);
    for (const SampledSet& set : member.sampled) {
      add(set.batch);
      for (const SampledModel& model : set.models) {
        add(std::size_t{model.space});
        add(model.probability);
        add(model.norm);
        if (model.weights) all.insert(all.end(), model.weights->begin(), model.weights->end());
      }
    }
  }
  federation.telemetry().fields(add);
  federation.curve().fields(add);
  const LearnedModel learned = federation.server()->learned();
  add(learned.probabilities);
  for (const auto& weights : learned.weights) all.insert(all.end(), weights.begin(), weights.end());
  return all;
}

void expect_same_federation(const Federation& read, const Federation& played) {
  // Kernels differ in last digits only.
  EXPECT_THAT(numbers_of(read), testing::Pointwise(testing::DoubleNear(1e-6), numbers_of(played)))
      << kAdvice;
}

void expect_read_as_written(ScheduleKind kind, const char* name) {
  const StoredBytes stored = read_stored(name);
  ASSERT_EQ(stored.rows.size(), 2U) << path_of(name);

  MadeUpRun played(kind);
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(played.play_batch());
  Federation read = Federation::make(stored_settings(kind), {}).value();
  const Status restored = read.restore(sealed(stored.snapshot));
  ASSERT_TRUE(restored.ok()) << restored.error().line() << kAdvice;
  EXPECT_TRUE(read.snapshot() == sealed(stored.snapshot)) << kAdvice;
  EXPECT_EQ(played.federation.snapshot().size(), read.snapshot().size()) << kAdvice;
  expect_same_federation(read, played.federation);

  for (std::uint64_t batch = 4; batch <= 5; ++batch) {
    ASSERT_TRUE(played.play_batch());
    const std::string& row = stored.rows[batch - 4];
    EXPECT_TRUE(packed(played.closed.back()) == row) << "the row of batch " << batch << kAdvice;
    const auto reports = unpack_reports(row);
    ASSERT_TRUE(reports) << kAdvice;
    const Status replayed = read.replay(batch, *reports);
    ASSERT_TRUE(replayed.ok()) << replayed.error().line() << kAdvice;
    expect_same_federation(read, played.federation);
  }
  // What a state hides shows in what becomes of it.
  MadeUpRun going(std::move(read));
  while (played.federation.phase() == Federation::Phase::running) {
    ASSERT_TRUE(played.play_batch());
    ASSERT_TRUE(going.play_batch()) << kAdvice;
  }
  EXPECT_EQ(played.closed.size(), 30U);
  expect_same_federation(going.federation, played.federation);
}

TEST(StoredRun, IsReadAsItWasWrittenAndGoesOnWithAnyKernels) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread is there
  const bool write = std::getenv("CAUCUS_WRITE_STORED_RUNS") != nullptr;
  for (std::size_t schedule = 0; schedule < kStoredSchedules.size(); ++schedule) {
    const auto& [kind, name] = kStoredSchedules[schedule];
    if (write) write_file(schedule);
    for (const simd::Kernels* each : simd::runnable()) {
      SCOPED_TRACE(std::string(name) + ", " + each->name);
      ASSERT_TRUE(simd::select(each->name).ok());
      expect_read_as_written(kind, name);
    }
    ASSERT_TRUE(simd::select("auto").ok());
  }
}

/// The line with which a server refuses a store with this snapshot of batch 3 and, unless it is
/// empty, this row of batch 4; without the store's path.
std::string refusal(const std::string& snapshot, const std::string& row) {
  const TestFiles files;
  auto store = Store::open(files.path("run.db"), {});
  EXPECT_TRUE(store->create_run({}).ok());
  for (std::uint64_t batch = 1; batch <= 3; ++batch) EXPECT_TRUE(store->append(batch, {}).ok());
  EXPECT_TRUE(store->snapshot({3, sealed(snapshot)}).ok());
  EXPECT_TRUE(row.empty() || store->append(4, *unpack_reports(row)).ok());
  const auto recovered = recover_federation(stored_settings(kStoredSchedules[0].first), *store);
  if (recovered.ok()) return "no error";
  EXPECT_EQ(recovered.error().kind, ErrorKind::data);
  const std::string line = recovered.error().line();
  EXPECT_TRUE(line.starts_with(store->path() + ": ")) << line;
  return line.substr(std::min(line.size(), store->path().size() + 2));
}

TEST(StoredRun, OfAnOlderVersionIsRefusedInOneLine) {
  const StoredBytes stored = read_stored(kStoredSchedules[0].second);
  ASSERT_EQ(stored.rows.size(), 2U);
  EXPECT_EQ(refusal(stored.snapshot, stored.rows[0]), "no error");

  const std::string name = "caucus federation 7";
  ASSERT_EQ(stored.snapshot.find(name), sizeof(std::uint64_t));
  std::string older = stored.snapshot;
  older[older.find(name) + name.size() - 1] = '5';
  EXPECT_EQ(refusal(older, {}),
            "snapshot: at byte 27: is of another version: \"caucus federation 5\"; expected "
            "\"caucus federation 7\", or the build that began the run");

  // Before version 3 a row had no version, and began with what is now its second byte.
  auto reports = *unpack_reports(stored.rows[0]);
  for (StoredReport& report : reports) report.bytes.erase(0, 1);
  EXPECT_EQ(refusal(stored.snapshot, packed({4, reports})),
            "batch 4: at byte 1: is of another version: 1; expected 7, or the build that began the "
            "run");
}

TEST(StoredRun, WithoutASnapshotIsRefusedOnceItHasReports) {
  const TestFiles files;
  auto store = Store::open(files.path("run.db"), {});
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store->create_run({}).ok());
  const auto recover = [&] {
    return recover_federation(stored_settings(kStoredSchedules[0].first), *store);
  };
  EXPECT_TRUE(recover().ok());
  ASSERT_TRUE(store->append(1, {}).ok());
  const auto recovered = recover();
  ASSERT_FALSE(recovered.ok());
  EXPECT_EQ(recovered.error().kind, ErrorKind::data);
  EXPECT_EQ(
      recovered.error().line(),
      store->path() +
          ": has reports without the snapshot before them; expected a run from its beginning; "
          "restore the store from a copy");
}

/// The snapshot with another number at this byte.
std::string with_number(std::string snapshot, std::size_t at, std::uint64_t number) {
  StateWriter writer;
  writer.u64(number);
  return snapshot.replace(at, sizeof(number), writer.bytes());
}

TEST(StoredRun, ThatCannotBeIsRefusedBeforeItTakesMemoryOrTime) {
  // Found by fuzz_store: the checksum is right, what is written is not.
  const StoredBytes stored = read_stored(kStoredSchedules[0].second);
  const auto refused = [&](std::size_t at, std::uint64_t number) {
    return refusal(with_number(stored.snapshot, at, number), {});
  };
  using testing::HasSubstr;
  constexpr std::size_t kBatch = 27;  // behind the name
  constexpr std::size_t kFeatures = kBatch + 9;
  constexpr std::size_t kClients = kFeatures + 16;
  EXPECT_THAT(refused(kBatch, 4), "no error");
  EXPECT_THAT(refused(kBatch, 0), HasSubstr("batch 0"));
  EXPECT_THAT(refused(kBatch, kMostBatches + 1), HasSubstr("batch 4294967296"));
  EXPECT_THAT(refused(kBatch, 5), HasSubstr("other models than 'c1' can have been given"));
  EXPECT_THAT(refused(kFeatures, std::uint64_t{1} << 62U), HasSubstr("another shape"));
  EXPECT_THAT(refused(kFeatures, 4'000'000'000U), HasSubstr("4000000000 numbers"));
  EXPECT_THAT(refused(kClients, 2), HasSubstr("a run of another length"));
}

TEST(StoredRun, HasNoRowsThatCannotFollow) {
  const StoredBytes stored = read_stored(kStoredSchedules[0].second);
  const auto good = *unpack_reports(stored.rows[0]);
  const auto refused = [&](auto change) {
    auto reports = good;
    change(reports);
    return refusal(stored.snapshot, packed({4, std::move(reports)}));
  };
  using testing::HasSubstr;
  using Reports = std::vector<StoredReport>;
  constexpr std::size_t kJoined = 1;
  constexpr std::size_t kCutOff = 10;
  EXPECT_THAT(refused([](Reports& r) { r.pop_back(); }), HasSubstr("another number of clients"));
  EXPECT_THAT(refused([](Reports& r) { std::swap(r[0], r[1]); }), HasSubstr("another order"));
  EXPECT_THAT(refused([](Reports& r) { r[1].bytes = r[0].bytes; }),
              HasSubstr("a client that no longer takes part"));
  EXPECT_THAT(refused([](Reports& r) { r[0].bytes[kCutOff] = 1; }),
              HasSubstr("a client that no longer takes part"));
  EXPECT_THAT(refused([](Reports& r) { r[1].bytes[kJoined] = 0; }),
              HasSubstr("had joined or was cut off, and now is not"));
  EXPECT_THAT(refused([](Reports& r) { r[2].bytes[kCutOff] = 0; }),
              HasSubstr("had joined or was cut off, and now is not"));
  EXPECT_THAT(refused([](Reports& r) { r[0].bytes[kJoined + 8] = 1; }),
              HasSubstr("72057594037928036 examples of a client"));
}

}  // namespace
}  // namespace caucus
