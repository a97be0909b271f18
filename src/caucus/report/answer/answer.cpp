#include "caucus/report/answer/answer.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/report/answer/phrases.hpp"
#include "caucus/report/html_text.hpp"
#include "caucus/report/statistics.hpp"

namespace caucus::report {
namespace {

std::string what(const RunRecord& run) {
  const std::string target =
      run.target.empty() ? "The target" : "The target " + shortened(run.target, 40);
  std::string text = target + " was predicted for " + figure(run.used) +
                     (run.rows > run.used ? " of " + figure(run.rows) : "") + " rows of " +
                     (run.clients == 1.0 ? "one site" : figure(run.clients) + " sites") +
                     " (clients) from " + counted(run.features, "feature");
  return text + ", each row before anything was learned from it.";
}

std::string which_is_best(const RunRecord& run, const AlgorithmRecord& best) {
  if (run.results.size() < 2) return "";
  return " Of " + figure(static_cast<double>(run.results.size())) + " algorithms " +
         shortened(best.label, 40) + " is the best, and the numbers that follow are its own.";
}

std::string error_of_numbers(const RunRecord& run, const AlgorithmRecord& r) {
  std::string text =
      " The root mean squared error (RMSE) is " + figure(r.rmse) + " in the units of the target";
  if (const double constant = run.in_units(r.baselines.constant); constant > 0.0) {
    text += ", " + beside(r.rmse, constant) + " the " + figure(constant) +
            " of always predicting the mean";
  }
  if (const double last = run.in_units(r.baselines.persistence); run.in_order && last > 0.0) {
    text += " and " + beside(r.rmse, last) + " the " + figure(last) +
            " of repeating the last value of the same site";
  }
  std::vector<std::string> others;
  if (std::isfinite(r.mae)) others.push_back("the mean absolute error (MAE) is " + figure(r.mae));
  if (std::isfinite(r.r2)) others.push_back("R2 is " + fixed(r.r2, 3));
  if (!others.empty()) text += "; " + listed(others);
  return text + ".";
}

std::string error_of_classes(const AlgorithmRecord& r) {
  std::string text = " " + fixed(100.0 * r.accuracy, 1) + "% of the predicted classes are right";
  if (std::isfinite(r.baselines.accuracy)) {
    text += ", " + fixed(100.0 * r.baselines.accuracy, 1) +
            "% if one always predicts the most frequent class";
  }
  if (std::isfinite(r.log_loss)) {
    text += "; the log loss is " + figure(r.log_loss);
    if (std::isfinite(r.baselines.log_loss)) {
      text += ", " + beside(r.log_loss, r.baselines.log_loss) + " the " +
              figure(r.baselines.log_loss) + " of always predicting the shares of the classes";
    }
  }
  return text + ".";
}

/// For losses whose best forecast is not the mean, so that the mean is no yardstick.
std::string error_of_loss(const RunRecord& run, const AlgorithmRecord& r) {
  std::string text = (run.is_square() ? " The " : " The mean ") + run.score_name() + " is " +
                     figure(run.score(r).mean) + " in scaled units";
  if (run.best_constant > 0.0) {
    text += ", " + beside(run.score(r).mean, run.best_constant) + " the " +
            figure(run.best_constant) + " of the best constant";
  }
  std::vector<std::string> others;
  if (std::isfinite(r.mae)) others.push_back("the mean absolute error (MAE) is " + figure(r.mae));
  if (std::isfinite(r.rmse)) {
    others.push_back("the root mean squared error (RMSE) is " + figure(r.rmse));
  }
  if (!others.empty()) text += "; " + listed(others) + " in the units of the target";
  return text + ".";
}

std::string error(const RunRecord& run, const AlgorithmRecord& r) {
  std::string text;
  if (std::isfinite(r.accuracy)) {
    text = error_of_classes(r);
  } else if (std::isfinite(r.rmse) && run.is_square()) {
    text = error_of_numbers(run, r);
  } else {
    text = error_of_loss(run, r);
  }
  if (r.diverged > 0.0) {
    text += " It diverged in " + figure(r.diverged) + " of " + counted(run.repeats, "repetition") +
            ", which do not count.";
  }
  return text;
}

/// Says which model won, and how surely.
std::string winner(const RunRecord& run, const AlgorithmRecord& r) {
  constexpr double kSure = 0.9;
  if (r.spaces.size() < 2 || counting(r.probabilities).empty()) return "";
  const std::vector<std::size_t> two = largest_of(r.probabilities, 2);
  const bool ordered = r.probabilities[two[0]] >= r.probabilities[two[1]];
  const std::size_t first = two[ordered ? 0 : 1];
  const std::size_t second = two[ordered ? 1 : 0];
  const auto named = [&](std::size_t i) {
    return shortened(r.spaces[i], 40) + " (" + percent(r.probabilities[i]) + ")";
  };
  std::string text = " Of " + counted(static_cast<double>(r.spaces.size()), "kind") + " of models ";
  if (r.probabilities[first] >= kSure) {
    text += shortened(r.spaces[first], 40) + " won, with a final probability of " +
            percent(r.probabilities[first]);
  } else {
    text += "none won for sure: " + named(first) + " is ahead of " + named(second);
  }
  if (run.repeats > 1.0 && first < r.wins.size()) {
    text += "; it ended first in " + figure(r.wins[first]) + " of " + figure(run.repeats) +
            " repetitions";
  }
  return text + ".";
}

std::string collaboration(const RunRecord& run, const AlgorithmRecord& r) {
  double given = 0.0;
  double alone = 0.0;
  std::vector<const ClientRecord*> known;
  for (const ClientRecord& client : r.clients) {
    if (!client.compares() || !(client.examples > 0.0)) continue;
    known.push_back(&client);
    given += client.examples * client.given;
    alone += client.examples * client.alone;
  }
  if (known.size() < 2) return "";
  const auto less = [&](const ClientRecord* a, const ClientRecord* b) {
    return run.gain(*a) < run.gain(*b);
  };
  const auto change = [&](const ClientRecord* client) {
    return change_text(run.shown(client->given), run.shown(client->alone)) + " at site " +
           shortened(client->name, 40);
  };
  const auto differs = [&](const ClientRecord* client) {
    return change_text(run.shown(client->given), run.shown(client->alone)) != kTheSame;
  };
  const auto [least, most] = std::minmax_element(known.begin(), known.end(), less);
  const auto gaining = std::count_if(known.begin(), known.end(),
                                     [&](const ClientRecord* c) { return run.gain(*c) > 0.0; });
  const std::string text =
      " Against what every site would have alone, with a regression on its own rows, the " +
      std::string(run.is_square() ? "RMSE" : "loss") + " is " +
      change_text(run.shown(given), run.shown(alone));
  if (!differs(*least) && !differs(*most)) return text + " at every site.";
  return text + ": from " + change(*least) + " to " + change(*most) + "; " +
         figure(static_cast<double>(gaining)) + " of " + figure(static_cast<double>(known.size())) +
         " sites gain.";
}

}  // namespace

Answer answer_of(const RunRecord& run) {
  const AlgorithmRecord* best = run.best();
  if (best == nullptr) {
    const bool diverged = std::all_of(run.results.begin(), run.results.end(),
                                      [](const AlgorithmRecord& r) { return r.diverged > 0.0; });
    if (!diverged) return {"No example has been counted.", {}};
    return {"Every algorithm diverged: its errors are more than a thousand times the targets.",
            {"Scale the features and the target, or use --schedule adaptive."}};
  }
  std::string text = std::isfinite(run.used) ? what(run) : "";
  text += which_is_best(run, *best) + error(run, *best) + winner(run, *best) +
          collaboration(run, *best);
  if (text.starts_with(' ')) text.erase(0, 1);
  return {std::move(text), advice_of(run, *best)};
}

}  // namespace caucus::report
