#include "caucus/report/model_score.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

constexpr double kForgotten = 0.5;

bool is_known(const ClientScore& one) { return one.score.examples > 0; }

bool is_warning(const ClientScore& one) {
  return one.score.is_worse() || one.forgotten > kForgotten;
}

std::string examples_text(std::uint64_t count) {
  return grouped(count) + (count == 1 ? " example" : " examples");
}

std::string line_of(const ClientScore& one) {
  const ForecastScore& score = one.score;
  if (!is_known(one))
    return "  " + one.client + ": not known, it has not predicted with learned models";
  std::string line = (is_warning(one) ? "warning: " : "  ") + one.client + ": " +
                     rounded(score.error) + " on " + examples_text(score.examples) + ", " +
                     (score.is_worse() ? "worse than the best constant, " : "best constant ") +
                     rounded(score.constant);
  if (one.is_old) line += "; " + examples_text(score.since) + " of others were learned later";
  if (one.forgotten > kForgotten) {
    line += "; fixed_share has forgotten " + rounded(100.0 * one.forgotten, 3) + "% of them";
  }
  return line;
}

}  // namespace

std::vector<ClientScore> client_scores(const std::vector<ClientResult>& clients,
                                       double forgetting) {
  std::vector<ClientScore> scores;
  const auto count = static_cast<double>(clients.size());
  for (const ClientResult& client : clients) {
    const ForecastScore score = client.recent.value_or(ForecastScore{});
    const auto since = static_cast<double>(score.since);
    scores.push_back({client.name, score, 1.0 - std::pow(1.0 - forgetting, since / count),
                      since > count * static_cast<double>(score.examples)});
  }
  return scores;
}

std::vector<std::string> score_lines(const std::vector<ClientScore>& scores, const Loss& loss) {
  if (std::none_of(scores.begin(), scores.end(), is_known)) {
    return {"how good the models are for each client is not known"};
  }
  std::vector<ClientScore> sorted = scores;
  const auto badness = [](const ClientScore& one) {
    const double ratio = one.score.error / one.score.constant;
    return std::tuple(!is_warning(one), !is_known(one), std::isnan(ratio) ? -HUGE_VAL : -ratio);
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const ClientScore& a, const ClientScore& b) {
    return badness(a) < badness(b);
  });
  const std::string measure =
      loss.is_classification() ? loss.name() + " loss" : std::string("mean squared error");
  std::vector<std::string> lines = {"the models' " + measure +
                                    " on the latest examples of each client, before they learned "
                                    "from them, in scaled units:"};
  constexpr std::size_t kShown = 20;
  for (std::size_t n = 0; n < std::min(kShown, sorted.size()); ++n) {
    lines.push_back(line_of(sorted[n]));
  }
  if (sorted.size() > kShown) {
    const auto warnings = std::count_if(sorted.begin() + kShown, sorted.end(), is_warning);
    lines.push_back("  and " + std::to_string(sorted.size() - kShown) + " more clients" +
                    (warnings > 0 ? ", with " + std::to_string(warnings) + " more warnings" : ""));
  }
  if (std::any_of(sorted.begin(), sorted.end(), [](const auto& one) { return one.is_old; })) {
    lines.emplace_back(
        "the models have changed since the last report of some clients; caucus "
        "predict with such a client's file scores them as they are");
  }
  return lines;
}

}  // namespace caucus::report
