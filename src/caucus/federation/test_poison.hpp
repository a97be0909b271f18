// For tests and benchmarks: a federation in which some clients lie, within what the checks of
// reports accept, and what that costs the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/engine/participant/participant.hpp"
#include "caucus/federation/federation.hpp"

namespace caucus {

enum class Lie {
  none,
  flipped,    ///< the target is mirrored in its range
  negated,    ///< the target has the other sign
  largest,    ///< sums of features at their bound against the model, and targets at theirs
  corner,     ///< the same of a row in a corner of the features' range
  growing,    ///< a gradient along -w, as long as possible
  shrinking,  ///< a gradient along w, as long as possible
  tiny,       ///< first gradients of length 1e-15, with the largest loss that is possible
  losses      ///< the least loss for unlikely models and the largest for likely ones
};

/// An example source with clients(), rounds(client) and example(client, round), whose targets lie
/// in [least, most] and whose features lie in [-1, 1].
template <class Source>
class PoisonRun {
 public:
  struct Outcome {
    double loss = 0.0;            ///< the mean over the honest clients' predictions
    std::size_t rejected = 0;     ///< of all reports
    std::string why;              ///< of the last one
    double largest_weight = 0.0;  ///< max |w_i| at the end
  };

  PoisonRun(FederationSettings settings, const Source& source, Lie lie, std::size_t liars)
      : settings_(std::move(settings)), source_(&source), lie_(lie), liars_(liars) {
    settings_.violations = ~std::size_t{0};
  }

  /// Plays all rounds. The loss is that of the clients from `first_honest` on.
  Outcome play(std::size_t first_honest) {
    federation_ = std::make_unique<Federation>(Federation::make(settings_, {1}).value());
    for (std::uint32_t j = 0; j < source_->clients(); ++j) {
      clients_.push_back(Participant::make(settings_.plan, j).value());
      rows_.push_back(0);
      (void)federation_->join({.client = settings_.clients[j], .resume = true}, {});
      (void)federation_->ready(j, {source_->rounds(j), settings_.plan.features, 0}, {});
    }
    (void)federation_->start({});
    Outcome outcome;
    const bool asynchronous =
        settings_.plan.statistics && settings_.problem.mode == Mode::asynchronous;
    while (federation_->phase() == Federation::Phase::running) {
      for (std::uint32_t n = 0; n < clients_.size(); ++n) {
        // Liars are neither the first nor the last of clients that do not wait.
        const auto all = static_cast<std::uint32_t>(clients_.size());
        const std::uint32_t j = asynchronous ? (kApart * n + 2 * kApart) % all : n;
        if (!federation_->awaits(j)) continue;
        ReportRecord report = answer(j);
        if (federation_->receive(j, std::move(report), {}, outcome.why) == Verdict::rejected) {
          ++outcome.rejected;
        }
        if (asynchronous) (void)federation_->close({});
      }
      if (!asynchronous) (void)federation_->close({});
    }
    double forecasts = 0.0;
    const Telemetry& telemetry = federation_->telemetry();
    for (std::size_t j = first_honest; j < clients_.size(); ++j) {
      outcome.loss += telemetry.loss_of_client[j];
      forecasts += static_cast<double>(telemetry.forecasts_of_client[j]);
    }
    outcome.loss /= forecasts;
    for (const auto& w : federation_->server()->learned().weights) {
      double square = 0.0;
      for (const float v : w) square += static_cast<double>(v) * static_cast<double>(v);
      outcome.largest_weight = std::max(outcome.largest_weight, std::sqrt(square));
    }
    return outcome;
  }

 private:
  static constexpr std::uint32_t kApart = 3;  ///< in the order of reports, of ten clients

  ReportRecord answer(std::uint32_t client) {
    const Assignment& assigned = federation_->assign(client);
    AssignmentRecord record{federation_->members()[client].playing, 0, {}, assigned.examples};
    for (const HeldModel& held : assigned.held) {
      record.held.push_back({held.space, held.share, {held.weights.begin(), held.weights.end()}});
    }
    Participant& participant = *clients_[client];
    (void)participant.assign(record);
    const SharedPlan& plan = participant.plan();
    const std::size_t wanted = record.examples > 0 ? record.examples : plan.rounds_per_upload;
    const std::size_t rounds = source_->rounds(client);
    std::size_t& row = rows_[client];
    const std::size_t end = client_rule(plan, plan.features).end_of(row, row + wanted, rounds);
    const bool lies = client < liars_;
    for (; row < end; ++row) {
      const auto example = source_->example(client, row);
      std::vector<float> x(example.x.begin(), example.x.end());
      double y = example.y;
      if (lies && lie_ == Lie::corner) std::fill(x.begin(), x.end(), 1.0F);
      const Prediction prediction = participant.predict(x).value();
      if (lies) y = told(y, prediction.output);
      (void)participant.observe(prediction.id, y);
    }
    ReportRecord report = *participant.take_report(row == rounds);
    if (lies) spoil(report, record);
    return report;
  }

