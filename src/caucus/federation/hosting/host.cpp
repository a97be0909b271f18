#include "caucus/federation/hosting/host.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "caucus/engine/participant/message_size.hpp"
#include "caucus/engine/participant/retained_reports.hpp"
#include "caucus/federation/hosting/log.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {
namespace {

constexpr std::size_t kLogLinesPerSecond = 10;  // for one client

/// The error is a network error, so the client tries again later.
Error shutting_down() { return network_error("server", "is shutting down", "try again later"); }

}  // namespace

Result<Federation> Host::recover(FederationSettings settings, const std::string& plan_bytes,
                                 Store& store, const Log& log) {
  const bool same = store.run() && store.run()->plan == plan_bytes;
  if (!same && !store.started()) {
    CAUCUS_TRY(const RunId run, random_bytes<std::tuple_size_v<RunId>>());
    CAUCUS_TRY(Federation federation, Federation::make(std::move(settings), run));
    CAUCUS_CHECK(store.create_run({run, plan_bytes}));
    return federation;
  }
  if (!same) {
    return usage_error("store", "holds a run with other settings",
                       "expected the configuration it was started with, or another store");
  }
  CAUCUS_TRY(Federation federation, recover_federation(std::move(settings), store));
  write_log(log, LogLevel::info, "recovered", {{"batch", std::to_string(federation.batch())}});
  return federation;
}

Result<std::unique_ptr<Host>> Host::make(FederationSettings settings, const std::string& plan_bytes,
                                         Store store, HostOptions options) {
  const std::size_t bytes = usual_report(settings.plan, settings.problem.resolved_sample_size());
  // A client keeps the reports of a group, those that it makes while the group is stored, and those
  // on their way.
  const std::size_t kept = std::max<std::size_t>(4, RetainedReports::kMostBytes / bytes) / 2 - 1;
  if (store.commit_every() > kept) {
    return usage_error("commit_every",
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
      sessions_(federation_.members().size()),
      start_(start),
      batches_(federation_.members().size()),
      store_(std::move(store), [this] {
        if (!stored_posted_.exchange(true)) events_.post([this] { on_stored(); });
      }) {
  for (std::size_t j = 0; j < sessions_.size(); ++j) {
    client_logs_.push_back(limited(options_.log, kLogLinesPerSecond));
    const Member& member = federation_.members()[j];
    batches_[j] = {member.playing, member.last_batch, {}};
  }
  federation_.restart_deadline(now());
  if (federation_.phase() == Federation::Phase::running) started_at_ = now();
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
      // After a deadline without enough reports only another event can close the batch.
      if (alarm && now() >= *alarm) alarm.reset();
    }
    events_.run_once(alarm);
    advance();
  }
}

// --- messages of clients ---

void Host::join(HelloRecord hello, std::shared_ptr<ClientSession> session) {
  events_.post([this, hello = std::move(hello), session = std::move(session)]() mutable {
    on_join(hello, std::move(session));
  });
}

void Host::ready(std::shared_ptr<ClientSession> session, ReadyRecord ready) {
  events_.post([this, session = std::move(session), ready] { on_ready(*session, ready); });
}

void Host::report(std::shared_ptr<ClientSession> session, ReportRecord report) {
  events_.post([this, session = std::move(session), report = std::move(report)]() mutable {
    on_report(*session, std::move(report));
  });
}

void Host::disconnected(std::shared_ptr<ClientSession> session) {
  events_.post([this, session = std::move(session)] { on_disconnected(*session); });
}

void Host::goodbye(std::shared_ptr<ClientSession> session) {
  events_.post([this, session = std::move(session)] { on_goodbye(session); });
}

Result<WelcomeRecord> Host::admit(const HelloRecord& hello, const ClientSession& session) {
  if (!is_open()) return shutting_down();
  const auto client = federation_.index_of(hello.client);
  const ClientSession* current = client ? sessions_.find(*client) : nullptr;
  if (current != nullptr && session.is_older_than(*current)) {
    return network_error("client '" + hello.client + "'", "has a newer connection to this server",
                         "expected one connection at a time");
  }
  if (client && federation_.members()[*client].cut_in > store_.durable()) {
    // It is cut off only once that is durable: a server that crashed before would accept it again.
    if (store_.written() >= cut_commit_) cut_commit_ = store_.commit();
    return network_error("client '" + hello.client + "'", "is being cut off", "try again later");
  }
  CAUCUS_TRY(WelcomeRecord welcome, federation_.join(hello, now()));
  welcome.start = start_;
  welcome.since = batches_[welcome.client].since;
  return welcome;
}

void Host::on_join(const HelloRecord& hello, std::shared_ptr<ClientSession> session) {
  session->message_handled();
  const auto welcome = admit(hello, *session);
  if (!welcome.ok()) {
    const Error& error = welcome.error();
    return session->refuse(error.line(), error.kind != ErrorKind::network);
  }
  const std::uint32_t client = welcome->client;
  count_traffic(client);
  sessions_.add(client, std::move(session));
  federation_.disconnect(client);  // it is connected again when the new session is ready
  sessions_.find(client)->welcome(*welcome);
  if (can_send_end(client)) {
    store_.commit();
    release_clients();
  }
}

void Host::on_ready(ClientSession& session, const ReadyRecord& ready) {
  session.message_handled();
  const auto client = sessions_.client_of(session);
  if (!is_open() || !client || sessions_.end_sent(*client)) return;
  if (const Status status = federation_.ready(*client, ready, now()); !status.ok()) {
    return session.refuse(status.error().line(), true);
  }
  const TrackedMember& member = federation_.members()[*client];
  write_log(client_logs_[*client], LogLevel::info, "joined",
            {{"client", member.name},
             {"examples", std::to_string(ready.examples)},
             {"counted", std::to_string(member.counted)},
             {"software", member.software}});
  advance();
  send_assignment(*client);
}

void Host::count_traffic(std::uint32_t client) {
  ClientSession* session = sessions_.find(client);
  if (session == nullptr) return;
  const Traffic traffic = session->take_traffic();
  federation_.counters(client).bytes_up += traffic.up;
  federation_.counters(client).bytes_down += traffic.down;
}

void Host::on_report(ClientSession& session, ReportRecord report) {
  session.message_handled();
  const auto client = sessions_.client_of(session);
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
    session.reject_report(batch, why);
  }
  advance();
}

