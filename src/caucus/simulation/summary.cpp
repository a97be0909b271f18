#include "caucus/simulation/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace caucus {
namespace {

void add_to(std::vector<double>& sums, const std::vector<double>& values, double factor) {
  sums.resize(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += factor * values[i];
}

/// Computes the mean and standard deviation over repetitions for each point.
void mean_and_deviation(const std::vector<std::vector<double>>& repetitions,
                        std::vector<double>& mean, std::vector<double>& deviation) {
  const auto n = static_cast<double>(repetitions.size());
  const double share = n > 1.0 ? 1.0 / (n - 1.0) : 0.0;
  for (const auto& values : repetitions) add_to(mean, values, 1.0 / n);
  for (std::size_t k = 0; k < mean.size(); ++k) {
    double squares = 0.0;
    for (const auto& values : repetitions) squares += share * std::pow(values[k] - mean[k], 2);
    deviation.push_back(std::sqrt(squares));
  }
}

/// Adds what trivial forecasts would have lost. `compared` is the loss of the last targets, where
/// personal layers have compared with it.
void add_baselines(const Telemetry& t, const Loss& loss, std::optional<double> compared,
                   AlgorithmResult& result) {
  if (std::holds_alternative<LinearLoss>(loss.kind())) return;  // its targets are no values
  const auto n = static_cast<double>(t.forecasts);
  if (loss.has_classes()) {
    double most = 0.0;
    double entropy = 0.0;
    for (std::size_t k = 0; k < t.of_class.size(); k += 3) {
      const double share = static_cast<double>(t.of_class[k]) / n;
      most = std::max(most, share);
      if (share > 0.0) entropy -= share * std::log(share);
    }
    result.constant_accuracy.push_back(most);
    result.constant_log_loss.push_back(entropy);
    return;
  }
  const bool single = t.singles.examples == t.forecasts;
  if (std::holds_alternative<AbsoluteLoss>(loss.kind())) {
    result.mae.push_back(result.loss.back());
  } else if (single && !loss.is_classification()) {
    result.mae.push_back(t.diverged() ? std::nan("") : t.singles.absolute_error / n);
  }
  double targets = 0.0;
  for (const ErrorSums& errors : t.errors_of_client) targets += errors.targets;
  const double mean = targets / n;
  const double square = t.squared_targets / n;
  if (loss.is_classification()) {
    result.constant_accuracy.push_back(0.5 + 0.5 * std::abs(mean));
    result.constant_log_loss.push_back(*best_constant(Loss(LogisticLoss{}), mean, square));
    return;
  }
  result.constant.push_back(*best_constant(Loss(SquareLoss{}), mean, square));
  if (std::holds_alternative<SquareLoss>(loss.kind()) && compared) {
    result.persistence.push_back(*compared);
  } else if (single) {
    result.persistence.push_back(t.singles.persistence / n);
  }
}

void add_repetition(const RepetitionOutcome& outcome, std::size_t a,
                    const ExperimentOptions& options, AlgorithmResult& result) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Telemetry& t = outcome.played[a].telemetry;
  const auto per_example = [&](double sum) {
    return t.diverged() ? kNone : sum / static_cast<double>(t.forecasts);
  };
  result.diverged += static_cast<std::size_t>(t.diverged());
  result.mse.push_back(per_example(t.squared_error));
  result.loss.push_back(per_example(t.loss));
  result.seconds.push_back(outcome.played[a].seconds);
  double compared = 0.0;
  double squares = 0.0;
  double persistence = 0.0;
  for (const PersonalRecord& personal : t.personal_of_client) {
    compared += static_cast<double>(personal.examples);
    squares += personal.federated_squares;
    persistence += personal.persistence;
  }
  if (compared > 0.0) result.federated_mse.push_back(t.diverged() ? kNone : squares / compared);
  if (options.loss.is_classification() || options.loss.has_classes()) {
    result.accuracy.push_back(per_example(static_cast<double>(t.correct)));
    result.log_loss.push_back(per_example(t.log_loss));
  }
  add_baselines(t, options.loss,
                compared > 0.0 ? std::optional(persistence / compared) : std::nullopt, result);
  const auto& p = outcome.played[a].curve.probabilities.back();
  result.wins.resize(p.size(), 0);
  ++result.wins[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())];
}

