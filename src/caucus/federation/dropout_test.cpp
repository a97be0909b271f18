// Monte Carlo: clients that drop out, whatever they hold, leave the steps of FOMD-OMS unbiased. The
// batches are closed as they really are: at the deadline, with those who have reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/sampling/sampling.hpp"
#include "caucus/engine/participant/test_reports.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/federation/test_together.hpp"

namespace caucus {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kClients = 4;
constexpr std::size_t kQuorum = 2;
constexpr std::uint32_t kRuns = 700;
constexpr std::uint32_t kBatches = 30;  // of a run
constexpr double kSlow = 0.6;           // of the clients do not report before the deadline

/// A mean in units of its standard error.
class Score {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
  }
  [[nodiscard]] double z() const { return sum_ / std::sqrt(squares_); }

 private:
  double sum_ = 0.0, squares_ = 0.0;
};

/// The mean loss and gradient of every model, either estimates or the true means.
struct Means {
  std::vector<double> losses;
  std::vector<std::vector<double>> gradients;
};

/// Adds a report with weight(i).
void add(const ReportRecord& report, const std::function<double(std::size_t)>& weight,
         Means& into) {
  const TestPart part = parts_of(report.reports).at(0);
  for (const TestModel& held : part.held) {
    into.losses[held.space] += weight(held.space) * static_cast<double>(held.loss);
    auto& gradient = into.gradients[held.space];
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      gradient[k] += weight(held.space) * static_cast<double>(held.gradient[k]);
    }
  }
}

/// What moves in a step, linear in the estimates: C_i ln p_i - C_0 ln p_0 by -eta (c_i - c_0),
/// since nu is the same for all; and w_i by -lambda_i g_i where nothing is projected.
struct Step {
  std::vector<double> log_ratios;
  std::vector<std::vector<double>> models;
};

/// How far steps are from those with full information: of every model two numbers, which are zero
/// in the mean. The second looks along the full step, which is known before anything is drawn, so
/// that nothing can hide behind changing signs.
class Differences {
 public:
  explicit Differences(std::size_t models) : log_ratios_(2 * (models - 1)), models_(2 * models) {}

  void add(const Step& step, const Step& full) {
    for (std::size_t i = 0; i < full.models.size(); ++i) {
      double along = 0.0;
      double square = 0.0;
      for (std::size_t k = 0; k < full.models[i].size(); ++k) {
        along += (step.models[i][k] - full.models[i][k]) * full.models[i][k];
        square += full.models[i][k] * full.models[i][k];
      }
      models_[2 * i].add(step.models[i][0] - full.models[i][0]);
      models_[2 * i + 1].add(along / std::sqrt(square));
      if (i == 0) continue;
      const double apart = step.log_ratios[i] - full.log_ratios[i];
      log_ratios_[2 * i - 2].add(apart);
      log_ratios_[2 * i - 1].add(full.log_ratios[i] < 0.0 ? -apart : apart);
    }
  }
  [[nodiscard]] double of_log_ratios() const { return largest(log_ratios_); }
  [[nodiscard]] double of_models() const { return largest(models_); }

 private:
  static double largest(const std::vector<Score>& all) {
    double z = 0.0;
    for (const Score& one : all) z = std::max(z, std::abs(one.z()));
    return z;
  }
  std::vector<Score> log_ratios_, models_;
};

/// One federation of many, from its first batch on. `seed` names what is drawn.
class Run {
 public:
  Run(const FederationSettings& settings, const TestSource& source, std::uint32_t seed)
      : together_(settings, source), source_(&source), seed_(seed) {
    const auto& federation = together_.federation;
    const auto plan = std::make_shared<const Plan>(federation.server()->plan());
    rates_ = std::get<std::shared_ptr<const OmsSettings>>(
        make_settings("fomd-oms", plan, *space_constants(settings), federation.length(),
                      settings.problem, 0)
            .value());
    for (std::uint32_t j = 0; j < kClients; ++j) {
      all_knowing_.push_back(Participant::make(settings.plan, j).value());
    }
  }

