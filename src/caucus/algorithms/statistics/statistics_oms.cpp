#include "caucus/algorithms/statistics/statistics_oms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "caucus/core/losses/classes.hpp"
#include "caucus/core/mirror/region.hpp"
#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {

std::optional<std::uint32_t> reference_space(std::span<const Space> spaces, const Loss& loss) {
  if (spaces.size() == 1 || !loss.is_square()) return {};
  for (std::uint32_t i = 0; i < spaces.size(); ++i) {
    if (spaces[i].kind == SpaceKind::linear && spaces[i].intercept) return i;
  }
  return {};
}

StatisticsOms::StatisticsOms(std::shared_ptr<const StatisticsSettings> settings)
    : OmsServer(std::move(settings)),
      reference_(reference_space(plan().maps.spaces(), plan().loss)),
      hedge_(models()),
      others_(Simplex::uniform(models() - (reference_ ? 1 : 0))),
      sampler_({settings_->seed, Purpose::sampling, settings_->repetition}, others_.size(),
               std::min(sample_size(), others_.size())),
      sums_(plan().maps.map_count()),
      waiting_{0.0, std::vector<double>(models(), 0.0), std::vector<double>(models(), 0.0)},
      robust_(settings_->robust, plan().maps.shape().features, targets()) {}

void StatisticsOms::set_others() {
  if (!reference_) return;
  const auto all = probabilities().log_probabilities();
  std::vector<double> logs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != *reference_) logs.push_back(all[i]);
  }
  others_.set_log_weights(logs);
}

// --- clients ---

namespace {

/// Returns whether a model of the assignment predicts.
bool has_known_model(const Assignment& assignment) {
  return std::any_of(assignment.held.begin(), assignment.held.end(),
                     [](const HeldModel& model) { return model.share > 0.0; });
}

}  // namespace

void StatisticsOms::assign(const Batch& batch, std::uint32_t client, Assignment& into) {
  if (reference_) {
    const auto drawn = sampler_.draw(others_, batch.number, client);
    std::vector<std::uint32_t> spaces(drawn.begin(), drawn.end());
    for (std::uint32_t& space : spaces) space += space >= *reference_ ? 1U : 0U;
    spaces.push_back(*reference_);
    shares_.resize(spaces.size());
    probabilities().shares(spaces, shares_);
    into.client = client;
    into.held.clear();
    for (std::size_t a = 0; a < spaces.size(); ++a) {
      into.held.push_back({spaces[a], weights(spaces[a]), shares_[a]});
    }
  } else {
    OmsServer::assign(batch, client, into);
  }
  into.examples = batch.last - batch.first;
  into.least_after_change = settings_->uploads.least_after_change();
  double known = 0.0;
  for (HeldModel& model : into.held) {
    if (!is_known(model.space)) model.share = 0.0;
    known += model.share;
  }
  if (known == 0.0) return;
  for (HeldModel& model : into.held) model.share /= known;
}

void StatisticsOms::predict(ClientState& memory, const Assignment& assignment,
                            std::span<const float> x, Forecast& into) const {
  predict_with_held(plan(), assignment, x, into);
  into.output = plan().loss.has_classes()
                    ? personal_classes(memory, assignment, x, into.classes, into.classes)
                    : personal_forecast(memory, assignment, x, into.output);
}

double StatisticsOms::personal_classes(ClientState& memory, const Assignment& assignment,
                                       std::span<const float> x, std::span<const double> federated,
                                       std::span<double> into) const {
  if (!settings_->personal) {
    plain_probabilities(federated, into);
  } else {
    const std::size_t inputs = plan().maps.shape().features;
    if (!memory) memory.emplace(inputs, plan().loss);
    const std::size_t known = has_known_model(assignment) ? federated.size() : 0;
    memory->predict(x.first(inputs), federated.first(known), into);
  }
  return static_cast<double>(likeliest(into));
}

