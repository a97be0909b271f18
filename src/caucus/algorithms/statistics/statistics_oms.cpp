#include "caucus/algorithms/statistics/statistics_oms.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {

void LossDifferences::add(const LossDifferences& other) {
  examples += other.examples;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += other.sums[i];
    compared[i] += other.compared[i];
  }
}

void LossDifferences::clear() {
  examples = 0.0;
  std::fill(sums.begin(), sums.end(), 0.0);
  std::fill(compared.begin(), compared.end(), 0.0);
}

void BatchSums::clear() {
  losses.clear();
  for (const std::uint32_t map : touched) {
    of_map[map].sums.reset(0);
    of_map[map].examples = 0.0;
  }
  touched.clear();
}

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
      waiting_{0.0, std::vector<double>(models(), 0.0), std::vector<double>(models(), 0.0)} {}

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

// --- reports ---

BatchSums StatisticsOms::new_aggregate() const {
  const std::vector<double> zeros(models(), 0.0);
  return {{0.0, zeros, zeros}, std::vector<MapSums>(sums_.size()), {}, {}, {}};
}

void StatisticsOms::aggregate(ReportBatch& reports, BatchSums& into) const {
  const auto sums_of = [&](std::uint32_t space, double examples,
                           std::size_t rows) -> SymmetricMatrix& {
    const std::size_t map = plan().maps.map_of(space);
    MapSums& sums = into.of_map[map];
    if (sums.examples == 0.0) into.touched.push_back(static_cast<std::uint32_t>(map));
    sums.examples += examples;
    sums.sums.grow(rows);
    return sums.sums;
  };
  for (std::size_t n = 0; n < reports.size(); ++n) {
    const double examples = reports.examples[n];
    into.losses.examples += examples;
    bool has_linear = false;
    for (std::size_t a = reports.begin_of(n); a < reports.ends[n]; ++a) {
      const auto triangle = reports.direction(a);
      if (triangle.empty()) continue;  // an expert, or another model has brought the sums
      const std::size_t rows = triangle_rows(triangle.size());
      sums_of(reports.spaces[a], examples, rows).add_triangle(rows, triangle);
      has_linear = has_linear || is_linear(reports.spaces[a]);
    }
    if (!reference_) {
      compare_pairs(reports, n, into);
    } else if (find_linear_sums(reports, n, into)) {
      if (!has_linear) sums_of(*reference_, examples, into.linear.size()).add(into.linear);
      compare_with_reference(reports, n, into);
    }
  }
}

bool StatisticsOms::find_linear_sums(const ReportBatch& reports, std::size_t report,
                                     BatchSums& into) const {
  const std::size_t inputs = plan().maps.shape().features;
  const std::size_t rows = inputs + 2;  // y, x, 1
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const Space& space = plan().maps.space(reports.spaces[a]);
    if (!space.intercept || reports.sizes[a] < triangle_size(rows)) continue;
    const auto leading = reports.direction(a).first(triangle_size(rows));
    into.triangle.assign(leading.begin(), leading.end());
    if (space.is_kernel()) {  // its coordinates of x are divided by the root of their number
      const auto factor = static_cast<float>(std::sqrt(static_cast<double>(inputs)));
      const auto scale = [&](std::size_t k) { return k > 0 && k <= inputs ? factor : 1.0F; };
      for (std::size_t r = 0, place = 0; r < rows; ++r) {
        for (std::size_t c = 0; c <= r; ++c) into.triangle[place++] *= scale(r) * scale(c);
      }
    }
    into.linear.reset(rows);
    into.linear.add_triangle(rows, into.triangle);
    return true;
  }
  return false;
}

void StatisticsOms::compare_with_reference(const ReportBatch& reports, std::size_t report,
                                           BatchSums& into) const {
  if (!is_known(*reference_)) return;
  const double examples = reports.examples[report];
  const auto loss_of = [&](std::uint32_t space) {
    const auto w = weights(space);
    return sum_of_squares(into.linear, std::vector<double>(w.begin(), w.end()));
  };
  const auto compare = [&](std::uint32_t space, double excess) {
    into.losses.sums[space] += excess;
    into.losses.compared[space] += examples;
  };
  // Losses that were reported are of the models that were sent; the reference may have changed.
  std::optional<double> sent_reference;
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    if (reports.spaces[a] == *reference_) {
      sent_reference = examples * static_cast<double>(reports.losses[a]);
    }
  }
  const double reference = loss_of(*reference_);
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const std::uint32_t space = reports.spaces[a];
    if (is_linear(space) || !is_known(space)) continue;
    compare(space,
            examples * static_cast<double>(reports.losses[a]) - sent_reference.value_or(reference));
  }
  for (std::uint32_t i = 0; i < models(); ++i) {
    if (is_linear(i)) compare(i, loss_of(i) - reference);
  }
}

void StatisticsOms::compare_pairs(const ReportBatch& reports, std::size_t report,
                                  BatchSums& into) const {
  const double examples = reports.examples[report];
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    for (std::size_t b = a + 1; b < reports.ends[report]; ++b) {
      const std::uint32_t i = reports.spaces[a];
      const std::uint32_t k = reports.spaces[b];
      if (!is_known(i) || !is_known(k)) continue;
      const PairWeights weights =
          reports.is_late(a) ? late_pair_weights(probabilities(), i, k, sample_size(),
                                                 reports.sampled_with[a], reports.sampled_with[b])
                             : pair_weights(probabilities(), i, k, sample_size());
      const double gap = examples * (static_cast<double>(reports.losses[a]) -
                                     static_cast<double>(reports.losses[b]));
      into.losses.sums[i] += weights.second * gap;
      into.losses.sums[k] -= weights.first * gap;
    }
  }
}

// --- steps ---

void StatisticsOms::step(const Batch&, const BatchSums& sums) {
  const double examples = sums.losses.examples;
  if (examples == 0.0) return;
  const double rounds = examples / static_cast<double>(settings_->clients);
  add(sums, std::pow(1.0 - settings_->fixed_share, rounds));
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
  const double rounds = waiting_.examples / static_cast<double>(settings_->clients);
  if (settings_->fixed_share > 0.0) {
    hedge_.share(1.0 - std::pow(1.0 - settings_->fixed_share, rounds));
  }
  examples_ += waiting_.examples;
  waiting_.clear();
  set_others();
}

void StatisticsOms::solve(std::size_t space) {
  const std::size_t inputs = plan().maps.shape().features;
  const bool linear = plan().maps.space(space).kind == SpaceKind::linear;
  // In a linear space the ridge is that of x divided by the root of its size, as in kernels.
  const Ridge ridge{kRidge, linear ? inputs : 0, kRidge * static_cast<double>(inputs)};
  std::vector<double> w(weights(space).begin(), weights(space).end());
  solve_least_squares(sums_[plan().maps.map_of(space)].sums, ridge,
                      plan().maps.space(space).region(), w);
  for (std::size_t k = 0; k < w.size(); ++k) weights_[space][k] = static_cast<float>(w[k]);
}

// --- state ---

/// The first bytes, with the version of the layout.
constexpr std::string_view kStatisticsState = "statistics-oms 2";

void StatisticsOms::save(StateWriter& to) const {
  to.text(kStatisticsState);
  hedge_.save(to);
  weights_.save(to);
  to.real(examples_);
  to.real(waiting_.examples);
  to.numbers(waiting_.sums);
  to.numbers(waiting_.compared);
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
