#include "caucus/algorithms/statistics/statistics_oms.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {

void BatchSums::clear() {
  examples = 0.0;
  std::fill(differences.begin(), differences.end(), 0.0);
  std::fill(compared.begin(), compared.end(), 0.0);
  for (const std::uint32_t map : touched) {
    of_map[map].sums.clear();
    of_map[map].examples = 0.0;
    of_map[map].rows = 0;
  }
  touched.clear();
  kept.clear();
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
  if (!settings_->personal) return;
  if (!memory) memory.emplace(plan().maps.shape().features, plan().loss);
  const bool known = std::any_of(assignment.held.begin(), assignment.held.end(),
                                 [](const HeldModel& model) { return model.share > 0.0; });
  into.output = memory->predict(x.first(plan().maps.shape().features),
                                known ? std::optional(into.output) : std::nullopt);
}

void StatisticsOms::report(ClientState& memory, const Forecast& forecast, double y,
                           BatchStatistics& into) const {
  into.add(forecast, y);
  if (memory) memory->observe(y);
}

// --- reports ---

BatchSums StatisticsOms::new_aggregate() const {
  const std::vector<double> zeros(models(), 0.0);
  return {0.0, zeros, zeros, std::vector<MapSums>(sums_.size()), {}, {}};
}

void StatisticsOms::aggregate(ReportBatch& reports, BatchSums& into) const {
  if (settings_->robust != Robust::none) return into.kept.keep(reports);
  for (std::size_t n = 0; n < reports.size(); ++n) add(reports, n, listed(reports, n), into);
}

WeighedReport StatisticsOms::listed(const ReportBatch& reports, std::size_t report) const {
  WeighedReport result{
      reports.clients[report], static_cast<double>(reports.examples[report]), {}, {}};
  if (reference_ || settings_->robust != Robust::none) {
    result.judged = linear_triangle(reports, report);
  }
  bool has_linear = false;
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const auto triangle = reports.direction(a);
    if (triangle.empty()) continue;  // an expert, or another model has brought the sums
    const std::uint32_t space = reports.spaces[a];
    const double loss = is_known(space) ? static_cast<double>(reports.losses[a]) : -1.0;
    result.sums.push_back({plan().maps.map_of(space), triangle, loss});
    has_linear = has_linear || is_linear(space);
  }
  if (reference_ && !has_linear && !result.judged.empty()) {
    result.sums.push_back({plan().maps.map_of(*reference_), result.judged});
  }
  return result;
}

void StatisticsOms::add(const ReportBatch& reports, std::size_t report,
                        const WeighedReport& weighed, BatchSums& into) const {
  into.examples += weighed.examples;
  for (const ReportedSums& one : weighed.sums) {
    const std::size_t rows = triangle_rows(one.triangle.size());
    if (one.factor == 0.0 || rows == 0) continue;
    MapSums& all = into.of_map[one.map];
    if (all.sums.empty()) all.sums = SymmetricMatrix(plan().maps.map_dimension(one.map) + 1);
    if (all.examples == 0.0) into.touched.push_back(static_cast<std::uint32_t>(one.map));
    all.examples += one.factor * weighed.examples;
    all.rows = std::max(all.rows, rows);
    all.sums.add_triangle(rows, one.triangle, one.factor);
  }
  if (reference_) {
    compare_with_reference(reports, report, weighed, into);
  } else {
    compare_pairs(reports, report, weighed, into);
  }
}

std::vector<float> StatisticsOms::linear_triangle(const ReportBatch& reports,
                                                  std::size_t report) const {
  const std::size_t inputs = plan().maps.shape().features;
  const std::size_t rows = inputs + 2;  // y, x, 1
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const Space& space = plan().maps.space(reports.spaces[a]);
    if (!space.intercept || reports.sizes[a] < triangle_size(rows)) continue;
    const auto leading = reports.direction(a).first(triangle_size(rows));
    std::vector<float> triangle(leading.begin(), leading.end());
    if (space.is_kernel()) {  // its coordinates of x are divided by the root of their number
      const auto factor = static_cast<float>(std::sqrt(static_cast<double>(inputs)));
      const auto scale = [&](std::size_t k) { return k > 0 && k <= inputs ? factor : 1.0F; };
      for (std::size_t r = 0, place = 0; r < rows; ++r) {
        for (std::size_t c = 0; c <= r; ++c) triangle[place++] *= scale(r) * scale(c);
      }
    }
    return triangle;
  }
  return {};
}

void StatisticsOms::compare_with_reference(const ReportBatch& reports, std::size_t report,
                                           const WeighedReport& weighed, BatchSums& into) const {
  if (!is_known(*reference_) || weighed.judged.empty()) return;
  SymmetricMatrix linear(triangle_rows(weighed.judged.size()));
  linear.add_triangle(linear.size(), weighed.judged);
  const double examples = reports.examples[report];
  const auto loss_of = [&](std::uint32_t space) {
    const auto w = weights(space);
    return sum_of_squares(linear, std::vector<double>(w.begin(), w.end()));
  };
  const double reference = loss_of(*reference_);
  const auto compare = [&](std::uint32_t space, double loss) {
    const double factor = factor_of(weighed, plan().maps.map_of(space));
    into.differences[space] += factor * (loss - reference);
    into.compared[space] += factor * examples;
  };
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const std::uint32_t space = reports.spaces[a];
    if (is_linear(space) || !is_known(space)) continue;
    compare(space, examples * static_cast<double>(reports.losses[a]));
  }
  for (std::uint32_t i = 0; i < models(); ++i) {
    if (is_linear(i)) compare(i, loss_of(i));
  }
}