double StatisticsOms::personal_forecast(ClientState& memory, const Assignment& assignment,
                                        std::span<const float> x, double federated) const {
  if (!settings_->personal) return federated;
  if (!memory) memory.emplace(plan().maps.shape().features, plan().loss);
  return memory->predict(x.first(plan().maps.shape().features),
                         has_known_model(assignment) ? std::optional(federated) : std::nullopt);
}

void StatisticsOms::report(ClientState& memory, const Forecast& forecast, double y,
                           BatchStatistics& into) const {
  into.add(forecast, y);
  if (memory) memory->observe(y);
}

// --- steps ---

double StatisticsOms::share_kept(double examples) const {
  const double rounds = examples / static_cast<double>(settings_->clients);
  return std::pow(1.0 - settings_->fixed_share, rounds);
}

void StatisticsOms::step(const Batch&, const BatchSums& aggregate) {
  if (weighs()) {
    learn(weighed(aggregate.kept));
  } else {
    learn(aggregate);
  }
}

void StatisticsOms::learn(const BatchSums& sums) {
  if (sums.losses.examples == 0.0) return;
  const double kept = share_kept(sums.losses.examples);
  add_batch(sums, kept, sums_);
  follow_change(sums, kept);
  errors_.add(sums.squares, sums.forecasts, share_kept(sums.forecasts));
  solve_grown(sums.touched);
  waiting_.add(sums.losses);
  if (models() > 1) move_probabilities();
}

void StatisticsOms::follow_change(const BatchSums& sums, double kept) {
  young_.add(sums.young, kept, sums.memories);
  if (young_.wins()) {
    sums_ = young_.take();
    robust_ = RobustFactors(settings_->robust, plan().maps.shape().features, targets());
    std::vector<std::uint32_t> all(sums_.size());
    std::iota(all.begin(), all.end(), 0U);
    solve_grown(all);
    double most = 0.0;
    for (const MapSums& map : sums_) most = std::max(most, map.examples);
    examples_ = std::min(examples_, most);
  }
  young_.follow(sums.memories, sums_);
  solve_young(sums.young.touched);
}

void StatisticsOms::solve_young(std::span<const std::uint32_t> touched) {
  if (!young_.exists()) return young_models_.clear();
  young_models_.resize(sums_.size());
  for (std::size_t i = 0; i < models(); ++i) {
    const std::size_t map = plan().maps.map_of(i);
    if (reference_ && i != *reference_) continue;
    const MapSums& sums = young_.of_map(map);
    const bool is_touched = std::find(touched.begin(), touched.end(), map) != touched.end();
    if (sums.examples == 0.0) {
      young_models_[map].clear();
    } else if (is_touched) {
      young_models_[map] = solution(i, sums);
    }
  }
}

void StatisticsOms::solve_grown(std::span<const std::uint32_t> touched) {
  const auto has_grown = [](const MapSums& map) {
    return map.examples >= (1.0 + kNoticeable) * map.solved;
  };
  for (std::size_t i = 0; i < models(); ++i) {
    const std::size_t map = plan().maps.map_of(i);
    const bool is_touched = std::find(touched.begin(), touched.end(), map) != touched.end();
    if (is_touched && has_grown(sums_[map])) solve(i);
  }
  for (const std::uint32_t map : touched) {
    if (has_grown(sums_[map])) sums_[map].solved = sums_[map].examples;
  }
}

void StatisticsOms::move_probabilities() {
  if (waiting_.examples < kNoticeable * examples_) return;
  std::vector<double> differences = waiting_.sums;
  for (std::size_t i = 0; reference_ && i < differences.size(); ++i) {
    if (waiting_.compared[i] > 0.0) differences[i] *= waiting_.examples / waiting_.compared[i];
  }
  hedge_.discount(examples_ / (examples_ + waiting_.examples));
  hedge_.update(differences);
  if (settings_->fixed_share > 0.0) hedge_.share(1.0 - share_kept(waiting_.examples));
  examples_ += waiting_.examples;
  waiting_.clear();
  set_others();
}