/// Returns the number of points at which all curves have the same rounds: all of them, unless the
/// clients' amounts of data differ between repetitions (dirichlet).
std::size_t common_points(const std::vector<const RepetitionOutcome*>& kept, std::size_t a) {
  const auto& first = kept.front()->played[a].curve.rounds;
  std::size_t points = first.size();
  for (const RepetitionOutcome* outcome : kept) {
    const auto& other = outcome->played[a].curve.rounds;
    const auto end = first.begin() + static_cast<std::ptrdiff_t>(std::min(points, other.size()));
    points = static_cast<std::size_t>(std::mismatch(first.begin(), end, other.begin()).first -
                                      first.begin());
  }
  return points;
}

void add_client(const Telemetry& t, std::size_t j, double share, const Loss& loss,
                ClientResult& client) {
  const std::size_t examples = t.forecasts_of_client[j];
  if (client.examples == 0) client.examples = examples;
  client.uploads += share * static_cast<double>(t.uploads_of_client[j]);
  client.given +=
      share * t.loss_of_client[j] / static_cast<double>(examples);  // NaN if there are none
  const bool of_classes = loss.is_classification() || loss.has_classes();
  const auto add = [&](std::optional<double>& to, double sum, std::size_t count) {
    if (count > 0) to = to.value_or(0.0) + share * sum / static_cast<double>(count);
  };
  const ErrorSums& errors = t.errors_of_client[j];
  if (of_classes) {
    add(client.accuracy, static_cast<double>(errors.correct), examples);
    add(client.log_loss, errors.log_loss, examples);
  } else {
    add(client.mse, errors.squared_error, examples);
  }
  if (examples > 0) {
    const auto n = static_cast<double>(examples);
    const auto constant = best_constant(loss, errors.targets / n, errors.squared_targets / n);
    if (constant) add(client.constant, *constant, 1);
  }
  const PersonalRecord& personal = t.personal_of_client[j];
  add(client.federated, personal.federated, personal.examples);
  if (!of_classes) add(client.alone, personal.alone, personal.examples);  // it learns real targets
  add(client.persistence, personal.persistence, personal.examples);
}

/// Adds one repetition to the means; share = 1 / the number of repetitions that did not diverge.
void add_to_means(const RepetitionResult& played, double share, std::size_t points,
                  const Loss& loss, AlgorithmResult& result) {
  const Telemetry& t = played.telemetry;
  const auto n = static_cast<double>(std::max<std::size_t>(1, t.forecasts));
  result.clients.resize(t.loss_of_client.size());
  for (std::size_t j = 0; j < result.clients.size(); ++j) {
    add_client(t, j, share, loss, result.clients[j]);
    result.uploads += share * static_cast<double>(t.uploads_of_client[j]) /
                      static_cast<double>(result.clients.size());
  }
  result.upload_bits_per_client_round += share * static_cast<double>(t.upload_bits) / n;
  result.download_bits_per_client_round += share * static_cast<double>(t.download_bits) / n;
  const auto& probabilities = played.curve.probabilities;
  add_to(result.probabilities, probabilities.back(), share);
  result.curve.probabilities.resize(points);
  for (std::size_t k = 0; k < points; ++k) {
    add_to(result.curve.probabilities[k], probabilities[k], share);
  }
}

