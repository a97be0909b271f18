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

StoreWriter::StoreWriter(Store store)
    : store_(std::move(store)), group_(store_.commit_every()), durable_(store_.durable()) {
  if (in_groups()) thread_ = std::thread([this] { write_all(); });
}

StoreWriter::~StoreWriter() {
  abandon();
  if (thread_.joinable()) thread_.join();
}

Status StoreWriter::snapshot(std::uint64_t batch, std::string bytes) {
  CAUCUS_CHECK(bring({batch, {}, std::move(bytes)}));
  return wait();
}

Status StoreWriter::append(std::uint64_t batch, std::vector<StoredReport> reports,
                           std::optional<std::string> snapshot) {
  return bring({batch, std::move(reports), std::move(snapshot)});
}

Status StoreWriter::set_told(std::string told) {
  CAUCUS_CHECK(bring({.told = std::move(told)}));
  return wait();
}

Status StoreWriter::flush() {
  CAUCUS_CHECK(bring({.commit = true}));
  return wait();
}

Status StoreWriter::bring(Job job) {
  std::unique_lock lock(mutex_);
  if (!in_groups()) {
    if (!failure_ && !abandoned_) {
      if (auto status = write(job); !status.ok()) failure_ = std::move(status.error());
    }
  } else {
    changed_.wait(lock, [&] {
      return (bytes_ <= kMostBytes && jobs_.size() <= group_) || failure_ || abandoned_;
    });
    if (!failure_ && !abandoned_) {
      bytes_ += job.bytes();
      jobs_.push_back(std::move(job));
      wanted_ = wanted_ || worthwhile();
      if (wanted_) changed_.notify_all();
    }
  }
  if (failure_) return *failure_;
  return Done{};
}

bool StoreWriter::worthwhile() const {
  const Job& last = jobs_.back();
  return last.snapshot || last.told || last.commit || last.batch >= durable_ + group_ ||
         jobs_.size() >= kWorthwhile || bytes_ > kMostBytes;
}

/// Until all is written.
Status StoreWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty() || failure_ || abandoned_; });
  if (failure_) return *failure_;
  return Done{};
}

Status StoreWriter::write(const Job& job) {
  if (job.reports) CAUCUS_CHECK(store_.append(job.batch, *job.reports));
  if (job.snapshot) CAUCUS_CHECK(store_.snapshot({job.batch, *job.snapshot}));
  if (job.told) CAUCUS_CHECK(store_.set_told(*job.told));
  if (job.commit) CAUCUS_CHECK(store_.commit());
  durable_ = store_.durable();
  return Done{};
}

void StoreWriter::write_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (jobs_.empty()) wanted_ = false;
    changed_.wait(lock, [&] { return wanted_ || abandoned_; });
    if (abandoned_) return;
    const Job& job = jobs_.front();  // stays where it is while others are brought
    lock.unlock();
    auto status = write(job);
    lock.lock();
    bytes_ -= job.bytes();
    jobs_.pop_front();
    if (!status.ok()) failure_ = std::move(status.error());
    changed_.notify_all();
    if (failure_) return;
  }
}

void StoreWriter::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace caucus
