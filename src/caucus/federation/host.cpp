#include "caucus/federation/host.hpp"

#include "caucus/federation/log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "caucus/federation/message_size.hpp"
#include "caucus/federation/retained_reports.hpp"
#include "caucus/federation/security/random_bytes.hpp"
#include "caucus/federation/store/recovery.hpp"

namespace caucus {
namespace {

constexpr std::size_t kComingsPerSecond = 10;  // of one client, in the log

Time now() { return std::chrono::steady_clock::now(); }

/// Of the kind that a client comes again after.
Error going_down() { return network_error("server", "is going down", "try again later"); }

}  // namespace

Result<Federation> Host::recover(FederationSettings settings, const std::string& plan_bytes,
                                 Store& store, const Log& log) {
  const bool same = store.run() && store.run()->plan == plan_bytes;
  if (!same && !store.begun()) {
    CAUCUS_TRY(const RunId run, random_run());
    CAUCUS_TRY(Federation federation, Federation::make(std::move(settings), run));
    CAUCUS_CHECK(store.create_run({run, plan_bytes}));
    return federation;
  }
  if (!same) {
    return usage_error("store", "holds a run with other settings",
                       "expected the configuration it was begun with, or another store");
  }
  CAUCUS_TRY(Federation federation, recover_federation(std::move(settings), store));
  write_log(log, LogLevel::info, "recovered", {{"batch", std::to_string(federation.batch())}});
  return federation;
}

Result<std::unique_ptr<Host>> Host::make(FederationSettings settings, const std::string& plan_bytes,
                                         Store store, HostOptions options) {
  const std::size_t bytes = usual_report(settings.plan, settings.problem.sampled());
  // A group, what comes while it is stored, and what is under way.
  const std::size_t kept = std::max<std::size_t>(4, RetainedReports::kMostBytes / bytes) / 2 - 1;
  if (store.commit_every() > kept) {
    return usage_error("server.durability",
                       "clients cannot keep " + std::to_string(store.commit_every()) +
                           " reports of " + std::to_string(bytes) + " bytes until they are stored",
                       "expected at most " + std::to_string(kept));
  }
  CAUCUS_TRY(Federation federation, recover(std::move(settings), plan_bytes, store, options.log));
  CAUCUS_TRY(const std::uint64_t start, store.count_start());
  return std::unique_ptr<Host>(
      new Host(std::move(federation), std::move(store), start, std::move(options)));
}

Host::Host(Federation federation, Store store, std::uint64_t start, HostOptions options)
    : federation_(std::move(federation)),
      store_(std::move(store)),
      options_(std::move(options)),
      lines_(federation_.members().size()),
      start_(start),
      since_(federation_.batch()) {
  for (std::size_t j = 0; j < lines_.size(); ++j) {
    comings_.push_back(limited(options_.log, kComingsPerSecond));
  }
  federation_.wake(now());
  if (federation_.phase() == Federation::Phase::running) began_ = now();
  if (federation_.settings().deadline) clock_ = std::thread([this] { watch_clock(); });
}

Host::~Host() {
  stop();
  if (clock_.joinable()) clock_.join();
}

Result<std::uint32_t> Host::join(const HelloRecord& hello, std::shared_ptr<Line> line) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || failure_) return going_down();
  const auto seat = federation_.index_of(hello.client);
  if (seat && lines_.of(*seat) != nullptr && line->is_older_than(*lines_.of(*seat))) {
    return network_error("client '" + hello.client + "'", "has a newer line here",
                         "expected nothing more on this one");
  }
  if (seat && federation_.members()[*seat].cut_in > store_.durable()) {
    // Only what is durable is final; else it must be there if the server dies and asks it again.
    const bool closed = federation_.phase() == Federation::Phase::over ||
                        federation_.members()[*seat].cut_in < federation_.batch();
    if (!closed) {
      return network_error("client '" + hello.client + "'", "is being cut off", "try again later");
    }
    CAUCUS_CHECK(flush_for_join());
  }
  CAUCUS_TRY(WelcomeRecord welcome, federation_.join(hello, now()));
  welcome.start = start_;
  welcome.since = since_;
  const std::uint32_t client = welcome.client;
  count_traffic(client);
  lines_.take(client, std::move(line));
  federation_.leave(client);  // until the new line says that it is ready
  lines_.of(client)->welcome(welcome);
  if (may_go(client)) {
    CAUCUS_CHECK(flush_for_join());
    dismiss();
  }
  return client;
}

