#include "caucus/network/host.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "caucus/network/random_bytes.hpp"
#include "caucus/network/recovery.hpp"

namespace caucus {
namespace {

Time now() { return std::chrono::steady_clock::now(); }

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
  CAUCUS_TRY(Federation federation, recover(std::move(settings), plan_bytes, store, options.log));
  return std::unique_ptr<Host>(
      new Host(std::move(federation), std::move(store), std::move(options)));
}

Host::Host(Federation federation, Store store, HostOptions options)
    : federation_(std::move(federation)),
      store_(std::move(store)),
      options_(std::move(options)),
      lines_(federation_.members().size()),
      told_(federation_.members().size()) {
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
  if (stopped_ || failure_) return network_error("server", "is going down", "try again later");
  CAUCUS_TRY(const WelcomeRecord welcome, federation_.join(hello, now()));
  const std::uint32_t client = welcome.client;
  if (lines_[client]) lines_[client]->cut("another client of this name has come");
  lines_[client] = std::move(line);
  federation_.leave(client);  // until the new line says that it is ready
  federation_.counters(client).bytes_down += lines_[client]->welcome(welcome);
  dismiss_finished();
  if (federation_.phase() == Federation::Phase::over) end_all("the run is over");
  return client;
}

Status Host::ready(std::uint32_t client, const Line& line, const ReadyRecord& ready) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || failure_ || lines_[client].get() != &line) return Done{};
  CAUCUS_CHECK(federation_.ready(client, ready, now()));
  write_log(options_.log, LogLevel::info, "joined",
            {{"client", federation_.members()[client].name},
             {"examples", std::to_string(ready.examples)},
             {"counted", std::to_string(federation_.members()[client].counted)}});
  const std::uint64_t before = federation_.batch();
  advance();
  if (federation_.batch() == before) send_assignment(client);  // else it has been sent
  changed_.notify_all();  // the clock: enough may be there to begin at the deadline
  return Done{};
}

void Host::report(std::uint32_t client, const Line& line, ReportRecord report, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || failure_ || lines_[client].get() != &line) return;
  federation_.counters(client).bytes_up += bytes;
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
    federation_.counters(client).bytes_down += lines_[client]->refuse(batch, why);
    if (member.cut_off) {
      lines_[client]->cut("too many reports that cannot be true, the last: " + why);
      lines_[client].reset();
      told_[client] = true;
      federation_.leave(client);
    }
  }
  advance();
}

void Host::leave(std::uint32_t client, const Line& line) {
  const std::lock_guard lock(mutex_);
  if (lines_[client].get() != &line) return;  // another line has taken its place
  lines_[client].reset();
  federation_.leave(client);
  write_log(options_.log, LogLevel::info, "left", {{"client", federation_.members()[client].name}});
}

void Host::send_assignment(std::uint32_t client) {
  if (!lines_[client] || !federation_.awaits(client)) return;
  federation_.counters(client).bytes_down +=
      lines_[client]->assign(federation_.batch(), store_.durable(), federation_.assign(client));
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
  if (over) CAUCUS_CHECK(store_.finish());
  if (!store_.in_groups()) send_assignments();
  // Whoever has finished may go once that is durable, and need not wait for a group to be full.
  if (somebody_finished()) {
    CAUCUS_CHECK(store_.flush());
    dismiss_finished();
  }
  return Done{};
}

void Host::advance() {
  while (!stopped_ && !failure_) {
    if (federation_.can_begin(now())) {
      began_ = now();
      Status status = federation_.begin(*began_);
      if (status.ok()) status = store_.begin(federation_.snapshot());
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
      end_all("the run is over");
      changed_.notify_all();
      return;
    }
    changed_.notify_all();  // the clock has a new deadline
  }
}

bool Host::somebody_finished() const {
  for (std::uint32_t client = 0; client < lines_.size(); ++client) {
    if (lines_[client] && federation_.members()[client].finished) return true;
  }
  return false;
}

void Host::dismiss_finished() {
  for (std::uint32_t client = 0; client < lines_.size(); ++client) {
    const Member& member = federation_.members()[client];
    if (!lines_[client] || !member.finished || member.last_batch > store_.durable()) continue;
    lines_[client]->end("all of the client's examples are counted");
    lines_[client].reset();
    told_[client] = true;
    federation_.leave(client);
  }
}

void Host::end_all(const std::string& why) {
  for (std::uint32_t client = 0; client < lines_.size(); ++client) {
    if (!lines_[client]) continue;
    lines_[client]->end(why);
    lines_[client].reset();
    told_[client] = true;
    federation_.leave(client);
  }
  changed_.notify_all();
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

void Host::linger(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] {
    return stopped_ || failure_ || std::find(told_.begin(), told_.end(), false) == told_.end();
  });
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
  for (auto& line : lines_) {
    if (line) line->close();
    line.reset();
  }
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
  HostStatus status;
  status.phase = federation_.phase();
  status.batch = federation_.batch();
  status.durable = store_.durable();
  for (const Member& member : federation_.members()) {
    Member& copy = status.members.emplace_back();
    copy.name = member.name;
    copy.joined = member.joined;
    copy.finished = member.finished;
    copy.cut_off = member.cut_off;
    copy.examples = member.examples;
    copy.counted = member.counted;
    copy.last_batch = member.last_batch;
    copy.counters = member.counters;
    copy.connected = member.connected;
    copy.last_seen = member.last_seen;
    copy.answered = member.answered;
  }
  for (const Space& space : federation_.settings().plan.spaces) {
    status.spaces.push_back(space.name());
  }
  if (federation_.learner() != nullptr)
    status.probabilities = federation_.learner()->probabilities();
  const Telemetry& telemetry = federation_.telemetry();
  status.loss = telemetry.loss;
  status.squared_error = telemetry.squared_error;
  status.forecasts = telemetry.forecasts;
  status.upload_bits = telemetry.upload_bits;
  status.download_bits = telemetry.download_bits;
  status.now = now();
  return status;
}

}  // namespace caucus
