#include "caucus/federation/store/store_writer.hpp"

#include <utility>

namespace caucus {

std::size_t StoreWriter::Job::bytes() const {
  std::size_t bytes = snapshot ? snapshot->size() : 0;
  if (reports) {
    for (const StoredReport& report : *reports) bytes += report.bytes.size();
  }
  return bytes;
}

StoreWriter::StoreWriter(Store store, std::function<void()> on_progress)
    : store_(std::move(store)),
      group_(store_.commit_every()),
      on_progress_(std::move(on_progress)),
      durable_(store_.durable()),
      thread_([this] { run(); }) {}

StoreWriter::~StoreWriter() {
  abandon();
  thread_.join();
}

StoreWriter::Ticket StoreWriter::snapshot(std::uint64_t batch, std::string bytes) {
  return add({batch, {}, std::move(bytes)});
}

StoreWriter::Ticket StoreWriter::append(std::uint64_t batch, std::vector<StoredReport> reports,
                                        std::optional<std::string> snapshot) {
  return add({batch, std::move(reports), std::move(snapshot)});
}

StoreWriter::Ticket StoreWriter::set_acknowledged(std::string acknowledged) {
  return add({.acknowledged = std::move(acknowledged)});
}

StoreWriter::Ticket StoreWriter::commit() { return add({.commit = true}); }

StoreWriter::Ticket StoreWriter::add(Job job) {
  const std::lock_guard lock(mutex_);
  if (failure_ || abandoned_) return ++given_;
  bytes_ += job.bytes();
  jobs_.push_back(std::move(job));
  if (!wanted_ && is_worthwhile()) {
    wanted_ = true;
    changed_.notify_all();
  }
  return ++given_;
}

bool StoreWriter::is_worthwhile() const {
  const Job& last = jobs_.back();
  return last.snapshot || last.acknowledged || last.commit || last.batch >= durable_ + group_ ||
         jobs_.size() >= kWorthwhile || bytes_ > kMostBytes;
}

Status StoreWriter::flush() {
  commit();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty() || failure_ || abandoned_; });
  if (failure_) return *failure_;
  return Done{};
}

bool StoreWriter::is_behind() const {
  const std::lock_guard lock(mutex_);
  if (!in_groups()) return !jobs_.empty();
  return bytes_ > kMostBytes || jobs_.size() > group_;
}

std::optional<Error> StoreWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

StoreWriter::Clock::duration StoreWriter::busy() const {
  const Clock::rep since = busy_since_;
  if (since == 0) return {};
  return Clock::now().time_since_epoch() - Clock::duration(since);
}

Status StoreWriter::write(const Job& job) {
  if (job.reports) CAUCUS_CHECK(store_.append(job.batch, *job.reports));
  if (job.snapshot) CAUCUS_CHECK(store_.snapshot({job.batch, *job.snapshot}));
  if (job.acknowledged) CAUCUS_CHECK(store_.set_acknowledged(*job.acknowledged));
  if (job.commit) CAUCUS_CHECK(store_.commit());
  return Done{};
}

void StoreWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (jobs_.empty()) wanted_ = false;
    changed_.wait(lock, [&] { return wanted_ || abandoned_; });
    if (abandoned_) return;
    const Job& job = jobs_.front();  // stays in its place while others are added
    lock.unlock();
    busy_since_ = Clock::now().time_since_epoch().count();
    auto status = write(job);
    busy_since_ = 0;
    lock.lock();
    bytes_ -= job.bytes();
    jobs_.pop_front();
    const bool more_durable = durable_.exchange(store_.durable()) != store_.durable();
    ++written_;
    if (!status.ok()) failure_ = std::move(status.error());
    changed_.notify_all();
    if (!more_durable && !jobs_.empty() && !failure_) continue;
    lock.unlock();
    if (on_progress_) on_progress_();
    lock.lock();
    if (failure_) return;
  }
}

void StoreWriter::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace caucus