Status Host::ready(std::uint32_t client, const Line& line, const ReadyRecord& ready) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || failure_ || lines_.of(client) != &line || lines_.ended(client)) return Done{};
  if (Status status = federation_.ready(client, ready, now()); !status.ok()) {
    write_log(comings_[client], LogLevel::warning, "refused",
              {{"client", federation_.members()[client].name}, {"why", status.error().line()}});
    return status;
  }
  write_log(comings_[client], LogLevel::info, "joined",
            {{"client", federation_.members()[client].name},
             {"examples", std::to_string(ready.examples)},
             {"counted", std::to_string(federation_.members()[client].counted)},
             {"software", federation_.members()[client].software}});
  const std::uint64_t before = federation_.batch();
  advance();
  if (federation_.batch() == before) send_assignment(client);  // else it has been sent
  changed_.notify_all();  // the clock: enough may be there to begin at the deadline
  return Done{};
}

void Host::count_traffic(std::uint32_t client) {
  Line* line = lines_.of(client);
  if (line == nullptr) return;
  const Traffic traffic = line->take_traffic();
  federation_.counters(client).bytes_up += traffic.up;
  federation_.counters(client).bytes_down += traffic.down;
}

void Host::report(std::uint32_t client, const Line& line, ReportRecord report) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || failure_ || lines_.of(client) != &line) return;
  count_traffic(client);
  const std::uint64_t batch = report.batch;
  std::string why;
  const Verdict verdict = federation_.receive(client, std::move(report), now(), why);
  if (verdict == Verdict::rejected) {
    const Member& member = federation_.members()[client];
    write_log(options_.log, LogLevel::warning, "rejected",
              {{"client", member.name},
               {"batch", std::to_string(batch)},
               {"why", why},
               {"cut_off", member.cut_off ? "true" : "false"}});
    lines_.of(client)->refuse(batch, why);
  }
  advance();
}

void Host::leave(std::uint32_t client, const Line& line) {
  const std::lock_guard lock(mutex_);
  if (lines_.of(client) != &line) return;  // another line has taken its place
  count_traffic(client);
  lines_.drop(client);
  federation_.leave(client);
  write_log(comings_[client], LogLevel::info, "left",
            {{"client", federation_.members()[client].name}});
}

void Host::goodbye(std::uint32_t client, const Line& line) {
  const std::lock_guard lock(mutex_);
  if (lines_.of(client) != &line || !lines_.ended(client)) return;
  count_traffic(client);
  federation_.tell(client);
  if (auto status = store_.set_told(federation_.told()); !status.ok()) {
    return fail(
        std::move(status.error()));  // the line ends as all do, so the client will say it again
  }
  lines_.drop(client);
  write_log(comings_[client], LogLevel::info, "done",
            {{"client", federation_.members()[client].name}});
  changed_.notify_all();  // whoever lingers
}

void Host::send_assignment(std::uint32_t client) {
  Line* line = lines_.of(client);
  if (line == nullptr || !federation_.awaits(client)) return;
  line->assign(federation_.batch(), store_.durable(), federation_.assign(client));
}

void Host::send_assignments() {
  for (std::uint32_t client = 0; client < lines_.size(); ++client) send_assignment(client);
}

bool Host::snapshot_due(const ClosedBatch& closed) {
  for (const StoredReport& report : closed.reports) report_bytes_ += report.bytes.size();
  // A store that stays small is written from memory: its pages are used again before SQLite copies
  // them from the log to their place.
  constexpr std::size_t kSmall = 4U << 20U;
  const bool large = report_bytes_ >= kSmall && report_bytes_ >= 4 * snapshot_bytes_;
  return large || closed.number % options_.snapshot_every == 0;
}

Status Host::close_batch() {
  ClosedBatch closed = federation_.close(now());
  const bool over = federation_.phase() == Federation::Phase::over;
  // What is stored in groups may be lost until its group is full, and is then reported again; so
  // clients may as well work meanwhile.
  if (store_.in_groups()) send_assignments();
  std::optional<std::string> snapshot;
  if (snapshot_due(closed) || over) {
    snapshot = federation_.snapshot();
    snapshot_bytes_ = snapshot->size();
    report_bytes_ = 0;
  }
  CAUCUS_CHECK(store_.append(closed.number, std::move(closed.reports), std::move(snapshot)));
  if (!store_.in_groups()) send_assignments();
  // Whoever has finished or was cut off hears of it once that is durable: it will not come again.
  // It need not wait for a group to be full.
  bool somebody = over;
  for (std::uint32_t client = 0; client < lines_.size(); ++client) {
    somebody = somebody || may_go(client) || must_go(client);
  }
  if (somebody) {
    CAUCUS_CHECK(store_.flush());
    dismiss();
  }
  return Done{};
}