  [[nodiscard]] double told(double y, double output) const {
    const bool classes = settings_.plan.loss.is_classification();
    switch (lie_) {
      case Lie::flipped:
        return classes ? -y : 1.0 - y;
      case Lie::negated:
        return -y;
      case Lie::corner:
        return output > 0.0 ? -1.0 : 1.0;
      default:
        return y;
    }
  }

  void spoil(ReportRecord& report, const AssignmentRecord& record) const {
    ReportBatch spoiled;
    for (std::size_t n = 0; n < report.reports.size(); ++n) {
      spoiled.sampled_in.push_back(report.reports.sampled_in[n]);
      spoiled.add_report(report.reports.clients[n], report.reports.examples[n]);
      for (std::size_t m = report.reports.begin_of(n); m < report.reports.ends[n]; ++m) {
        const auto direction = report.reports.direction(m);
        std::vector<float> numbers(direction.begin(), direction.end());
        float loss = report.reports.losses[m];
        const HeldModelRecord& held = record.held[m - report.reports.begin_of(n)];
        if (lie_ == Lie::largest && settings_.plan.statistics) {
          spoil_sums(report.reports.examples[n], held, numbers, loss);
        } else if (!settings_.plan.statistics && (lie_ == Lie::growing || lie_ == Lie::shrinking)) {
          spoil_gradient(held, numbers, loss);
        } else if (lie_ == Lie::losses) {
          spoil_loss(held, record, numbers, loss);
        } else if (lie_ == Lie::tiny && !settings_.plan.statistics) {
          spoil_length(held, report.reports.examples[n], numbers, loss);
        }
        const auto copy = spoiled.add_model(report.reports.spaces[m], loss, numbers.size());
        std::copy(numbers.begin(), numbers.end(), copy.begin());
      }
    }
    report.reports = std::move(spoiled);
  }

  [[nodiscard]] double feature_bound(std::uint32_t space) const {
    return example_bounds(settings_).value().features[space] * 0.9999;
  }

  /// Returns the least |phi_i(x)|^2 that is known.
  [[nodiscard]] double least_size(std::uint32_t space) const {
    const Space& of = settings_.plan.spaces[space];
    return (of.is_kernel() ? 1.0 : 0.0) + (of.intercept ? 1.0 : 0.0);
  }

