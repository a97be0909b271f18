// What to try next where a result is not good.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "caucus/report/answer/answer.hpp"
#include "caucus/report/answer/phrases.hpp"
#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

// -----------------------------------------------------------------------------

constexpr double kGood = 0.8;  // of the constant's error

bool is_weak(const RunRecord& run, const AlgorithmRecord& r) {
  if (std::isfinite(r.accuracy)) {
    return 1.0 - r.accuracy > kGood * (1.0 - r.baselines.accuracy);
  }
  if (!run.is_square()) {
    return run.best_constant > 0.0 && r.loss.mean > kGood * run.best_constant;
  }
  const double constant = run.in_units(r.baselines.constant);
  return constant > 0.0 && r.rmse > kGood * constant;
}

/// Returns by how much the loss per round of the last half is larger than that of the quarter
/// before it, as a share; NaN if the curve has no such points.
double rise(const AlgorithmRecord& r) {
  constexpr double kFewRounds = 40.0;
  const auto& rounds = r.curve.round;
  const auto& loss = r.curve.loss;
  if (rounds.empty() || rounds.back() < kFewRounds) return kUnknown;
  const auto nearest = [&](double wanted) {
    const auto nearer = [&](double a, double b) {
      return std::abs(a - wanted) < std::abs(b - wanted);
    };
    return static_cast<std::size_t>(std::min_element(rounds.begin(), rounds.end(), nearer) -
                                    rounds.begin());
  };
  const std::size_t last = rounds.size() - 1;
  const std::size_t half = nearest(0.5 * rounds[last]);
  const std::size_t quarter = nearest(0.25 * rounds[last]);
  if (quarter >= half || half >= last) return kUnknown;
  const double late = (loss[last] - loss[half]) / (rounds[last] - rounds[half]);
  const double early = (loss[half] - loss[quarter]) / (rounds[half] - rounds[quarter]);
  return late / early - 1.0;
}

std::string weak_advice(const RunRecord& run, const AlgorithmRecord& r) {
  std::string text = std::isfinite(r.accuracy)
                         ? "The error is less than 20% below that of the most frequent class. "
                     : run.is_square()
                         ? "The RMSE is less than 20% below that of the mean. "
                         : "The loss is less than 20% below that of the best constant. ";
  const auto is_linear = [](const std::string& space) { return space.starts_with("linear"); };
  std::vector<std::string> hints;
  if (run.in_order && r.baselines.persistence < r.mse.mean) {
    hints.emplace_back("the last values tell more than the features: try --lags 3");
  }
  if (std::all_of(r.spaces.begin(), r.spaces.end(), is_linear)) {
    hints.emplace_back("only linear models took part: add --spaces gaussian");
  }
  if (const auto spaces = static_cast<double>(r.spaces.size()); r.sample_size < spaces) {
    hints.push_back("sites hold " + figure(r.sample_size) + " of " + figure(spaces) +
                    " models: try --sample " + figure(std::min(spaces, 2.0 * r.sample_size)));
  }
  constexpr double kFewRows = 200.0;
  if (run.used / run.clients < kFewRows) {
    hints.push_back("a site has about " + counted(std::round(run.used / run.clients), "row") +
                    ": more rows help");
  }
  if (hints.empty()) hints.emplace_back("look for columns that tell more about the target");
  for (std::size_t i = 0; i < hints.size(); ++i) {
    std::string& hint = hints[i];
    if (i == 0) hint[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(hint[0])));
    text += (i == 0 ? "" : "; ") + hint;
  }
  return text + ".";
}

/// Returns the clients that lose at least 2% by taking part, or that are worse than a constant, the
/// worst first. Few examples say little.
std::vector<const ClientRecord*> left_behind(const RunRecord& run, const AlgorithmRecord& r) {
  constexpr double kLoss = 0.02;
  constexpr double kFewExamples = 50.0;
  std::vector<std::pair<double, const ClientRecord*>> found;
  for (const ClientRecord& client : r.clients) {
    const double worse =
        std::fmax(-run.gain(client), run.shown(client.given) / run.shown(client.constant) - 1.0);
    if (client.examples >= kFewExamples && std::isfinite(worse) && worse > kLoss) {
      found.emplace_back(worse, &client);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const ClientRecord*> clients;
  clients.reserve(found.size());
  for (const auto& [worse, client] : found) clients.push_back(client);
  return clients;
}

}  // namespace

std::vector<std::string> advice_of(const RunRecord& run, const AlgorithmRecord& r) {
  constexpr double kRise = 0.25;
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> all;
  if (is_weak(run, r)) all.push_back(weak_advice(run, r));
  if (const double rising = rise(r); rising > kRise) {
    all.push_back("The loss of the last half of the rounds is " + percent(rising) +
                  " above that of the quarter before it: the data may be changing. Try " +
                  (run.fixed_share > 0.0 ? "a larger --fixed-share."
                                         : "--fixed-share 0.003, which forgets the past."));
  }
  const auto behind = left_behind(run, r);
  if (!behind.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(kNamed, behind.size()); ++i) {
      names.push_back(shortened(behind[i]->name, 40));
    }
    if (behind.size() > kNamed) {
      names.push_back(figure(static_cast<double>(behind.size() - kNamed)) + " more");
    }
    all.push_back((behind.size() == 1 ? "Site " : "Sites ") + listed(names) +
                  (behind.size() == 1 ? " is" : " are") +
                  " left behind, with a larger loss than alone or than a constant: see whether the "
                  "columns mean the same there and have the same units" +
                  (run.personal ? "." : ", and leave out --no-personal."));
  }
  return all;
}

}  // namespace caucus::report
