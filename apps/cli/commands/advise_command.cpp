// caucus advise: what the theory says about a federation before it is run.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>

#include "caucus/core/losses/bounds.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/data/files/output_file.hpp"
#include "caucus/report/text_table.hpp"
#include "command.hpp"
#include "options/number_option.hpp"
#include "options/settings.hpp"

namespace caucus::cli {
namespace {

struct AdviseCommand {
  std::size_t clients = 10, models = 0, rounds = 0, sample = 0, rounds_per_upload = 1;
  std::string json;
};

Status validate(const AdviseCommand& c) {
  if (c.sample > c.models) {
    return usage_error("--sample", std::to_string(c.sample), "J must not exceed K");
  }
  if (c.sample == 1 && c.models > 1) {
    return usage_error("--sample", "1", "expected J >= 2 where K > 1");
  }
  return Done{};
}

Json advice(const AdviseCommand& c) {
  const std::size_t advised = advised_sample(c.clients, c.models);
  const std::size_t J = c.sample > 0 ? c.sample : advised;
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
  const auto number = [&](const char* key) { return report::rounded(a.at(key).get<double>()); };
  const auto count = [&](const char* key) { return report::grouped(a.at(key).get<std::size_t>()); };
  std::string text = count("clients") + " clients, K = " + count("models") +
                     " models, T = " + count("rounds") + " rounds, J = " + count("sample") +
                     ", uploads R = " + count("uploads") + "\n\n";
  report::TextTable table({"what", "value", "meaning"}, true);
  table.add({"advised J", count("advised_sample"), "the least J with a price of at most sqrt 2"});
  table.add({"price of sampling", number("sampling_price"),
             "factor on the regret against J = K, at most"});
  table.add({"gain of collaboration", number("collaboration_gain"),
             "factor by which it can divide the worst-case regret"});
  table.add({"price of few uploads", number("upload_price"), "factor sqrt(T / R) on the regret"});
  table.add({"client work", number("client_work_share"), "share of evaluating all K models"});
  table.add({"indices per upload", count("index_bits_per_upload") + " bit",
             "beside 32 bit per weight and per loss of the J models"});
  if (a.contains("eta")) {
    table.add({"eta", number("eta"), "rate of the probabilities by the theory"});
    table.add({"lambda", number("model_rate_factor"),
               "times U_i / G_i and 1 / sqrt(max(q^2, t)): the models' rate by the theory"});
  }
  if (a.contains("lower_bound_any")) {
    table.add({"regret, any algorithm", number("lower_bound_any"),
               "0.25 M sqrt(T ln K): unavoidable in the worst case, for losses in [0, 1]"});
  }
  if (a.contains("lower_bound_noncooperative")) {
    table.add({"regret, no cooperation", number("lower_bound_noncooperative"),
               "0.1 M sqrt(K T / J): unavoidable if clients work alone with J models each"});
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
  CAUCUS_CHECK(validate(command));
  const Json json = advice(command);
  if (command.json == "-") return print(report::json_text(json) + "\n");
  if (!command.json.empty()) {
    CAUCUS_TRY(OutputFile file, OutputFile::create(command.json));
    CAUCUS_CHECK(file.write(report::json_text(json) + "\n"));
    CAUCUS_CHECK(file.commit());
  }
  return print(advice_text(json));
}

}  // namespace

void add_advise(CLI::App& app, Action& action) {
  CLI::App* advise = app.add_subcommand("advise", "What the theory says before a run");
  auto command = std::make_shared<AdviseCommand>();
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  add_count(*advise, "--clients", command->clients, 1, kMost, "M")->required()->type_name("M");
  add_count(*advise, "--models", command->models, 1, kMost, "K, candidate spaces")
      ->required()
      ->type_name("K");
  add_count(*advise, "--rounds", command->rounds, 1, kMost, "T, rounds per client")
      ->required()
      ->type_name("T");
  add_count(*advise, "--sample", command->sample, 1, kMost, "J (the advised one)")->type_name("J");
  add_count(*advise, "--rounds-per-upload", command->rounds_per_upload, 1, kMost, "N (1)")
      ->type_name("N");
  advise->add_option("--json", command->json, "as JSON; - for standard output")
      ->type_name("FILE|-");
  advise->footer("Example:\n  caucus advise --clients 10 --models 8 --rounds 10000");
  advise->callback([command, &action] { action = [command] { return execute_advise(*command); }; });
}

}  // namespace caucus::cli
