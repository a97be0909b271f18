#include "serving/server_status.hpp"

#include <chrono>
#include <cmath>

#include "caucus/core/base/text.hpp"
#include "caucus/report/words.hpp"

namespace caucus::cli {
namespace {

using Phase = Federation::Phase;

const report::Words<Phase> kPhases = {
    {"waiting", Phase::waiting}, {"running", Phase::running}, {"finished", Phase::finished}};

/// The counters of each client, with their keys in the JSON and names in the metrics.
struct Counter {
  const char* key;
  const char* metric;
  const char* help;
  std::uint64_t MemberCounters::*field;
};
using C = MemberCounters;
constexpr Counter kCounters[] = {
    {"reports", "reports_total", "Reports that were accepted.", &C::reports},
    {"late", "late_reports_total", "Reports for a batch that was closed.", &C::late},
    {"repeated", "repeated_reports_total", "Reports for a batch that was answered.", &C::repeated},
    {"early", "early_reports_total", "Reports for a batch that is not open yet.", &C::early},
    {"rejected", "rejected_reports_total", "Reports that no data could produce.", &C::rejected},
    {"joins", "joins_total", "How often the client has joined.", &C::joins},
    {"bytes_up", "upload_bytes_total", "Bytes of the client's messages on the wire.", &C::bytes_up},
    {"bytes_down", "download_bytes_total", "Bytes of the messages to the client on the wire.",
     &C::bytes_down}};

std::string state_of(const Member& member) {
  if (member.cut_off) return "cut off";
  if (member.finished) return "finished";
  if (member.connected) return "connected";
  return member.joined ? "away" : "expected";
}

/// Returns the batches since its last accepted report, if batches wait for it.
std::uint64_t lag_of(const Member& member, const HostStatus& status) {
  const bool waited_for = status.phase == Phase::running && member.active();
  if (status.asynchronous || !waited_for || member.last_batch + 1 >= status.batch) return 0;
  return status.batch - 1 - member.last_batch;
}

/// Returns null while there is nothing to divide by.
Json mean_json(double sum, std::uint64_t count) {
  return count == 0 ? Json(nullptr) : Json(sum / static_cast<double>(count));
}

Json client_json(const Member& member, const HostStatus& status) {
  Json json = {{"name", member.name},
               {"state", state_of(member)},
               {"acknowledged", member.acknowledged_end},
               {"last_seen_seconds", nullptr},
               {"examples", member.examples},
               {"clipped", member.clipped},
               {"counted", member.counted},
               {"last_batch", member.last_batch},
               {"lag", lag_of(member, status)}};
  for (const Counter& counter : kCounters) json[counter.key] = member.counters.*counter.field;
  if (member.last_seen != Time{}) {
    const std::chrono::duration<double> ago = status.now - member.last_seen;
    json["last_seen_seconds"] = ago.count();
  }
  return json;
}

Json bytes_json(std::uint64_t C::*field, std::uint64_t formula_bits, const HostStatus& status) {
  std::uint64_t sent = 0;
  for (const Member& member : status.members) sent += member.counters.*field;
  return {{"total", sent},
          {"per_client_round", mean_json(static_cast<double>(sent), status.forecasts)},
          {"per_client_round_by_formula",
           mean_json(static_cast<double>(formula_bits) / 8.0, status.forecasts)}};
}

std::string label(const std::string& name, const std::string& value) {
  std::string text = name + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text + "\"";
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0.0 ? "+Inf" : "-Inf";
  return to_text(value);
}

class Metrics {
 public:
  /// Writes the lines of one name together under its help.
  void begin(const std::string& name, const char* help) {
    const bool counter = name.ends_with("_total") || name.ends_with("_sum");
    name_ = "caucus_" + name;
    text += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ +
            (counter ? " counter\n" : " gauge\n");
  }
  void add(const std::string& labels, double value) {
    text += name_ + (labels.empty() ? "" : "{" + labels + "}") + " " + number_text(value) + "\n";
  }
  template <class Number>
  void single(const std::string& name, const char* help, Number value) {
    begin(name, help);
    add("", static_cast<double>(value));
  }
  /// Writes value(member) of each client.
  template <class Value>
  void per_client(const std::string& name, const char* help, const HostStatus& status,
                  Value&& value) {
    begin(name, help);
    for (const Member& member : status.members) {
      add(label("client", member.name), static_cast<double>(value(member)));
    }
  }

