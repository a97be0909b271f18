#include <utility>

#include "caucus/federation/retained_reports.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "options/server_config.hpp"
#include "options/setting_parts.hpp"
#include "options/values.hpp"

namespace caucus::cli {
namespace {

constexpr std::size_t kMostOfAny = 1'000'000'000;

Result<std::size_t> parse_up_to(const std::string& value, std::size_t least) {
  CAUCUS_TRY(const std::uint64_t count, parse_count(value));
  if (count < least || count > kMostOfAny) {
    return usage_error("", "'" + value + "' is not valid",
                       "expected " + std::to_string(least) + " to 1,000,000,000");
  }
  return static_cast<std::size_t>(count);
}

Result<std::size_t> parse_some(const std::string& value) { return parse_up_to(value, 1); }
Result<std::size_t> parse_any(const std::string& value) { return parse_up_to(value, 0); }

Result<double> parse_positive(const std::string& value) {
  CAUCUS_TRY(const double number, parse_number(value));
  if (number > 0.0) return number;
  return usage_error("", "'" + value + "' is not valid", "expected a positive number");
}

Result<std::string> parse_place(const std::string& value) {
  CAUCUS_CHECK(parse_address(value, ""));
  return value;
}

/// The word, or batches per commit.
Result<std::size_t> parse_durability(const std::string& value) {
  if (value == "batch") return std::size_t{1};
  auto batches = parse_some(value);
  if (!batches.ok() || *batches > RetainedReports::kMostInGroup) {
    return usage_error("", "'" + value + "'",
                       "expected \"batch\" or at most " +
                           std::to_string(RetainedReports::kMostInGroup) +
                           " batches, which clients can repeat");
  }
  return batches;
}

Result<std::vector<std::string>> parse_names(const std::string& value) {
  auto names = split(value, ',');
  for (const std::string& name : names) CAUCUS_CHECK(check_client_name(name, ""));
  return names;
}

std::vector<Setting<ServerConfig>> make_server_settings() {
  using C = ServerConfig;
  return {
      {"server", "listen", "--listen", "HOST:PORT",
       "where to listen (localhost:7070); port 0 lets the system choose",
       store(&C::listen, parse_place), [](const C& c) { return Json(c.listen); }},
      {"server", "store", "--store", "RUN.db",
       "the durable state, gone on with if it is there (CONFIG.db in the current directory)",
       store(&C::store, as_text), [](const C& c) { return text(c.store); }},
      {"server", "clients", "", "NAME,...", "who takes part, in the run's order",
       store(&C::clients, parse_names),
       [](const C& c) { return c.clients.empty() ? Json(nullptr) : Json(c.clients); }},
      {"server", "quorum", "", "Q", "clients that are enough at a batch's deadline (all)",
       store(&C::quorum, parse_some), [](const C& c) { return optional(c.quorum); }},
      {"server", "deadline_ms", "", "MS", "of a batch, from its opening on (none)",
       store(&C::deadline_ms, parse_some), [](const C& c) { return optional(c.deadline_ms); }},
      {"server", "durability", "", "batch|N", "every batch, or N of them together, made durable",
       store(&C::durability, parse_durability),
       [](const C& c) { return c.durability == 1 ? Json("batch") : Json(c.durability); }},
      {"server", "snapshot_every", "", "N", "batches between snapshots of the whole state (1000)",
       store(&C::snapshot_every, parse_some), [](const C& c) { return Json(c.snapshot_every); }},
      {"server", "label_delay", "", "N", "batches that a label may come late (16)",
       store(&C::label_delay, parse_any), [](const C& c) { return Json(c.label_delay); }},
      {"server", "features", "", "N",
       "numbers of an example, where no ranges tell; else the first client does",
       store(&C::features, parse_some), [](const C& c) { return optional(c.features); }},
      {"server", "max_abs_target", "", "Y", "the largest |y| of any client, where no range tells",
       store(&C::max_abs_target, parse_positive),
       [](const C& c) { return optional(c.max_abs_target); }},
      {"server", "max_feature_norm", "", "X", "the largest |x| of any client, where no range tells",
       store(&C::max_feature_norm, parse_positive),
       [](const C& c) { return optional(c.max_feature_norm); }},
      {"server", "violations", "", "N",
       "reports that cannot be true before a client is cut off (3)",
       store(&C::violations, parse_some), [](const C& c) { return Json(c.violations); }},
      {"server", "linger_ms", "", "MS",
       "to wait for clients who have not heard that the run is over (30000)",
       store(&C::linger_ms, parse_any), [](const C& c) { return Json(c.linger_ms); }},
      {"server", "tokens", "", "FILE", "hashes of the clients' tokens", store(&C::tokens, as_text),
       [](const C& c) { return text(c.tokens); }},
      {"server", "tls.cert", "", "FILE", "the server's certificate", store(&C::cert, as_text),
       [](const C& c) { return text(c.cert); }},
      {"server", "tls.key", "", "FILE", "its key", store(&C::key, as_text),
       [](const C& c) { return text(c.key); }},
      {"server", "tls.client_ca", "", "FILE", "the authority whose certificates clients must have",
       store(&C::client_ca, as_text), [](const C& c) { return text(c.client_ca); }},
      {"server", "http", "--http", "HOST:PORT", "where GET /status, /metrics and /healthz answer",
       store(&C::http, parse_place), [](const C& c) { return text(c.http); }},
  };
}

}  // namespace

const std::vector<Setting<ServerConfig>>& server_settings() {
  static const auto settings = make_server_settings();
  return settings;
}

}  // namespace caucus::cli