/// Computes the curves of the repetitions `kept` and the regret per space.
void add_curves(const std::vector<const RepetitionOutcome*>& kept, std::size_t a,
                const ExperimentOptions& options, std::size_t points, AlgorithmResult& result) {
  const auto end = static_cast<std::ptrdiff_t>(points);
  std::vector<std::vector<double>> losses;
  std::vector<std::vector<double>> regrets;
  for (const RepetitionOutcome* outcome : kept) {
    const std::vector<double>& loss = outcome->played[a].curve.loss;
    losses.emplace_back(loss.begin(), loss.begin() + end);
    if (!options.regret) continue;
    auto& regret = regrets.emplace_back();
    for (std::size_t k = 0; k < points; ++k) {
      const auto& best = outcome->played[a].best.at[k];
      regret.push_back(loss[k] - *std::min_element(best.begin(), best.end()));
    }
    std::vector<double> per_space;
    for (const double best : outcome->played[a].best.at.back())
      per_space.push_back(loss.back() - best);
    const double share = 1.0 / static_cast<double>(kept.size());
    add_to(result.regret, per_space, share);
    add_to(result.best_loss, outcome->played[a].best.at.back(), share);
    add_to(result.best_gap, outcome->played[a].best.gap, share);
  }
  const auto& rounds = kept.front()->played[a].curve.rounds;
  result.curve.rounds.assign(rounds.begin(), rounds.begin() + end);
  mean_and_deviation(losses, result.curve.loss, result.curve.loss_sd);
  if (options.regret) mean_and_deviation(regrets, result.curve.regret, result.curve.regret_sd);
}

/// Means are over the repetitions that did not diverge; if all diverged, the curves show all of
/// them.
AlgorithmResult summarise_algorithm(const std::vector<RepetitionOutcome>& outcomes, std::size_t a,
                                    const ExperimentOptions& options) {
  AlgorithmResult result;
  result.algorithm = options.algorithms[a];
  std::vector<const RepetitionOutcome*> kept;
  for (const RepetitionOutcome& outcome : outcomes) {
    add_repetition(outcome, a, options, result);
    if (!outcome.played[a].telemetry.diverged()) kept.push_back(&outcome);
  }
  if (kept.empty()) {
    for (const RepetitionOutcome& outcome : outcomes) kept.push_back(&outcome);
  }
  const std::size_t points = common_points(kept, a);
  result.classes.resize(options.loss.classes());
  for (const RepetitionOutcome* outcome : kept) {
    const std::vector<std::size_t>& counts = outcome->played[a].telemetry.of_class;
    for (std::size_t c = 0; c < result.classes.size(); ++c) {
      result.classes[c].examples += counts[3 * c];
      result.classes[c].predicted += counts[3 * c + 1];
      result.classes[c].right += counts[3 * c + 2];
    }
    add_to_means(outcome->played[a], 1.0 / static_cast<double>(kept.size()), points, options.loss,
                 result);
  }
  add_curves(kept, a, options, points, result);
  result.from_sums = outcomes.front().played[a].from_sums;
  return result;
}

}  // namespace

ExperimentResult summarise(std::vector<RepetitionOutcome> outcomes,
                           const ExperimentOptions& options) {
  ExperimentResult summary;
  RepetitionOutcome& first = outcomes.front();
  summary.used = first.played.front().telemetry.forecasts;
  summary.clients = first.played.front().length.clients;
  summary.rounds = first.played.front().length.rounds;
  summary.sample_size = options.resolved_sample_size();
  const double share = 1.0 / static_cast<double>(outcomes.size());
  for (std::size_t a = 0; a < options.algorithms.size(); ++a) {
    AlgorithmResult& result =
        summary.results.emplace_back(summarise_algorithm(outcomes, a, options));
    for (std::size_t j = 0; j < result.clients.size(); ++j) {
      result.clients[j].recent = first.played[a].telemetry.recent_score(j);
    }
    result.learned = std::move(first.played[a].learned);
    result.forecasts = std::move(first.played[a].forecasts);
  }
  if (options.regret) {
    for (const RepetitionOutcome& outcome : outcomes) {
      add_to(summary.best_loss, outcome.played.front().best.at.back(), share);
    }
  }
  return summary;
}

}  // namespace caucus
