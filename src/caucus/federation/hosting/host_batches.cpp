// The host's work on batches: it opens, closes, stores and assigns them and releases clients.
#include <chrono>
#include <utility>

#include "caucus/federation/hosting/host.hpp"

namespace caucus {

bool Host::may_assign() const { return !store_.is_behind() && store_.written() >= first_snapshot_; }

std::uint64_t Host::durable_batch(std::uint32_t client) {
  ClientBatches& batches = batches_[client];
  while (!batches.closed.empty() && batches.closed.front().first <= store_.durable()) {
    batches.durable = batches.closed.front().second;
    batches.closed.pop_front();
  }
  return batches.durable;
}

void Host::send_assignment(std::uint32_t client) {
  ClientSession* session = sessions_.find(client);
  if (assignments_held_ || session == nullptr || !federation_.awaits(client)) return;
  const std::uint64_t batch = federation_.members()[client].playing;
  if (sessions_.assigned(client) == batch) return;
  sessions_.set_assigned(client, batch);
  session->assign(batch, durable_batch(client), federation_.assign(client));
}

void Host::send_assignments() {
  assignments_held_ = !may_assign();
  for (std::uint32_t client = 0; client < sessions_.size(); ++client) send_assignment(client);
}

void Host::on_stored() {
  stored_posted_ = false;
  if (auto failure = store_.failure()) return fail(std::move(*failure));
  close_acknowledged();
  if (assignments_held_ && may_assign()) send_assignments();
  release_clients();
  publish();
}

bool Host::snapshot_due(const ClosedBatch& closed) {
  for (const StoredReport& report : closed.reports) report_bytes_ += report.bytes.size();
  // A small store costs little to write: its pages are reused before SQLite copies them from the
  // write-ahead log to the file.
  constexpr std::size_t kSmall = 4U << 20U;
  const bool large = report_bytes_ >= kSmall && report_bytes_ >= 4 * snapshot_bytes_;
  return large || closed.number % options_.snapshot_every == 0;
}

void Host::close_batch() {
  ClosedBatch closed = federation_.close(now());
  for (std::uint32_t client = 0; client < batches_.size(); ++client) {
    const Member& member = federation_.members()[client];
    if (member.closed_in != closed.number) continue;
    batches_[client].closed.emplace_back(closed.number, member.last_batch);
  }
  const bool finished = federation_.phase() == Federation::Phase::finished;
  // Until a group is full it may be lost and must be reported again, so that clients need not wait
  // for it before the next batch.
  if (store_.in_groups()) send_assignments();
  std::optional<std::string> snapshot;
  if (snapshot_due(closed) || finished) {
    snapshot = federation_.snapshot();
    snapshot_bytes_ = snapshot->size();
    report_bytes_ = 0;
  }
  std::optional<std::string> learned;
  if (Federation::keeps_learned(closed.number)) learned = federation_.learned_bytes();
  store_.append(closed.number, std::move(closed.reports), std::move(snapshot), std::move(learned));
  if (!store_.in_groups()) send_assignments();
  // Clients that have finished or were cut off do not wait for a group to fill.
  bool commit = finished;
  for (std::uint32_t client = 0; client < sessions_.size(); ++client) {
    commit = commit || can_send_end(client) || must_disconnect(client);
  }
  if (commit) store_.commit();
  if (!finished) return;
  finished_at_ = now();
  write_log(options_.log, LogLevel::info, "finished",
            {{"batches", std::to_string(federation_.batch())}});
}

void Host::start_run() {
  started_at_ = now();
  if (Status status = federation_.start(*started_at_); !status.ok()) {
    return fail(std::move(status.error()));
  }
  first_snapshot_ = store_.snapshot(0, federation_.snapshot());
  write_log(options_.log, LogLevel::info, "started",
            {{"clients", std::to_string(federation_.members().size())}});
  send_assignments();
}

void Host::advance() {
  while (is_open()) {
    if (federation_.can_start(now())) {
      start_run();
    } else if (federation_.closable(now())) {
      close_batch();
    } else {
      return;
    }
  }
}

bool Host::can_send_end(std::uint32_t client) const {
  const bool finished = federation_.phase() == Federation::Phase::finished;
  return sessions_.find(client) != nullptr && !sessions_.end_sent(client) &&
         (finished || federation_.members()[client].finished);
}

bool Host::must_disconnect(std::uint32_t client) const {
  return sessions_.find(client) != nullptr && federation_.members()[client].cut_off;
}

void Host::release_clients() {
  const bool finished = federation_.phase() == Federation::Phase::finished;
  for (std::uint32_t client = 0; client < sessions_.size(); ++client) {
    const TrackedMember& member = federation_.members()[client];
    if (must_disconnect(client)) {
      if (member.cut_in > store_.durable()) continue;
      sessions_.disconnect(
          client,
          "too many rejected reports, the last: " + member.fault +
              "; expected examples within the ranges of the plan, and no more than it said");
    } else {
      const std::uint64_t needed = finished ? federation_.batch() : member.closed_in;
      if (!can_send_end(client) || needed > store_.durable()) continue;
      sessions_.send_end(
          client, finished ? "the run has finished" : "all of the client's examples are counted");
    }
    federation_.disconnect(client);
  }
}

}  // namespace caucus