  /// n times the same v = (y, z): z has 1 for the intercept and is else along -w, and y is at its
  /// bound.
  void spoil_sums(std::uint32_t examples, const HeldModelRecord& held, std::vector<float>& triangle,
                  float& loss) const {
    if (triangle.empty()) return;
    const std::size_t rows = triangle_rows(triangle.size());
    const std::size_t one = settings_.plan.features;  // the place of the intercept in z
    const double b = feature_bound(held.space);
    std::vector<double> v(rows, 0.0);
    double square = 0.0;
    for (std::size_t k = 0; k + 1 < rows; ++k) {
      v[k + 1] = k == one ? 0.0 : -static_cast<double>(held.weights[k]);
      square += v[k + 1] * v[k + 1];
    }
    if (square == 0.0) square = std::pow(v[1] = 1.0, 2);
    const double length = std::sqrt((b * b - 1.0) / square);
    for (double& value : v) value *= length;
    if (one + 1 < rows) v[one + 1] = 1.0;
    v[0] = settings_.max_abs_target.value_or(1.0) * 0.9999;
    std::size_t place = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        triangle[place++] = static_cast<float>(examples * v[r] * v[c]);
      }
    }
    if (!shows_loss(held, rows)) return;
    double output = 0.0;
    for (std::size_t k = 0; k + 1 < rows; ++k) {
      output += static_cast<double>(held.weights[k]) * v[k + 1];
    }
    loss = static_cast<float>((output - v[0]) * (output - v[0]));
  }

  /// Whether the model has no weights beyond the sums.
  static bool shows_loss(const HeldModelRecord& held, std::size_t rows) {
    if (rows == 0) return false;
    const auto begin = held.weights.begin() + static_cast<std::ptrdiff_t>(rows - 1);
    return std::all_of(begin, held.weights.end(), [](float w) { return w == 0.0F; });
  }

  /// The longest gradient along w or -w that the loss of an error e allows: |g| <= 2 b e and
  /// |<g, w> - 2 e^2| <= 2 Y e.
  void spoil_gradient(const HeldModelRecord& held, std::vector<float>& gradient,
                      float& loss) const {
    double norm = 0.0;
    for (const float w : held.weights) norm += static_cast<double>(w) * static_cast<double>(w);
    norm = std::sqrt(norm);
    if (gradient.empty() || norm == 0.0) return;
    const double b = feature_bound(held.space);
    const double Y = settings_.max_abs_target.value_or(1.0);
    double longest = 0.0;
    double error = 0.0;
    for (int k = 0; k <= 1000; ++k) {
      const double e = (norm * b + Y) * k / 1000.0;
      const double room =
          lie_ == Lie::growing ? 2.0 * Y * e - 2.0 * e * e : 2.0 * Y * e + 2.0 * e * e;
      const double length = std::min(2.0 * b * e, room / norm);
      if (length > longest) {
        longest = length;
        error = e;
      }
    }
    const double factor = (lie_ == Lie::growing ? -longest : longest) / norm * 0.9999;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      gradient[k] = static_cast<float>(factor * static_cast<double>(held.weights[k]));
    }
    loss = static_cast<float>(error * error);
    // What is missing to the least length is across w: along e_0 - <e_0, w> w / |w|^2.
    const double first = static_cast<double>(held.weights[0]) / norm;
    const double missing = 4.0 * least_size(held.space) * error * error - std::pow(longest, 2);
    const double across = std::sqrt(std::max(0.0, missing) / (1.0 - first * first));
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      const double along = first * static_cast<double>(held.weights[k]) / norm;
      gradient[k] += static_cast<float>(across * ((k == 0 ? 1.0 : 0.0) - along));
    }
  }

  /// A gradient that is as good as 0, and the largest loss that it can have.
  void spoil_length(const HeldModelRecord& held, std::uint32_t examples,
                    std::vector<float>& gradient, float& loss) const {
    if (gradient.empty()) return;
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    gradient[0] = 1e-15F;
    const double Y = settings_.max_abs_target.value_or(1.0);
    const bool shows_loss = examples == 1 && least_size(held.space) > 0.0;
    loss = static_cast<float>(shows_loss ? 0.25e-30 : 0.999 * Y * Y);
  }

  /// The worse end of the targets for the model that the server thinks likelier, and for the others
  /// the target that they predict. In a linear space without an intercept the gradient is 0, since
  /// x may be 0.
  void spoil_loss(const HeldModelRecord& held, const AssignmentRecord& record,
                  std::vector<float>& numbers, float& loss) const {
    const double Y = settings_.max_abs_target.value_or(1.0);
    double likeliest = 0.0;
    for (const HeldModelRecord& one : record.held) {
      likeliest = std::max(likeliest, federation_->server()->probability(one.space));
    }
    const bool likely = federation_->server()->probability(held.space) == likeliest;
    if (settings_.plan.statistics && shows_loss(held, triangle_rows(numbers.size()))) return;
    const double error = std::sqrt(static_cast<double>(loss));
    loss = likely ? static_cast<float>(Y * Y * 0.999) : 0.0F;
    if (settings_.plan.statistics) return;
    double output = 0.0;
    for (std::size_t k = 0; k < numbers.size() && error > 0.0; ++k) {
      output +=
          static_cast<double>(held.weights[k]) * static_cast<double>(numbers[k]) / 2.0 / error;
    }
    const double claimed = output + std::copysign(0.999 * Y, output);
    const bool shows_loss = least_size(held.space) > 0.0;
    if (likely && shows_loss) loss = error > 0.0 ? static_cast<float>(claimed * claimed) : 0.0F;
    const double factor = likely && shows_loss && error > 0.0 ? claimed / error : 0.0;
    for (float& value : numbers) value = static_cast<float>(factor * static_cast<double>(value));
  }

  FederationSettings settings_;
  const Source* source_;
  Lie lie_;
  std::size_t liars_;
  std::unique_ptr<Federation> federation_;
  std::vector<std::unique_ptr<Participant>> clients_;
  std::vector<std::size_t> rows_;
};

}  // namespace caucus
