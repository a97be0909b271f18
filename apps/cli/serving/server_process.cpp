#include "serving/server_process.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "caucus/federation/hosting/host.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/wire/server.hpp"
#include "options/settings.hpp"
#include "serving/disclosure.hpp"
#include "serving/http_endpoint.hpp"
#include "serving/server_status.hpp"
#include "serving/stop_signals.hpp"

namespace caucus::cli {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kShortestLinger(300);  // for connected clients to acknowledge the End
constexpr Milliseconds kFirstLinger(1500);    // for clients that reconnect, before others are named
constexpr Milliseconds kGrace(2000);          // for streams to end

/// A run continues only with the arithmetic that started it, so that its results keep their bits.
Status same_arithmetic(const Store& store, const ServedConfiguration& run) {
  if (!store.started()) return Done{};
  CAUCUS_TRY(const ServedConfiguration stored, parse_plan(store.run()->plan, run.server.store));
  const std::string& used = stored.federation.plan.arithmetic;
  if (used == run.federation.plan.arithmetic) return Done{};
  return usage_error(run.server.store,
                     "the run was started with the '" + used + "' variant of the arithmetic",
                     "expected CAUCUS_SIMD=" + used + " in the environment");
}

Result<std::unique_ptr<Host>> open_host(const ServedConfiguration& run, const Log& log) {
  CAUCUS_TRY(Store store, Store::open(run.server.store, {run.server.durability}));
  CAUCUS_CHECK(same_arithmetic(store, run));
  auto host = Host::make(run.federation, plan_text(run), std::move(store),
                         {run.server.snapshot_every, log});
  if (host.ok()) return host;
  if (host.error().where == "store") host.error().where = run.server.store;
  return located(std::move(host.error()), run.config, &run.server);
}

/// Raises the limit on open files, and warns if it is too low: a client has one connection, and two
/// while it reconnects.
void allow_files_for(std::size_t clients, const ServeOptions& options) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 4 * clients + 200) {
    options.note("only " + std::to_string(limit.rlim_cur) +
                 " files may be open (ulimit -n), too few for " + std::to_string(clients) +
                 " clients");
  }
}

bool has_finished(const Host& host) { return host.status().phase == Federation::Phase::finished; }

/// Returns the names of clients that have not acknowledged the End; empty if all have.
std::string unacknowledged(const Host& host) {
  constexpr std::size_t kShown = 5;
  const auto names = host.look([](const Federation& all) { return all.unacknowledged(); });
  std::string text;
  for (std::size_t n = 0; n < std::min(names.size(), kShown); ++n) {
    text += (n > 0 ? ", " : "") + names[n];
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

Status make_result(const Host& host, const ServeOptions& options) {
  const double seconds = host.working_time().count();
  CAUCUS_CHECK(host.look(
      [&](const Federation& federation) { return options.make_result(federation, seconds); }));
  return options.write_result();
}

/// Waits for clients to acknowledge the End, and names those that have not. Disconnected clients
/// receive it when they reconnect, now or when the run is served again.
Status wait_for_acknowledgements(const ServedConfiguration& run, Host& host,
                                 const ServeOptions& options, const StopSignals& signals,
                                 Milliseconds most) {
  if (unacknowledged(host).empty()) return Done{};
  if (most.count() > 0 && !signals.came()) {
    options.note("the run has finished; waiting up to " +
                 std::to_string((most.count() + 999) / 1000) +
                 " s for clients that have not acknowledged it: " + unacknowledged(host));
    CAUCUS_CHECK(host.linger(most));
  }
  if (!unacknowledged(host).empty()) {
    options.note(
        "these clients have not acknowledged that the run has finished: " + unacknowledged(host) +
        "; they are told when it is served again with " + run.server.store);
  }
  return Done{};
}

/// Writes the result of a run that has just finished and waits for acknowledgements.
Status finish_run(const ServedConfiguration& run, Host& host, const ServeOptions& options,
                  const StopSignals& signals) {
  const Milliseconds most = std::max(Milliseconds(run.server.linger_ms), kShortestLinger);
  const Milliseconds at_first = std::min(most, kFirstLinger);
  Status lingered = host.linger(at_first);
  Status written = make_result(host, options);
  if (!lingered.ok()) return lingered;
  CAUCUS_CHECK(wait_for_acknowledgements(run, host, options, signals, most - at_first));
  return written;
}

Status serve(const ServedConfiguration& run, Host& host, ServeOptions& options,
             StopSignals& signals) {
  const bool finished_before = has_finished(host);
  if (finished_before) {
    CAUCUS_CHECK(make_result(host, options));  // the result does not wait for clients
    if (unacknowledged(host).empty()) return Done{};
  }
  std::unique_ptr<HttpEndpoint> http;
  if (!run.server.http.empty()) {
    CAUCUS_TRY(const Address address, parse_address(run.server.http, "server.http"));
    CAUCUS_TRY(http, HttpEndpoint::start(address, {[&host] { return host.status(); },
                                                   [&host] { return host.trouble(); }}));
    write_log(options.wire.log, address.is_loopback() ? LogLevel::info : LogLevel::warning, "http",
              {{"address", http->address().text()},
               {"open_to_others", address.is_loopback() ? "false" : "true"}});
  }
  options.wire.status = [](const HostStatus& all) {
    return report::json_text(status_json(all), -1);
  };
  const bool encrypted = options.wire.keys.has_value();
  const bool certified = encrypted && !options.wire.keys->client_authority.empty();
  if (!certified && !options.wire.listen.is_loopback()) {
    write_log(options.wire.log, LogLevel::warning, "exposed",
              {{"why",
                "without client certificates anyone who can reach the server can grow its memory; "
                "server.tls.client_ca or a proxy (docs/proxy.md) bounds it"}});
  }
  const Disclosure disclosure = disclosure_of(run.federation);
  if (disclosure.rows) {
    write_log(options.wire.log, LogLevel::warning, "rows", {{"why", disclosure.text}});
  } else {
    options.note(disclosure.text);
  }
  CAUCUS_TRY(const auto server, wire::Server::start(host, std::move(options.wire)));
  options.note("listening on " + server->address().text() + (encrypted ? " with TLS" : ""));
  Status status = host.wait();
  if (status.ok() && finished_before) {
    status =
        wait_for_acknowledgements(run, host, options, signals, Milliseconds(run.server.linger_ms));
  } else if (status.ok() && has_finished(host)) {
    status = finish_run(run, host, options, signals);
  } else if (status.ok()) {
    const auto batch = host.status().batch;
    options.note("stopped " +
                 (batch == 0 ? "before the first batch" : "in batch " + std::to_string(batch)) +
                 "; the run continues when it is served again with " + run.server.store);
  }
  signals.unwatch();
  server->shut_down(kGrace);
  return status;
}

}  // namespace

Status serve_until_finished(const ServedConfiguration& run, ServeOptions options) {
  StopSignals signals;
  allow_files_for(run.federation.clients.size(), options);
  CAUCUS_TRY(const std::unique_ptr<Host> host, open_host(run, options.wire.log));
  signals.watch([&host = *host] { host.stop(); });
  Status status = serve(run, *host, options, signals);
  signals.unwatch();  // before the host is destroyed
  return status.ok() ? status : located(std::move(status.error()), run.config, &run.server);
}

}  // namespace caucus::cli
