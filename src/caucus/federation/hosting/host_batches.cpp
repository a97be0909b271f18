// The host's work on batches: it opens, closes, stores and assigns them, and dismisses clients.
#include <chrono>
#include <utility>

#include "caucus/federation/hosting/host.hpp"

namespace caucus {

bool Host::may_assign() const { return !store_.is_behind() && store_.written() >= begun_; }

void Host::send_assignment(std::uint32_t client) {
  Line* line = lines_.of(client);
  if (assignments_held_ || line == nullptr || !federation_.awaits(client)) return;
  line->assign(federation_.batch(), store_.durable(), federation_.assign(client));
}

void Host::send_assignments() {
  assignments_held_ = !may_assign();
  for (std::uint32_t client = 0; client < lines_.size(); ++client) send_assignment(client);
}

void Host::on_stored() {
  stored_posted_ = false;
  if (auto failure = store_.failure()) return fail(std::move(*failure));
  finish_goodbyes();
  if (assignments_held_ && may_assign()) send_assignments();
  dismiss();
  publish();
}

bool Host::snapshot_due(const ClosedBatch& closed) {
  for (const StoredReport& report : closed.reports) report_bytes_ += report.bytes.size();
  // A store that stays small is written from memory: its pages are used again before SQLite copies
  // them from the log to their place.
  constexpr std::size_t kSmall = 4U << 20U;
  const bool large = report_bytes_ >= kSmall && report_bytes_ >= 4 * snapshot_bytes_;
  return large || closed.number % options_.snapshot_every == 0;
}

void Host::close_batch() {
  ClosedBatch closed = federation_.close(now());
  const bool over = federation_.phase() == Federation::Phase::over;
  // A group may be lost until it is full, and is then reported again: clients may as well work on
  // the next batch meanwhile.
  if (store_.in_groups()) send_assignments();
  std::optional<std::string> snapshot;
  if (snapshot_due(closed) || over) {
    snapshot = federation_.snapshot();
    snapshot_bytes_ = snapshot->size();
    report_bytes_ = 0;
  }
  store_.append(closed.number, std::move(closed.reports), std::move(snapshot));
  if (!store_.in_groups()) send_assignments();
  // Clients that may leave do not wait for a group to fill.
  bool dismissible = over;
  for (std::uint32_t client = 0; client < lines_.size(); ++client) {
    dismissible = dismissible || may_go(client) || must_go(client);
  }
  if (dismissible) store_.commit();
  if (!over) return;
  ended_ = now();
  write_log(options_.log, LogLevel::info, "over",
            {{"batches", std::to_string(federation_.batch())}});
}

void Host::begin() {
  began_ = now();
  if (Status status = federation_.begin(*began_); !status.ok()) {
    return fail(std::move(status.error()));
  }
  begun_ = store_.snapshot(0, federation_.snapshot());
  write_log(options_.log, LogLevel::info, "begun",
            {{"clients", std::to_string(federation_.members().size())}});
  send_assignments();
}

void Host::advance() {
  while (is_open()) {
    if (federation_.can_begin(now())) {
      begin();
    } else if (federation_.closable(now())) {
      close_batch();
    } else {
      return;
    }
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
    const TrackedMember& member = federation_.members()[client];
    if (must_go(client)) {
      if (member.cut_in > store_.durable()) continue;
      lines_.cut(client,
                 "too many reports that cannot be true, the last: " + member.fault +
                     "; expected examples within the ranges of the plan, and no more than it said");
    } else {
      const std::uint64_t needed = over ? federation_.batch() : member.last_batch;
      if (!may_go(client) || needed > store_.durable()) continue;
      lines_.end(client, over ? "the run is over" : "all of the client's examples are counted");
    }
    federation_.leave(client);
  }
}

}  // namespace caucus
