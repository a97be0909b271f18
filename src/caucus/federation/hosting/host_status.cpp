#include "caucus/federation/hosting/host_status.hpp"

#include <chrono>
#include <utility>

#include "caucus/federation/hosting/host.hpp"

namespace caucus {
namespace {

std::string seconds_text(std::chrono::steady_clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

std::string Host::trouble() const {
  {
    const std::lock_guard lock(progress_mutex_);
    if (progress_.failure) return progress_.failure->line();
  }
  if (events_.busy() > options_.stuck_after) {
    return "the host has worked on one event for " + seconds_text(events_.busy());
  }
  if (store_.busy() > options_.stuck_after) {
    return "the store has worked on one batch for " + seconds_text(store_.busy());
  }
  return {};
}

std::chrono::duration<double> Host::working_time() const {
  return look([this](const Federation&) {
    const Time now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(finished_at_.value_or(now) - started_at_.value_or(now));
  });
}

HostStatus Host::make_status() const {
  HostStatus status;
  status.phase = federation_.phase();
  status.batch = federation_.batch();
  status.asynchronous = federation_.asynchronous();
  status.durable = store_.durable();
  status.now = std::chrono::steady_clock::now();
  status.members.assign(federation_.members().begin(), federation_.members().end());
  for (const Space& space : federation_.settings().plan.spaces) {
    status.spaces.push_back(space.name());
  }
  if (federation_.server() != nullptr) {
    status.probabilities = federation_.server()->probabilities();
  }
  const Telemetry& telemetry = federation_.telemetry();
  status.loss = telemetry.loss;
  status.squared_error = telemetry.squared_error;
  status.forecasts = telemetry.forecasts;
  status.upload_bits = telemetry.upload_bits;
  status.download_bits = telemetry.download_bits;
  return status;
}

HostStatus Host::status() const {
  return look([this](const Federation&) { return make_status(); });
}

void Host::post_status(std::function<void(const HostStatus&)> reply) const {
  events_.post([this, reply = std::move(reply)] { reply(make_status()); });
}

}  // namespace caucus