Ridge StatisticsOms::ridge_of(std::size_t space) const {
  const std::size_t inputs = plan().maps.shape().features;
  const bool linear = plan().maps.space(space).kind == SpaceKind::linear;
  // In a linear space the ridge is that of x divided by the root of its size, as in kernels.
  return {kRidge, linear ? inputs : 0, kRidge * static_cast<double>(inputs)};
}

std::vector<double> StatisticsOms::solution(std::size_t space, const MapSums& sums) const {
  std::vector<double> w(weights(space).begin(), weights(space).end());
  solve_least_squares(sums.sums, ridge_of(space), region_of(plan().maps.space(space)), w,
                      targets());
  return w;
}

void StatisticsOms::solve(std::size_t space) {
  const std::vector<double> w = solution(space, sums_[plan().maps.map_of(space)]);
  for (std::size_t k = 0; k < w.size(); ++k) weights_[space][k] = static_cast<float>(w[k]);
}

// --- results ---

LearnedModel StatisticsOms::learned() const {
  LearnedModel model = OmsServer::learned();
  if (errors_.empty()) return model;
  ErrorBars& bars = model.error_bars.emplace(ErrorBars{errors_.mean()});
  if (plan().loss.has_classes()) return model;
  for (std::size_t i = 0; i < models() && bars.factor.empty(); ++i) {
    if (plan().maps.space(i).kind != SpaceKind::linear || !is_known(i)) continue;
    bars.factor =
        ridge_factor(sums_[plan().maps.map_of(i)].sums, ridge_of(i), plan().maps.dimension(i));
  }
  return model;
}

const MapSums* StatisticsOms::complete_sums(std::size_t space) const {
  const UploadRule& rule = settings_->uploads;
  const std::size_t dimension = plan().maps.dimension(space);
  const std::size_t held = sample_size() + (reference_ ? 1 : 0);
  const bool whole =
      rule.coordinates(dimension, std::max(rule.least, rule.rounds), held) == dimension;
  const bool usable = dimension > 0 && whole && !weighs() && settings_->fixed_share == 0.0 &&
                      std::holds_alternative<SquareLoss>(plan().loss.kind());
  return usable ? &sums_[plan().maps.map_of(space)] : nullptr;
}

// --- state ---

/// The first bytes, with the version of the layout.
constexpr std::string_view kStatisticsState = "statistics-oms 5";

void StatisticsOms::save(StateWriter& to) const {
  to.text(kStatisticsState);
  hedge_.save(to);
  weights_.save(to);
  to.real(examples_);
  to.real(waiting_.examples);
  to.numbers(waiting_.sums);
  to.numbers(waiting_.compared);
  robust_.save(to);
  errors_.save(to);
  save_sums(sums_, to);
  young_.save(to);
}

Status StatisticsOms::restore(StateReader& from) {
  from.expect(kStatisticsState);
  CAUCUS_CHECK(hedge_.restore(from));
  CAUCUS_CHECK(weights_.restore(from, plan().maps));
  examples_ = from.real();
  waiting_.examples = from.real();
  from.numbers(waiting_.sums);
  from.numbers(waiting_.compared);
  CAUCUS_CHECK(robust_.restore(from));
  CAUCUS_CHECK(errors_.restore(from));
  std::vector<std::size_t> dimensions(sums_.size());
  for (std::size_t i = 0; i < models(); ++i) {
    dimensions[plan().maps.map_of(i)] = plan().maps.dimension(i);
  }
  CAUCUS_CHECK(restore_sums(from, dimensions, targets(), sums_));
  CAUCUS_CHECK(young_.restore(from, dimensions, targets()));
  const bool possible = is_amount(examples_) && is_amount(waiting_.examples) &&
                        all_finite(waiting_.sums) && all_finite(waiting_.compared);
  if (!possible) return from.refuse("a number of examples");
  set_others();
  std::vector<std::uint32_t> all(sums_.size());
  std::iota(all.begin(), all.end(), 0U);
  solve_young(all);
  return from.status();
}

}  // namespace caucus