  /// The next batch. Afterwards the steps can be compared.
  void play() {
    before_ = together_.federation.server()->learned();
    full_ = full_information();
    std::vector<ReportRecord> reports;
    for (std::uint32_t j = 0; j < kClients; ++j) {
      reports.push_back(*together_.clients[j].play(together_.assignment(j)));
    }
    close_with_some(reports);
    after_ = together_.federation.server()->learned();
    ++batch_;
  }

  [[nodiscard]] std::size_t reporting() const { return counted_.size(); }
  [[nodiscard]] Step full_step() const { return step_by(full_); }
  /// What the server did.
  [[nodiscard]] Step step() const {
    Step step;
    const auto scaled = [&](std::size_t i) {
      return rates_->entropy.weights()[i] *
             std::log(after_.probabilities[i] / before_.probabilities[i]);
    };
    for (std::size_t i = 0; i < before_.weights.size(); ++i) {
      step.log_ratios.push_back(scaled(i) - scaled(0));
      auto& moved = step.models.emplace_back();
      double square = 0.0;
      for (std::size_t k = 0; k < after_.weights[i].size(); ++k) {
        const auto w = static_cast<double>(after_.weights[i][k]);
        moved.push_back(w - static_cast<double>(before_.weights[i][k]));
        square += w * w;
      }
      EXPECT_LT(std::sqrt(square), 0.99 * rates_->plan->maps.space(i).radius) << "projected";
    }
    return step;
  }
  /// What a server would do that divides by divisor(clients that held i, P_i).
  template <class Divisor>
  [[nodiscard]] Step step_with(Divisor&& divisor) const {
    std::vector<double> holders(before_.weights.size(), 0.0);
    for (const ReportRecord& report : counted_) {
      for (const std::uint32_t space : report.reports.spaces) ++holders[space];
    }
    const auto weight = [&](std::size_t i) {
      return 1.0 / divisor(holders[i], inclusion_probability(before_.probabilities[i],
                                                             holders.size(), rates_->sample_size));
    };
    Means means = nothing();
    for (const ReportRecord& report : counted_) add(report, weight, means);
    return step_by(means);
  }

 private:
  [[nodiscard]] Means nothing() const {
    Means means;
    means.losses.assign(before_.weights.size(), 0.0);
    for (const auto& weights : before_.weights) means.gradients.emplace_back(weights.size(), 0.0);
    return means;
  }

  /// Returns the means over all clients and models, as if every client held all models and none
  /// dropped out.
  Means full_information() {
    Means means = nothing();
    AssignmentRecord all{together_.federation.batch(), 0, {}};
    for (std::uint32_t i = 0; i < before_.weights.size(); ++i) {
      all.held.push_back({i, i == 0 ? 1.0 : 0.0, before_.weights[i]});
    }
    for (std::uint32_t j = 0; j < kClients; ++j) {
      Participant& client = *all_knowing_[j];
      EXPECT_TRUE(client.assign(all).ok());
      const Example example = source_->example(j, together_.clients[j].row());
      EXPECT_TRUE(client.observe(client.predict(example.x)->id, example.y));
      add(
          *client.take_report(false), [](std::size_t) { return 1.0 / kClients; }, means);
    }
    return means;
  }

  /// In a random order; some take longer than the deadline and are late, or just in time if the
  /// quorum is still waited for.
  void close_with_some(const std::vector<ReportRecord>& reports) {
    Stream chance({7, Purpose::dropout, seed_, batch_, 0});
    std::vector<std::uint32_t> prompt;
    std::vector<std::uint32_t> slow;
    for (std::uint32_t j = 0; j < kClients; ++j) {
      auto& group = chance.uniform() < kSlow ? slow : prompt;
      const auto place = chance.below(static_cast<std::uint32_t>(group.size()) + 1);
      group.insert(group.begin() + static_cast<std::ptrdiff_t>(place), j);
    }
    Federation& federation = together_.federation;
    counted_.clear();
    const auto hear = [&](std::uint32_t j) {
      EXPECT_EQ(together_.send(j, reports[j]), Verdict::accepted) << together_.why;
      counted_.push_back(reports[j]);
    };
    for (const std::uint32_t j : prompt) hear(j);
    EXPECT_EQ(federation.closable(together_.now), slow.empty());
    together_.now += milliseconds(100);
    auto next = slow.begin();
    while (next != slow.end() && !federation.closable(together_.now)) hear(*next++);
    EXPECT_TRUE(federation.closable(together_.now));
    federation.close(together_.now);
    for (; next != slow.end(); ++next) {
      EXPECT_EQ(together_.send(*next, reports[*next]), Verdict::late);
    }
  }