void Host::on_disconnected(const ClientSession& session) {
  const auto client = sessions_.client_of(session);
  if (!client) return;  // another session has replaced it
  count_traffic(*client);
  sessions_.remove(*client);
  federation_.disconnect(*client);
  write_log(client_logs_[*client], LogLevel::info, "disconnected",
            {{"client", federation_.members()[*client].name}});
}

void Host::on_goodbye(const std::shared_ptr<ClientSession>& session) {
  session->message_handled();
  const auto client = sessions_.client_of(*session);
  if (!is_open() || !client || !sessions_.end_sent(*client)) return session->close();
  count_traffic(*client);
  federation_.acknowledge_end(*client);
  goodbyes_.emplace_back(store_.set_acknowledged(federation_.acknowledged()), session);
}

void Host::close_acknowledged() {
  std::erase_if(goodbyes_, [this](const auto& goodbye) {
    const auto& [ticket, session] = goodbye;
    if (ticket > store_.written()) return false;
    session->close();
    if (const auto client = sessions_.client_of(*session)) {
      sessions_.remove(*client);
      write_log(client_logs_[*client], LogLevel::info, "acknowledged",
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
  sessions_.shut_down();
  publish();
}

void Host::publish() {
  const std::lock_guard lock(progress_mutex_);
  progress_.stopped = stopped_;
  const bool finished = federation_.phase() == Federation::Phase::finished;
  progress_.finished = finished && store_.durable() >= federation_.batch();
  progress_.unacknowledged =
      finished ? federation_.unacknowledged().size() + goodbyes_.size() : sessions_.size();
  progressed_.notify_all();
}

Status Host::wait() {
  std::unique_lock lock(progress_mutex_);
  progressed_.wait(lock,
                   [&] { return progress_.failure || progress_.stopped || progress_.finished; });
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
      close_acknowledged();
    }
    stopped_ = true;
    sessions_.shut_down();
    publish();
    return Done{};
  });
}

void Host::abandon() {
  store_.abandon();
  stop();
}

}  // namespace caucus
