// Adds up the sums in the reports of one batch, and compares the losses of the spaces in them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "caucus/algorithms/statistics/statistics_oms.hpp"
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
  squares = forecasts = 0.0;
  kept.clear();
}

BatchSums StatisticsOms::new_aggregate() const {
  const std::vector<double> zeros(models(), 0.0);
  return {{0.0, zeros, zeros}, std::vector<MapSums>(sums_.size()), {}, 0.0, 0.0, {}, {}, {}};
}

void StatisticsOms::aggregate(ReportBatch& reports, BatchSums& into) const {
  if (weighs()) return into.kept.keep(reports);
  for (std::size_t n = 0; n < reports.size(); ++n) {
    list(reports, n, into.report);
    add(reports, n, into.report, into);
  }
}

void StatisticsOms::list(const ReportBatch& reports, std::size_t report,
                         WeighedReport& into) const {
  into.client = reports.clients[report];
  into.examples = static_cast<double>(reports.examples[report]);
  into.judged.clear();
  into.sums.clear();
  if (reference_ || weighs()) find_linear_triangle(reports, report, into.judged);
  bool has_linear = false;
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const auto triangle = reports.direction(a);
    if (triangle.empty()) continue;  // an expert, or another model has brought the sums
    const std::uint32_t space = reports.spaces[a];
    const double loss = is_known(space) ? static_cast<double>(reports.losses[a]) : -1.0;
    into.sums.push_back({plan().maps.map_of(space), triangle, loss});
    has_linear = has_linear || is_linear(space);
  }
  if (reference_ && !has_linear && !into.judged.empty()) {
    into.sums.push_back({plan().maps.map_of(*reference_), into.judged});
  }
}

void StatisticsOms::find_linear_triangle(const ReportBatch& reports, std::size_t report,
                                         std::vector<float>& into) const {
  const std::size_t inputs = plan().maps.shape().features;
  const std::size_t rows = inputs + 2;  // y, x, 1
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const Space& space = plan().maps.space(reports.spaces[a]);
    if (!space.intercept || reports.sizes[a] < triangle_size(rows)) continue;
    const auto leading = reports.direction(a).first(triangle_size(rows));
    into.assign(leading.begin(), leading.end());
    if (space.is_kernel()) {  // its coordinates of x are divided by the root of their number
      const auto factor = static_cast<float>(std::sqrt(static_cast<double>(inputs)));
      const auto scale = [&](std::size_t k) { return k > 0 && k <= inputs ? factor : 1.0F; };
      for (std::size_t r = 0, place = 0; r < rows; ++r) {
        for (std::size_t c = 0; c <= r; ++c) into[place++] *= scale(r) * scale(c);
      }
    }
    return;
  }
}

void StatisticsOms::add(const ReportBatch& reports, std::size_t report,
                        const WeighedReport& weighed, BatchSums& into) const {
  into.losses.examples += weighed.examples;
  for (const ReportedSums& one : weighed.sums) {
    const std::size_t rows = triangle_rows(one.triangle.size());
    if (one.factor == 0.0 || rows == 0) continue;
    MapSums& all = into.of_map[one.map];
    if (all.examples == 0.0) into.touched.push_back(static_cast<std::uint32_t>(one.map));
    all.examples += one.factor * weighed.examples;
    all.sums.grow(rows);
    all.sums.add_triangle(rows, one.triangle, one.factor);
  }
  add_errors(reports, report, weighed, into);
  if (reference_) {
    compare_with_reference(reports, report, weighed, into);
  } else {
    compare_pairs(reports, report, weighed, into);
  }
}

void StatisticsOms::add_errors(const ReportBatch& reports, std::size_t report,
                               const WeighedReport& weighed, BatchSums& into) const {
  if (!std::holds_alternative<SquareLoss>(plan().loss.kind())) return;
  double losses = 0.0;
  double total = 0.0;
  double factor = 1.0;
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const std::uint32_t space = reports.spaces[a];
    if (!is_known(space)) continue;
    const double p = probabilities()[space];
    losses += p * static_cast<double>(reports.losses[a]);
    total += p;
    factor = std::min(factor, factor_of(weighed, plan().maps.map_of(space)));
  }
  if (!(total > 0.0)) return;
  into.squares += factor * weighed.examples * losses / total;
  into.forecasts += factor * weighed.examples;
}

void StatisticsOms::compare_with_reference(const ReportBatch& reports, std::size_t report,
                                           const WeighedReport& weighed, BatchSums& into) const {
  if (!is_known(*reference_) || weighed.judged.empty()) return;
  into.linear.reset(triangle_rows(weighed.judged.size()));
  into.linear.add_triangle(into.linear.size(), weighed.judged);
  const double examples = reports.examples[report];
  const auto loss_of = [&](std::uint32_t space) {
    const auto w = weights(space);
    return sum_of_squares(into.linear, std::vector<double>(w.begin(), w.end()));
  };
  const auto compare = [&](std::uint32_t space, double excess) {
    const double factor = factor_of(weighed, plan().maps.map_of(space));
    into.losses.sums[space] += factor * excess;
    into.losses.compared[space] += factor * examples;
  };
  // Reported losses are those of the models that were sent; the reference may have changed since.
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
      into.losses.sums[i] += weights.second * gap;
      into.losses.sums[k] -= weights.first * gap;
    }
  }
}

BatchSums StatisticsOms::weighed(const KeptReports& kept) {
  std::vector<WeighedReport> all;
  double examples = 0.0;
  for (const ReportBatch& reports : kept.batches()) {
    for (std::size_t n = 0; n < reports.size(); ++n) {
      list(reports, n, all.emplace_back());
      examples += all.back().examples;
    }
  }
  robust_.weigh(all, share_kept(examples));
  constexpr double kDoubtful = 0.5;
  std::vector<std::size_t> rows;
  for (const MapSums& map : sums_) rows.push_back(map.sums.size());
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

}  // namespace caucus
