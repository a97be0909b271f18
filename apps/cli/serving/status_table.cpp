#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "caucus/report/json.hpp"
#include "caucus/report/text_table.hpp"
#include "serving/server_status.hpp"

namespace caucus::cli {
namespace {

/// Replaces control characters, so that a name from the server cannot move the cursor.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = '?';
  }
  return text;
}

std::string count_text(double number) {
  constexpr double kMost = 9e18;
  if (!(number >= 0.0 && number < kMost)) return "?";
  return report::grouped(static_cast<std::size_t>(number));
}

std::string number_or_dash(double number) {
  return std::isfinite(number) ? report::rounded(number) : "-";
}

std::string ago_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  return seconds < 100.0 ? report::rounded(seconds, 2) + " s ago"
                         : report::rounded(seconds / 60.0, 3) + " min ago";
}

std::string headline(report::JsonReader& in) {
  return "batch " + count_text(in.number("batch")) + ", " + printable(in.text("phase")) +
         "; durable up to " + count_text(in.number("durable_batch")) + "; " +
         count_text(in.number("forecasts")) + " forecasts, mean loss " +
         number_or_dash(in.number("loss")) + ", MSE " + number_or_dash(in.number("mse")) + "\n";
}

std::string bytes_table(report::JsonReader& in) {
  report::TextTable table({"bytes", "in all", "per client and round", "by the formula"});
  for (const auto& [key, name] : {std::pair("bytes_up", "up"), std::pair("bytes_down", "down")}) {
    report::JsonReader bytes = in.object(key);
    table.add({name, count_text(bytes.number("total")),
               number_or_dash(bytes.number("per_client_round")),
               number_or_dash(bytes.number("per_client_round_by_formula"))});
  }
  return table.text();
}

/// Puts the number of a space, from 1, before its name, since two may have the same name.
std::string numbered(std::size_t i, std::size_t of, const std::string& name) {
  const std::string number = std::to_string(i + 1);
  return std::string(std::to_string(of).size() - number.size(), ' ') + number + "  " +
         printable(name);
}

/// Shows the probabilities as bars; if there are many spaces, only the largest.
std::string spaces_table(report::JsonReader& in) {
  constexpr std::size_t kMostRows = 12;
  const auto names = in.texts("spaces");
  const auto p = in.numbers("probabilities");
  in.expect_size("probabilities", p.size(), names.size());
  if (in.failed() || p.empty()) return {};
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool cut = order.size() > kMostRows;
  if (cut) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
    order.resize(kMostRows);
  }
  report::TextTable table({cut ? "likeliest spaces" : "space", "p", ""}, true);
  for (const std::size_t i : order) {
    const double share = std::isfinite(p[i]) ? std::clamp(p[i], 0.0, 1.0) : 0.0;
    table.add({numbered(i, p.size(), names[i]), report::rounded(share, 3), report::bar(share, 20)});
  }
  return "\n" + table.text();
}

std::string clients_table(report::JsonReader& in) {
  report::TextTable table({"client", "state", "last seen", "counted", "of", "clipped", "lag",
                           "reports", "late", "repeated", "early", "rejected", "joins", "bytes up",
                           "bytes down"});
  const Json* clients = in.list("clients");
  for (std::size_t i = 0; clients != nullptr && i < clients->size(); ++i) {
    report::JsonReader client = in.element("clients", (*clients)[i], i);
    std::vector<std::string> row = {printable(client.text("name")), printable(client.text("state")),
                                    ago_text(client.number("last_seen_seconds"))};
    for (const char* key : {"counted", "examples", "clipped", "lag", "reports", "late", "repeated",
                            "early", "rejected", "joins", "bytes_up", "bytes_down"}) {
      row.push_back(count_text(client.number(key)));
    }
    table.add(std::move(row));
  }
  return "\n" + table.text();
}

}  // namespace

Result<std::string> status_table(const Json& status, const std::string& where) {
  std::optional<Error> error;
  report::JsonReader in(status, "", error);
  std::string text = headline(in) + "\n" + bytes_table(in) + spaces_table(in) + clients_table(in);
  if (error) return network_error(where, error->where + " " + error->what, "expected a status");
  return text;
}

}  // namespace caucus::cli
