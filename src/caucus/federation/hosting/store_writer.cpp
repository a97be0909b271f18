#include "caucus/federation/hosting/store_writer.hpp"

#include <future>
#include <utility>

namespace caucus {

StoreWriter::StoreWriter(Store store, std::function<void()> on_progress)
    : store_(std::move(store)),
      group_(store_.commit_every()),
      on_progress_(std::move(on_progress)),
      durable_(store_.durable()),
      thread_([this] {
        while (!quit_) jobs_.run_once();
      }) {}

StoreWriter::~StoreWriter() {
  abandon();
  jobs_.post([this] { quit_ = true; });
  thread_.join();
}

StoreWriter::Ticket StoreWriter::add(std::size_t bytes, Job job) {
  bytes_ += bytes;
  const Ticket ticket = ++given_;
  jobs_.post([this, bytes, job = std::move(job)] { write(bytes, job); });
  return ticket;
}

void StoreWriter::write(std::size_t bytes, const Job& job) {
  if (stopped_) return;
  auto status = job(store_);
  // Update durable_ before written_, so that durable() is current when is_behind() turns false.
  const bool more_durable = durable_.exchange(store_.durable()) != store_.durable();
  if (!status.ok()) {
    stopped_ = true;
    const std::lock_guard lock(failure_mutex_);
    failure_ = std::move(status.error());
  } else {
    ++written_;
  }
  bytes_ -= bytes;
  const bool all_written = written_ == given_;
  if ((more_durable || all_written || stopped_) && on_progress_) on_progress_();
}

StoreWriter::Ticket StoreWriter::snapshot(std::uint64_t batch, std::string bytes) {
  const std::size_t size = bytes.size();
  return add(size, [snapshot = StoredSnapshot{batch, std::move(bytes)}](Store& store) {
    return store.snapshot(snapshot);
  });
}

StoreWriter::Ticket StoreWriter::append(std::uint64_t batch, std::vector<StoredReport> reports,
                                        std::optional<std::string> snapshot,
                                        std::optional<std::string> learned) {
  std::size_t size = (snapshot ? snapshot->size() : 0) + (learned ? learned->size() : 0);
  for (const StoredReport& report : reports) size += report.bytes.size();
  std::optional<StoredSnapshot> state;
  if (snapshot) state = StoredSnapshot{batch, std::move(*snapshot)};
  auto job = [batch, reports = std::move(reports), state = std::move(state),
              learned = std::move(learned)](Store& store) -> Status {
    // First, since appending commits when a group is full.
    if (learned) CAUCUS_CHECK(store.keep_learned(batch, *learned));
    Status status = store.append(batch, reports);
    return status.ok() && state ? store.snapshot(*state) : status;
  };
  return add(size, std::move(job));
}

StoreWriter::Ticket StoreWriter::set_acknowledged(std::string acknowledged) {
  return add(0, [acknowledged = std::move(acknowledged)](Store& store) {
    return store.set_acknowledged(acknowledged);
  });
}

StoreWriter::Ticket StoreWriter::commit() {
  return add(0, [](Store& store) { return store.commit(); });
}

Status StoreWriter::flush() {
  commit();
  std::promise<void> done;
  jobs_.post([&] { done.set_value(); });
  done.get_future().wait();
  if (auto error = failure()) return std::move(*error);
  return Done{};
}

bool StoreWriter::is_behind() const {
  const Ticket done = written_;  // read before given_, which is never less
  const Ticket waiting = given_ - done;
  return in_groups() ? bytes_ > kMostBytes || waiting > group_ : waiting > 0;
}

std::optional<Error> StoreWriter::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

}  // namespace caucus