  [[nodiscard]] Step step_by(const Means& means) const {
    Step step;
    std::visit(
        [&](const auto& rates) {
          for (std::size_t i = 0; i < means.losses.size(); ++i) {
            step.log_ratios.push_back(-rates.probability_rate() *
                                      (means.losses[i] - means.losses[0]));
            auto& moved = step.models.emplace_back(means.gradients[i]);
            for (double& value : moved) value *= -rates.model_rate(batch_, i);
          }
        },
        rates_->schedule);
    return step;
  }

  Together together_;
  const TestSource* source_;
  const std::uint32_t seed_;
  std::shared_ptr<const OmsSettings> rates_;
  std::vector<std::unique_ptr<Participant>> all_knowing_;
  std::uint32_t batch_ = 0;  ///< the last one closed
  LearnedModel before_, after_;
  Means full_;
  std::vector<ReportRecord> counted_;
};

void expect_unbiased(ScheduleKind schedule) {
  const TestSource source(std::vector<std::size_t>(kClients, kBatches + 1));
  auto settings = test_settings(kClients, schedule);
  const double radii[] = {30.0, 20.0, 40.0, 35.0};  // so far away that nothing is projected
  for (std::size_t i = 0; i < std::size(radii); ++i) settings.plan.spaces[i].radius = radii[i];
  settings.problem.spaces = settings.plan.spaces;
  settings.problem.constants.lambda = 0.05;
  settings.problem.constants.eta = 400.0;  // for C_i of hundreds and thousands
  settings.quorum = kQuorum;
  settings.deadline = milliseconds(100);

  const std::size_t K = std::size(radii);
  Differences ours(K);
  const char* const wrong_divisors[] = {"holders times P", "holders", "all clients times P"};
  std::vector<Differences> theirs(std::size(wrong_divisors), Differences(K));
  std::set<std::size_t> reporting;
  for (std::uint32_t n = 0; n < kRuns; ++n) {
    settings.problem.seed = 100 + n;  // of what is sampled; the features stay
    Run run(settings, source, n);
    for (std::uint32_t batch = 0; batch < kBatches; ++batch) {
      run.play();
      reporting.insert(run.reporting());
      const Step full = run.full_step();
      ours.add(run.step(), full);
      theirs[0].add(run.step_with([](double held, double P) { return held * P; }), full);
      theirs[1].add(run.step_with([](double held, double) { return held; }), full);
      theirs[2].add(run.step_with([](double, double P) { return kClients * P; }), full);
    }
  }
  EXPECT_EQ(reporting, (std::set<std::size_t>{2, 3, 4}));
  constexpr double kChance = 4.0;
  EXPECT_LT(ours.of_models(), kChance);
  EXPECT_LT(ours.of_log_ratios(), kChance);
  for (std::size_t w = 0; w < theirs.size(); ++w) {  // the same test tells them apart
    EXPECT_GT(theirs[w].of_models(), 3.0 * kChance) << wrong_divisors[w];
    EXPECT_GT(theirs[w].of_log_ratios(), 3.0 * kChance) << wrong_divisors[w];
  }
}

TEST(Dropout, LeavesTheStepsOfConstantRatesUnbiased) { expect_unbiased(ScheduleKind::constant); }
TEST(Dropout, LeavesTheStepsOfTheTheorysRatesUnbiased) { expect_unbiased(ScheduleKind::theory); }

}  // namespace
}  // namespace caucus
