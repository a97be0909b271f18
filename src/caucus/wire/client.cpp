#include "caucus/client.hpp"

#include <mutex>
#include <utility>

#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/connection_security.hpp"
#include "caucus/wire/client_parts.hpp"

namespace caucus {

Status ClientOptions::validate() const {
  CAUCUS_TRY(const Address address, parse_server_address(server, "server"));
  CAUCUS_CHECK(check_client_name(name, "client"));
  CAUCUS_CHECK(check_security(address, tls, insecure));
  if (patience.count() < 0) {
    return usage_error("client", "negative patience", "expected a time, or 0 for ever");
  }
  return Done{};
}

Result<std::unique_ptr<Client>> Client::start(ClientOptions options) {
  CAUCUS_CHECK(options.validate());
  CAUCUS_TRY(Address server, parse_server_address(options.server, "server"));
  auto parts = std::make_unique<Parts>(std::move(options), std::move(server));
  parts->connection.start();
  return std::unique_ptr<Client>(new Client(std::move(parts)));
}

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Client::~Client() = default;

Result<Prediction> Client::predict(std::span<const float> x, std::uint64_t example) {
  Participant* const participant = parts_->participant_if_any();
  if (participant != nullptr) return participant->predict(x, example);
  return network_error("predict", "there are no models yet", "expected to wait for them");
}

Result<Prediction> Client::predict(std::span<const float> x, std::chrono::milliseconds timeout,
                                   std::uint64_t example) {
  CAUCUS_CHECK(wait_for_models(timeout));
  return predict(x, example);
}

bool Client::observe(std::uint64_t id, double y) {
  const bool by_batch = parts_->options.by_batch;
  Participant* participant = nullptr;
  {
    const std::lock_guard lock(parts_->mutex);
    if (by_batch || !(parts_->result || parts_->stopped)) participant = parts_->participant.get();
  }
  if (participant == nullptr) return false;
  const bool in_time = participant->observe(id, y);
  parts_->count_label(in_time);
  if (in_time && !by_batch && participant->ready()) parts_->offer_report();
  return in_time;
}

void Client::finish() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->finishing = true;
  }
  if (!parts_->options.by_batch) parts_->offer_report();
}

void Client::stop() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stopped = true;
    parts_->changed.notify_all();
  }
  parts_->connection.stop();
}

Status Client::wait_for_models(std::chrono::milliseconds timeout) {
  return parts_->wait(timeout, "models",
                      [&] { return parts_->participant && parts_->participant->batch() > 0; });
}

Status Client::wait_until_finished(std::chrono::milliseconds timeout) {
  return parts_->wait(timeout, "end of the run", [&] { return parts_->result.has_value(); });
}

Result<SharedPlan> Client::wait_for_plan(std::chrono::milliseconds timeout) {
  CAUCUS_CHECK(parts_->wait(timeout, "plan", [&] { return parts_->welcome.has_value(); }));
  return *plan();
}

Status Client::ready(std::uint64_t examples, std::size_t features, std::size_t experts,
                     std::uint64_t clipped) {
  return parts_->ready({examples, features, experts, clipped});
}

Result<std::optional<OpenBatch>> Client::next_batch() {
  Parts& parts = *parts_;
  while (true) {
    CAUCUS_CHECK(parts.wait(kForever, "batch", [&] { return parts.newest || parts.result; }));
    std::optional<AssignmentRecord> assignment;
    {
      const std::lock_guard lock(parts.mutex);
      if (parts.result) return std::optional<OpenBatch>();
      if (!parts.participant) return usage_error("next_batch", "comes before ready()");
      assignment = std::exchange(parts.newest, std::nullopt);
      parts.notify_start();
    }
    if (!assignment) continue;
    OpenBatch open{assignment->batch, assignment->durable, assignment->examples};
    if (open.examples == 0) open.examples = parts.participant->plan().rounds_per_upload;
    CAUCUS_TRY(const bool repeated, parts.assign(std::move(*assignment)));
    if (!repeated) return std::optional<OpenBatch>(open);
  }
}

bool Client::batch_is_full() const {
  Participant* const participant = parts_->participant_if_any();
  return participant != nullptr && participant->ready();
}

Status Client::report(bool last) {
  Participant* const participant = parts_->participant_if_any();
  const auto report = participant == nullptr ? nullptr : participant->take_report(last);
  if (report == nullptr) {
    return usage_error("report", "no batch is open", "expected next_batch() before each report");
  }
  parts_->connection.report(*report);
  return Done{};
}

std::string Client::personal_state() const {
  const Participant* const participant = parts_->participant_if_any();
  return participant == nullptr ? std::string() : participant->personal_state();
}

Status Client::restore_personal(std::string_view state) {
  Participant* const participant = parts_->participant_if_any();
  if (participant == nullptr) return usage_error("restore_personal", "comes before ready()");
  return participant->restore_personal(state);
}

ConnectionState Client::state() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->state;
}
bool Client::out_of_patience() const { return parts_->connection.out_of_patience(); }
Client::Counts Client::counts() const {
  const Participant* const participant = parts_->participant_if_any();
  return participant == nullptr ? Counts{} : participant->counts();
}
ClientTraffic Client::traffic() const {
  const wire::Connection& connection = parts_->connection;
  const std::lock_guard lock(parts_->mutex);
  return {connection.bytes_up(), connection.bytes_down(), connection.streams(), parts_->repeated};
}
std::uint64_t Client::batch() const {
  const Participant* const participant = parts_->participant_if_any();
  return participant == nullptr ? 0 : participant->batch();
}
std::optional<RunId> Client::run() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->welcome ? std::optional(parts_->welcome->run) : std::nullopt;
}
std::optional<std::uint64_t> Client::counted() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->welcome ? std::optional(parts_->welcome->examples) : std::nullopt;
}
std::optional<SharedPlan> Client::plan() const {
  const std::lock_guard lock(parts_->mutex);
  if (parts_->participant) return parts_->participant->plan();
  return parts_->welcome ? std::optional(parts_->welcome->plan) : std::nullopt;
}

}  // namespace caucus
