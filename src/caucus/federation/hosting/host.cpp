#include "caucus/federation/hosting/host.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "caucus/federation/hosting/log.hpp"
#include "caucus/federation/message_size.hpp"
#include "caucus/federation/retained_reports.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {
namespace {

constexpr std::size_t kLinesPerSecond = 10;  // log lines of one client

/// The error is a network error, so the client tries again later.
Error shutting_down() { return network_error("server", "is shutting down", "try again later"); }

}  // namespace

Result<Federation> Host::recover(FederationSettings settings, const std::string& plan_bytes,
                                 Store& store, const Log& log) {
  const bool same = store.run() && store.run()->plan == plan_bytes;
  if (!same && !store.begun()) {
    CAUCUS_TRY(const RunId run, random_bytes<std::tuple_size_v<RunId>>());
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
  const std::size_t bytes = usual_report(settings.plan, settings.problem.resolved_sample_size());
  // A group, the reports that arrive while it is stored, and those on their way.
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
      options_(std::move(options)),
      lines_(federation_.members().size()),
      start_(start),
      since_(federation_.batch()),
      store_(std::move(store), [this] {
        if (!stored_posted_.exchange(true)) events_.post([this] { on_stored(); });
      }) {
  for (std::size_t j = 0; j < lines_.size(); ++j) {
    client_logs_.push_back(limited(options_.log, kLinesPerSecond));
  }
  federation_.wake(now());
  if (federation_.phase() == Federation::Phase::running) began_ = now();
  publish();
  thread_ = std::thread([this] { run(); });
}

Host::~Host() {
  stop();
  events_.post([this] { quit_ = true; });
  thread_.join();
}

void Host::run() {
  while (!quit_) {
    std::optional<Time> alarm;
    if (is_open()) {
      alarm = federation_.alarm();
      // When the deadline has passed without enough reports, the next event decides.
      if (alarm && now() >= *alarm) alarm.reset();
    }
    events_.run_once(alarm);
    advance();
  }
}

// --- messages of clients ---

void Host::join(HelloRecord hello, std::shared_ptr<Line> line) {
  events_.post([this, hello = std::move(hello), line = std::move(line)]() mutable {
    on_join(hello, std::move(line));
  });
}

void Host::ready(std::shared_ptr<Line> line, ReadyRecord ready) {
  events_.post([this, line = std::move(line), ready] { on_ready(*line, ready); });
}

void Host::report(std::shared_ptr<Line> line, ReportRecord report) {
  events_.post([this, line = std::move(line), report = std::move(report)]() mutable {
    on_report(*line, std::move(report));
  });
}

void Host::leave(std::shared_ptr<Line> line) {
  events_.post([this, line = std::move(line)] { on_leave(*line); });
}

void Host::goodbye(std::shared_ptr<Line> line) {
  events_.post([this, line = std::move(line)] { on_goodbye(line); });
}

Result<WelcomeRecord> Host::admit(const HelloRecord& hello, const Line& line) {
  if (!is_open()) return shutting_down();
  const auto seat = federation_.index_of(hello.client);
  if (seat && lines_.of(*seat) != nullptr && line.is_older_than(*lines_.of(*seat))) {
    return network_error("client '" + hello.client + "'", "has a newer connection to this server",
                         "expected one connection at a time");
  }
  if (seat && federation_.members()[*seat].cut_in > store_.durable()) {
    // Only what is durable is final. If the server dies before, it asks this client again.
    if (store_.written() >= cut_commit_) cut_commit_ = store_.commit();
    return network_error("client '" + hello.client + "'", "is being cut off", "try again later");
  }
  CAUCUS_TRY(WelcomeRecord welcome, federation_.join(hello, now()));
  welcome.start = start_;
  welcome.since = since_;
  return welcome;
}

void Host::on_join(const HelloRecord& hello, std::shared_ptr<Line> line) {
  line->message_handled();
  const auto welcome = admit(hello, *line);
  if (!welcome.ok()) {
    const Error& error = welcome.error();
    return line->turn_away(error.line(), error.kind != ErrorKind::network);
  }
  const std::uint32_t client = welcome->client;
  count_traffic(client);
  lines_.take(client, std::move(line));
  federation_.leave(client);  // it joins again when the new line is ready
  lines_.of(client)->welcome(*welcome);
  if (may_go(client)) {
    store_.commit();
    dismiss();
  }
}

void Host::on_ready(Line& line, const ReadyRecord& ready) {
  line.message_handled();
  const auto client = lines_.client_of(line);
  if (!is_open() || !client || lines_.ended(*client)) return;
  if (const Status status = federation_.ready(*client, ready, now()); !status.ok()) {
    return line.turn_away(status.error().line(), true);
  }
  const TrackedMember& member = federation_.members()[*client];
  write_log(client_logs_[*client], LogLevel::info, "joined",
            {{"client", member.name},
             {"examples", std::to_string(ready.examples)},
             {"counted", std::to_string(member.counted)},
             {"software", member.software}});
  const std::uint64_t before = federation_.batch();
  advance();
  if (federation_.batch() == before) send_assignment(*client);  // otherwise it has been sent
}

void Host::count_traffic(std::uint32_t client) {
  Line* line = lines_.of(client);
  if (line == nullptr) return;
  const Traffic traffic = line->take_traffic();
  federation_.counters(client).bytes_up += traffic.up;
  federation_.counters(client).bytes_down += traffic.down;
}

void Host::on_report(Line& line, ReportRecord report) {
  line.message_handled();
  const auto client = lines_.client_of(line);
  if (!is_open() || !client) return;
  count_traffic(*client);
  const std::uint64_t batch = report.batch;
  std::string why;
  const Verdict verdict = federation_.receive(*client, std::move(report), now(), why);
  if (verdict == Verdict::rejected) {
    const TrackedMember& member = federation_.members()[*client];
    write_log(options_.log, LogLevel::warning, "rejected",
              {{"client", member.name},
               {"batch", std::to_string(batch)},
               {"why", why},
               {"cut_off", member.cut_off ? "true" : "false"}});
    line.refuse(batch, why);
  }
  advance();
}

void Host::on_leave(const Line& line) {
  const auto client = lines_.client_of(line);
  if (!client) return;  // another line has replaced it
  count_traffic(*client);
  lines_.drop(*client);
  federation_.leave(*client);
  write_log(client_logs_[*client], LogLevel::info, "left",
            {{"client", federation_.members()[*client].name}});
}

void Host::on_goodbye(const std::shared_ptr<Line>& line) {
  line->message_handled();
  const auto client = lines_.client_of(*line);
  if (!is_open() || !client || !lines_.ended(*client)) return line->finish();
  count_traffic(*client);
  federation_.acknowledge_end(*client);
  goodbyes_.emplace_back(store_.set_acknowledged(federation_.acknowledged()), line);
}

void Host::finish_goodbyes() {
  std::erase_if(goodbyes_, [this](const auto& goodbye) {
    const auto& [ticket, line] = goodbye;
    if (ticket > store_.written()) return false;
    line->finish();
    if (const auto client = lines_.client_of(*line)) {
      lines_.drop(*client);
      write_log(client_logs_[*client], LogLevel::info, "done",
                {{"client", federation_.members()[*client].name}});
    }
    return true;
  });
}

// --- the end ---

void Host::fail(Error error) {
  if (failed_) return;
  failed_ = true;
  write_log(options_.log, LogLevel::error, "failed", {{"why", error.line()}});
  {
    const std::lock_guard lock(progress_mutex_);
    progress_.failure = std::move(error);
  }
  close_lines();
}

void Host::close_lines() {
  lines_.close_all();
  publish();
}

void Host::publish() {
  const std::lock_guard lock(progress_mutex_);
  progress_.stopped = stopped_;
  const bool over = federation_.phase() == Federation::Phase::over;
  progress_.over = over && store_.durable() >= federation_.batch();
  progress_.unacknowledged =
      over ? federation_.unacknowledged().size() + goodbyes_.size() : lines_.size();
  progressed_.notify_all();
}

Status Host::wait() {
  std::unique_lock lock(progress_mutex_);
  progressed_.wait(lock, [&] { return progress_.failure || progress_.stopped || progress_.over; });
  if (progress_.failure) return *progress_.failure;
  return Done{};
}

Status Host::linger(std::chrono::milliseconds most) {
  std::unique_lock lock(progress_mutex_);
  progressed_.wait_for(lock, most, [&] {
    return progress_.failure || progress_.stopped || progress_.unacknowledged == 0;
  });
  if (progress_.failure) return *progress_.failure;
  return Done{};
}

void Host::stop() {
  look([this](const Federation&) {
    if (is_open()) {
      if (auto status = store_.flush(); !status.ok()) fail(std::move(status.error()));
      finish_goodbyes();
    }
    stopped_ = true;
    close_lines();
    return Done{};
  });
}

void Host::abandon() {
  store_.abandon();
  stop();
}

}  // namespace caucus