void StatisticsOms::compare_pairs(const ReportBatch& reports, std::size_t report,
                                  const WeighedReport& weighed, BatchSums& into) const {
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
      const double factor = std::min(factor_of(weighed, plan().maps.map_of(i)),
                                     factor_of(weighed, plan().maps.map_of(k)));
      const double gap =
          factor * examples *
          (static_cast<double>(reports.losses[a]) - static_cast<double>(reports.losses[b]));
      into.differences[i] += weights.second * gap;
      into.differences[k] -= weights.first * gap;
    }
  }
}

// --- steps ---

std::vector<double> StatisticsOms::differences(const BatchSums& sums) const {
  std::vector<double> result = sums.differences;
  if (!reference_) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (sums.compared[i] > 0.0) result[i] *= sums.examples / sums.compared[i];
  }
  return result;
}

BatchSums StatisticsOms::weighed(const KeptReports& kept, double kept_share) {
  std::vector<WeighedReport> all;
  for (const ReportBatch& reports : kept.batches()) {
    for (std::size_t n = 0; n < reports.size(); ++n) all.push_back(listed(reports, n));
  }
  robust_.weigh(all, kept_share);
  constexpr double kDoubtful = 0.5;
  std::vector<std::size_t> rows;
  for (const MapSums& map : sums_) rows.push_back(map.rows);
  for (const WeighedReport& report : all) {
    for (const ReportedSums& one : report.sums) {
      if (one.factor < kDoubtful) continue;
      rows[one.map] = std::max(rows[one.map], triangle_rows(one.triangle.size()));
    }
  }
  for (WeighedReport& report : all) {
    for (ReportedSums& one : report.sums) {
      const std::size_t sent = triangle_rows(one.triangle.size());
      if (sent > rows[one.map]) one.triangle = one.triangle.first(triangle_size(rows[one.map]));
    }
  }
  BatchSums result = new_aggregate();
  auto weighed = all.begin();
  for (const ReportBatch& reports : kept.batches()) {
    for (std::size_t n = 0; n < reports.size(); ++n) add(reports, n, *weighed++, result);
  }
  return result;
}

void StatisticsOms::step(const Batch& batch, const BatchSums& aggregate) {
  BatchSums by_factors;
  if (settings_->robust != Robust::none) {
    const auto rounds = static_cast<double>(settings_->uploads.length_after(batch.first));
    by_factors = weighed(aggregate.kept, std::pow(1.0 - settings_->fixed_share, rounds));
  }
  const BatchSums& sums = settings_->robust != Robust::none ? by_factors : aggregate;
  if (sums.examples == 0.0) return;
  // The data of some clients may end before the batch, which the server cannot know.
  const auto length = static_cast<double>(settings_->uploads.length_after(batch.first));
  const double kept = std::pow(1.0 - settings_->fixed_share, length);
  for (const std::uint32_t map : sums.touched) {
    const MapSums& added = sums.of_map[map];
    MapSums& all = sums_[map];
    if (all.sums.empty()) all.sums = SymmetricMatrix(added.sums.size());
    if (kept < 1.0) all.sums.scale(kept);
    all.sums.add(added.sums);
    all.examples = kept * all.examples + added.examples;
    all.rows = std::max(all.rows, added.rows);
  }
  for (std::size_t i = 0; i < models(); ++i) {
    if (sums.of_map[plan().maps.map_of(i)].examples > 0.0) solve(i);
  }
  if (models() == 1) return;
  hedge_.discount(rounds_ / (rounds_ + length));
  rounds_ += length;
  hedge_.update(differences(sums));
  if (kept < 1.0) hedge_.share(1.0 - kept);
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
  to.real(rounds_);
  robust_.save(to);
  for (const MapSums& map : sums_) {
    to.real(map.examples);
    to.u64(map.rows);
    if (map.examples > 0.0) map.sums.save(to);
  }
}

Status StatisticsOms::restore(StateReader& from) {
  from.expect(kStatisticsState);
  CAUCUS_CHECK(hedge_.restore(from));
  CAUCUS_CHECK(weights_.restore(from, plan().maps));
  rounds_ = from.real();
  CAUCUS_CHECK(robust_.restore(from));
  std::vector<std::size_t> dimensions(sums_.size());
  for (std::size_t i = 0; i < models(); ++i) {
    dimensions[plan().maps.map_of(i)] = plan().maps.dimension(i);
  }
  for (std::size_t map = 0; map < sums_.size(); ++map) {
    sums_[map].examples = from.real();
    sums_[map].rows = from.u64();
    CAUCUS_CHECK(from.status());
    if (!is_amount(sums_[map].examples)) return from.refuse("a number of examples");
    if (sums_[map].examples == 0.0) continue;
    CAUCUS_CHECK(sums_[map].sums.restore(from, dimensions[map] + 1));
  }
  if (!is_amount(rounds_)) return from.refuse("a number of rounds");
  set_others();
  return from.status();
}

}  // namespace caucus