void Host::advance() {
  while (!stopped_ && !failure_) {
    if (federation_.can_begin(now())) {
      began_ = now();
      Status status = federation_.begin(*began_);
      if (status.ok()) status = store_.snapshot(0, federation_.snapshot());
      if (!status.ok()) return fail(std::move(status.error()));
      write_log(options_.log, LogLevel::info, "begun",
                {{"clients", std::to_string(federation_.members().size())}});
      send_assignments();
    } else if (federation_.closable(now())) {
      if (auto status = close_batch(); !status.ok()) return fail(std::move(status.error()));
    } else {
      return;
    }
    if (federation_.phase() == Federation::Phase::over) {
      write_log(options_.log, LogLevel::info, "over",
                {{"batches", std::to_string(federation_.batch())}});
      ended_ = now();
      changed_.notify_all();
      return;
    }
    changed_.notify_all();  // the clock has a new deadline
  }
}

bool Host::may_go(std::uint32_t client) const {
  const bool over = federation_.phase() == Federation::Phase::over;
  return lines_.of(client) != nullptr && !lines_.ended(client) &&
         (over || federation_.members()[client].finished);
}

bool Host::must_go(std::uint32_t client) const {
  return lines_.of(client) != nullptr && federation_.members()[client].cut_off;
}

void Host::dismiss() {
  const bool over = federation_.phase() == Federation::Phase::over;
  for (std::uint32_t client = 0; client < lines_.size(); ++client) {
    const Member& member = federation_.members()[client];
    if (must_go(client)) {
      if (member.cut_in > store_.durable()) continue;
      lines_.cut(client,
                 "too many reports that cannot be true, the last: " + member.fault +
                     "; expected examples within the ranges of the plan, and no more than it said");
    } else {
      if (!may_go(client) || member.last_batch > store_.durable()) continue;
      lines_.end(client, over ? "the run is over" : "all of the client's examples are counted");
    }
    federation_.leave(client);
  }
}

Status Host::flush_for_join() {
  Status status = store_.flush();
  if (status.ok()) return status;
  fail(std::move(status.error()));
  return going_down();
}

void Host::fail(Error error) {
  write_log(options_.log, LogLevel::error, "failed", {{"why", error.line()}});
  failure_ = std::move(error);
  close_lines();
}

Status Host::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [&] { return failure_ || stopped_ || federation_.phase() == Federation::Phase::over; });
  if (failure_) return *failure_;
  return Done{};
}

Status Host::linger(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most,
                    [&] { return stopped_ || failure_ || federation_.untold().empty(); });
  if (failure_) return *failure_;
  return Done{};
}

void Host::stop() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  stopped_ = true;
  if (!failure_) {
    if (auto status = store_.flush(); !status.ok()) failure_ = std::move(status.error());
  }
  close_lines();
}

void Host::abandon() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  store_.abandon();
  close_lines();
}

void Host::close_lines() {
  lines_.close_all();
  changed_.notify_all();
}

void Host::watch_clock() {
  std::unique_lock lock(mutex_);
  while (!stopped_ && !failure_ && federation_.phase() != Federation::Phase::over) {
    const auto alarm = federation_.alarm();
    if (alarm && now() < *alarm) {
      changed_.wait_until(lock, *alarm);
    } else if (federation_.can_begin(now()) || federation_.closable(now())) {
      advance();
    } else {
      changed_.wait(lock);  // there is no deadline, or it is past and the next report decides
    }
  }
}

std::chrono::duration<double> Host::working_time() const {
  const std::lock_guard lock(mutex_);
  if (!began_) return std::chrono::duration<double>(0.0);
  return ended_.value_or(now()) - *began_;
}

HostStatus Host::status() const {
  const std::lock_guard lock(mutex_);
  HostStatus status = status_of(federation_);
  status.durable = store_.durable();
  status.now = now();
  return status;
}

}  // namespace caucus
