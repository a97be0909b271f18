#include <cmath>
#include <initializer_list>
#include <utility>

#include "caucus/core/base/text.hpp"
#include "serving/server_status.hpp"

namespace caucus::cli {
namespace {

/// As the format wants the value of a label.
std::string label_value(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return escaped;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0.0 ? "+Inf" : "-Inf";
  return to_text(value);
}

class Metrics {
 public:
  /// Lines for one name stand together under its help.
  void begin(std::string name, const char* type, const std::string& help) {
    name_ = "caucus_" + std::move(name);
    text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void add(double value) { text_ += name_ + " " + number_text(value) + "\n"; }
  void add(std::initializer_list<std::pair<const char*, std::string>> labels, double value) {
    text_ += name_;
    char before = '{';
    for (const auto& [label, of] : labels) {
      text_ += std::exchange(before, ',') + std::string(label) + "=\"" + label_value(of) + "\"";
    }
    text_ += "} " + number_text(value) + "\n";
  }
  void single(std::string name, const char* type, const std::string& help, double value) {
    begin(std::move(name), type, help);
    add(value);
  }
  /// value(member) of each client.
  template <class Value>
  void per_client(std::string name, const char* type, const std::string& help,
                  const HostStatus& status, Value&& value) {
    begin(std::move(name), type, help);
    for (const Member& member : status.members) {
      add({{"client", member.name}}, static_cast<double>(value(member)));
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

constexpr const char* kGauge = "gauge";
constexpr const char* kCounter = "counter";

void add_run(Metrics& metrics, const HostStatus& status) {
  const auto forecasts = static_cast<double>(status.forecasts);
  metrics.begin("phase", kGauge, "1 for the phase that the run is in.");
  for (const auto phase :
       {Federation::Phase::waiting, Federation::Phase::running, Federation::Phase::over}) {
    metrics.add({{"phase", phase_word(phase)}}, phase == status.phase ? 1.0 : 0.0);
  }
  metrics.single("batch", kGauge, "The open batch; 0 before the first.",
                 static_cast<double>(status.batch));
  metrics.single("durable_batch", kGauge, "The last batch that a crash cannot undo.",
                 static_cast<double>(status.durable));
  metrics.single("forecasts_total", kCounter, "Forecasts in accepted reports.", forecasts);
  metrics.single("loss_sum", kCounter, "Loss of these forecasts, summed.", status.loss);
  metrics.single("squared_error_sum", kCounter, "Squared error of these forecasts, summed.",
                 status.squared_error);
  metrics.single("formula_upload_bytes_total", kCounter,
                 "Bytes that the formula gives for uploads.",
                 static_cast<double>(status.upload_bits) / 8.0);
  metrics.single("formula_download_bytes_total", kCounter,
                 "Bytes that the formula gives for downloads.",
                 static_cast<double>(status.download_bits) / 8.0);
  metrics.begin("probability", kGauge, "Of each space, p; number counts them from 1.");
  for (std::size_t i = 0; i < status.probabilities.size(); ++i) {
    // A name does not tell all of a space: two may have the same.
    metrics.add({{"space", status.spaces[i]}, {"number", std::to_string(i + 1)}},
                status.probabilities[i]);
  }
}

void add_clients(Metrics& metrics, const HostStatus& status) {
  const auto counter = [&](std::string name, const std::string& help,
                           std::uint64_t MemberCounters::*field) {
    metrics.per_client(std::move(name), kCounter, help, status,
                       [field](const Member& member) { return member.counters.*field; });
  };
  using C = MemberCounters;
  counter("reports_total", "Reports that were accepted.", &C::reports);
  counter("late_reports_total", "Reports for a batch that was closed.", &C::late);
  counter("repeated_reports_total", "Reports for a batch that was answered.", &C::repeated);
  counter("strange_reports_total", "Reports for a batch that is not open yet.", &C::strange);
  counter("rejected_reports_total", "Reports that cannot be true.", &C::rejected);
  counter("joins_total", "How often the client has come.", &C::joins);
  counter("upload_bytes_total", "Bytes of the client's messages as they travelled.", &C::bytes_up);
  counter("download_bytes_total", "Bytes of the messages to the client as they travelled.",
          &C::bytes_down);
  metrics.per_client("client_connected", kGauge, "1 if the client is there with its data.", status,
                     [](const Member& member) { return member.connected; });
  metrics.per_client("client_finished", kGauge, "1 if the client has no more examples.", status,
                     [](const Member& member) { return member.finished; });
  metrics.per_client("client_cut_off", kGauge, "1 if the client sent too much that is not true.",
                     status, [](const Member& member) { return member.cut_off; });
  metrics.per_client("client_lag_batches", kGauge, "Closed batches since its last report.", status,
                     [&](const Member& member) { return lag_of(member, status); });
}

}  // namespace

std::string metrics_text(const HostStatus& status) {
  Metrics metrics;
  add_run(metrics, status);
  add_clients(metrics, status);
  return metrics.take();
}

}  // namespace caucus::cli
