#include "caucus/algorithms/statistics/statistics_oms.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "caucus/core/mirror/region.hpp"
#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {

std::optional<std::uint32_t> reference_space(std::span<const Space> spaces, const Loss& loss) {
  if (spaces.size() == 1 || !std::holds_alternative<SquareLoss>(loss.kind())) return {};
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
      robust_(settings_->robust, plan().maps.shape().features) {}

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
  into.examples = settings_->uploads.length_after(batch.first);
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
  into.output = personal_forecast(memory, assignment, x, into.output);
}

double StatisticsOms::personal_forecast(ClientState& memory, const Assignment& assignment,
                                        std::span<const float> x, double federated) const {
  if (!settings_->personal) return federated;
  if (!memory) memory.emplace(plan().maps.shape().features, plan().loss);
  const bool known = std::any_of(assignment.held.begin(), assignment.held.end(),
                                 [](const HeldModel& model) { return model.share > 0.0; });
  return memory->predict(x.first(plan().maps.shape().features),
                         known ? std::optional(federated) : std::nullopt);
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
  add(sums, share_kept(sums.losses.examples));
  errors_.add(sums.squares, sums.forecasts, share_kept(sums.forecasts));
  solve_grown(sums.touched);
  waiting_.add(sums.losses);
  if (models() > 1) move_probabilities();
}

void StatisticsOms::add(const BatchSums& sums, double kept) {
  for (const std::uint32_t map : sums.touched) {
    const MapSums& added = sums.of_map[map];
    MapSums& all = sums_[map];
    if (all.sums.empty()) all.sums = SymmetricMatrix(added.sums.size());
    if (kept < 1.0) {
      all.sums.scale(kept);
      all.solved *= kept;
    }
    all.sums.add(added.sums);
    all.examples = kept * all.examples + added.examples;
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

void StatisticsOms::solve(std::size_t space) {
  std::vector<double> w(weights(space).begin(), weights(space).end());
  solve_least_squares(sums_[plan().maps.map_of(space)].sums, ridge_of(space),
                      region_of(plan().maps.space(space)), w);
  for (std::size_t k = 0; k < w.size(); ++k) weights_[space][k] = static_cast<float>(w[k]);
}

// --- results ---

LearnedModel StatisticsOms::learned() const {
  LearnedModel model = OmsServer::learned();
  if (errors_.empty()) return model;
  ErrorBars& bars = model.error_bars.emplace(ErrorBars{errors_.mean()});
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
constexpr std::string_view kStatisticsState = "statistics-oms 4";

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
  for (const MapSums& map : sums_) {
    to.real(map.examples);
    to.real(map.solved);
    if (map.examples == 0.0) continue;
    to.u64(map.sums.size());
    map.sums.save(to);
  }
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
  for (std::size_t map = 0; map < sums_.size(); ++map) {
    sums_[map].examples = from.real();
    sums_[map].solved = from.real();
    CAUCUS_CHECK(from.status());
    if (!is_amount(sums_[map].examples) || !is_amount(sums_[map].solved)) {
      return from.refuse("a number of examples");
    }
    if (sums_[map].examples == 0.0) continue;
    const std::uint64_t size = from.u64();
    CAUCUS_CHECK(from.status());
    if (size < 1 || size > dimensions[map] + 1) return from.refuse("a size of sums");
    CAUCUS_CHECK(sums_[map].sums.restore(from, static_cast<std::size_t>(size)));
  }
  const bool possible = is_amount(examples_) && is_amount(waiting_.examples) &&
                        all_finite(waiting_.sums) && all_finite(waiting_.compared);
  if (!possible) return from.refuse("a number of examples");
  set_others();
  return from.status();
}

}  // namespace caucus