  std::string text;

 private:
  std::string name_;
};

void add_run(Metrics& metrics, const HostStatus& status) {
  metrics.begin("phase", "1 for the phase that the run is in.");
  for (const auto& [word, phase] : kPhases) {
    metrics.add(label("phase", word), phase == status.phase ? 1.0 : 0.0);
  }
  metrics.single("batch", "The open batch; 0 before the first.", status.batch);
  metrics.single("durable_batch", "The last batch that a crash cannot undo.", status.durable);
  metrics.single("forecasts_total", "Forecasts in accepted reports.", status.forecasts);
  metrics.single("loss_sum", "Loss of these forecasts, summed.", status.loss);
  metrics.single("squared_error_sum", "Squared error of these forecasts, summed.",
                 status.squared_error);
  metrics.single("formula_upload_bytes_total", "Bytes that the formula gives for uploads.",
                 static_cast<double>(status.upload_bits) / 8.0);
  metrics.single("formula_download_bytes_total", "Bytes that the formula gives for downloads.",
                 static_cast<double>(status.download_bits) / 8.0);
  metrics.begin("probability",
                "The probability of each space; `number` is its place among the spaces, from 1.");
  for (std::size_t i = 0; i < status.probabilities.size(); ++i) {
    // Two spaces may have the same name.
    metrics.add(label("space", status.spaces[i]) + "," + label("number", std::to_string(i + 1)),
                status.probabilities[i]);
  }
}

void add_clients(Metrics& metrics, const HostStatus& status) {
  for (const Counter& counter : kCounters) {
    metrics.per_client(counter.metric, counter.help, status,
                       [&](const Member& member) { return member.counters.*counter.field; });
  }
  metrics.per_client("client_clipped_examples", "Examples with a value outside the ranges.", status,
                     [](const Member& member) { return member.clipped; });
  metrics.per_client("client_connected", "1 if the client is connected and has its data.", status,
                     [](const Member& member) { return member.connected; });
  metrics.per_client("client_finished", "1 if the client has no more examples.", status,
                     [](const Member& member) { return member.finished; });
  metrics.per_client("client_cut_off",
                     "1 if the client was cut off because too many of its reports were rejected.",
                     status, [](const Member& member) { return member.cut_off; });
  metrics.per_client("client_lag_batches", "Closed batches since its last report.", status,
                     [&](const Member& member) { return lag_of(member, status); });
}

}  // namespace

Json status_json(const HostStatus& status) {
  Json clients = Json::array();
  for (const Member& member : status.members) clients.push_back(client_json(member, status));
  return {{"phase", report::word_of(kPhases, status.phase)},
          {"batch", status.batch},
          {"durable_batch", status.durable},
          {"forecasts", status.forecasts},
          {"loss", mean_json(status.loss, status.forecasts)},
          {"mse", mean_json(status.squared_error, status.forecasts)},
          {"spaces", status.spaces},
          {"probabilities", status.probabilities},
          {"bytes_up", bytes_json(&C::bytes_up, status.upload_bits, status)},
          {"bytes_down", bytes_json(&C::bytes_down, status.download_bits, status)},
          {"clients", std::move(clients)}};
}

std::string metrics_text(const HostStatus& status) {
  Metrics metrics;
  add_run(metrics, status);
  add_clients(metrics, status);
  return std::move(metrics.text);
}

}  // namespace caucus::cli
