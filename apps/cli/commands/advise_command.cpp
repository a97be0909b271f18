// caucus advise: prints what the theory says about a federation before it is run.
#include <cmath>

#include "caucus/core/losses/bounds.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/report/text_table.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "options/settings.hpp"

namespace caucus::cli {
namespace {

struct AdviseCommand {
  std::size_t clients = 10, models = 0, rounds = 0, sample_size = 0, rounds_per_upload = 1;
  std::string json;
};

Json advice(const AdviseCommand& c) {
  const std::size_t advised = advised_sample(c.clients, c.models);
  const std::size_t J = c.sample_size > 0 ? c.sample_size : advised;
  const std::size_t uploads = (c.rounds + c.rounds_per_upload - 1) / c.rounds_per_upload;
  const double q = unseen_ratio(c.models, J);
  const auto K = static_cast<double>(c.models);
  const auto M = static_cast<double>(c.clients);
  const auto T = static_cast<double>(c.rounds);
  Json json = {{"clients", c.clients},
               {"models", c.models},
               {"rounds", c.rounds},
               {"sample", J},
               {"rounds_per_upload", c.rounds_per_upload},
               {"uploads", uploads},
               {"advised_sample", advised},
               {"sampling_price", sampling_price(c.clients, c.models, J)},
               {"collaboration_gain", collaboration_gain(c.clients, c.models, J)},
               {"upload_price", std::sqrt(T / static_cast<double>(uploads))},
               {"client_work_share", static_cast<double>(J) / K},
               {"index_bits_per_upload", J * index_bits(c.models)},
               {"theory_applies", uploads >= c.models}};
  if (uploads >= c.models && c.models > 1) {
    const TheorySchedule schedule({c.models, J, M, static_cast<double>(uploads)}, {});
    json["eta"] = schedule.probability_rate();
    json["model_rate_factor"] = 1.0 / (2.0 * std::sqrt(1.0 + q / M));
  }
  if (c.models > 1) json["lower_bound_any"] = lower_bound_any(M, T, K);
  if (c.models >= 5 && c.rounds >= c.models) {
    json["lower_bound_noncooperative"] =
        lower_bound_noncooperative(M, T, K, static_cast<double>(J));
  }
  return json;
}

std::string advice_text(const Json& a) {
  const auto value = [&](const char* key) {
    const Json& number = a.at(key);
    return number.is_number_float() ? report::rounded(number.get<double>())
                                    : report::grouped(number.get<std::size_t>());
  };
  std::string text = value("clients") + " clients, K = " + value("models") +
                     " models, T = " + value("rounds") + " rounds, J = " + value("sample") +
                     ", uploads R = " + value("uploads") + "\n\n";
  struct Row {
    const char *what, *key, *meaning;
  };
  report::TextTable table({"what", "value", "meaning"}, true);
  for (const auto& [what, key, meaning] : {
           Row{"advised J", "advised_sample", "the least J with a price of at most sqrt 2"},
           Row{"price of sampling", "sampling_price",
               "factor on the regret against J = K, at most"},
           Row{"gain of collaboration", "collaboration_gain",
               "factor by which it can divide the worst-case regret"},
           Row{"price of few uploads", "upload_price", "factor sqrt(T / R) on the regret"},
           Row{"client work", "client_work_share", "share of evaluating all K models"},
           Row{"indices per upload", "index_bits_per_upload",
               "beside 32 bit per weight and per loss of the J models"},
           Row{"eta", "eta", "rate of the probabilities by the theory"},
           Row{"lambda", "model_rate_factor",
               "times U_i / G_i and 1 / sqrt(max(q^2, t)): the models' rate by the theory"},
           Row{"regret, any algorithm", "lower_bound_any",
               "0.25 M sqrt(T ln K): unavoidable in the worst case, for losses in [0, 1]"},
           Row{"regret, no cooperation", "lower_bound_noncooperative",
               "0.1 M sqrt(K T / J): unavoidable if clients work alone with J models each"},
       }) {
    const bool bits = std::string_view(key) == "index_bits_per_upload";
    if (a.contains(key)) table.add({what, value(key) + (bits ? " bit" : ""), meaning});
  }
  text += table.text();
  if (!a.at("theory_applies").get<bool>()) {
    text +=
        "\nThe theory needs at least as many uploads as models: use fewer models or upload more "
        "often.\n";
  }
  return text;
}

Status execute_advise(const AdviseCommand& command) {
  if (command.sample_size > command.models) {
    return usage_error("--sample", std::to_string(command.sample_size), "J must not exceed K");
  }
  if (command.sample_size == 1 && command.models > 1) {
    return usage_error("--sample", "1", "expected J >= 2 where K > 1");
  }
  const Json json = advice(command);
  if (!command.json.empty()) CAUCUS_CHECK(write_text(command.json, report::json_text(json) + "\n"));
  return command.json == "-" ? Done{} : print(advice_text(json));
}

}  // namespace

void add_advise(CLI::App& app, Action& action) {
  auto [advise, given] = add_command(
      app, action, "advise", "Show what the theory says before a run",
      "Example:\n  caucus advise --clients 10 --models 8 --rounds 10000", execute_advise);
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  add_count(advise, "--clients", "M", given.clients, 1, kMost, "M, clients")->required();
  add_count(advise, "--models", "K", given.models, 1, kMost, "K, candidate spaces")->required();
  add_count(advise, "--rounds", "T", given.rounds, 1, kMost, "T, rounds per client")->required();
  add_count(advise, "--sample", "J", given.sample_size, 1, kMost, "J of K held (as advised)");
  add_count(advise, "--rounds-per-upload", "N", given.rounds_per_upload, 1, kMost,
            "N, rounds per upload (1)");
  add_option(advise, "--json", "FILE|-", given.json, "as JSON; - for standard output");
}

}  // namespace caucus::cli
