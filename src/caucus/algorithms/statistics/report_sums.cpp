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
  BatchMapSums::clear();
  losses.clear();
  young.clear();
  memories.clear();
  squares = forecasts = 0.0;
  kept.clear();
}

BatchSums StatisticsOms::new_aggregate() const {
  const std::vector<double> zeros(models(), 0.0);
  BatchSums sums;
  sums.of_map.resize(sums_.size());
  sums.young.of_map.resize(sums_.size());
  sums.losses = {0.0, zeros, zeros};
  return sums;
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
  const std::size_t rows = targets() + inputs + 1;  // y, x, 1
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const Space& space = plan().maps.space(reports.spaces[a]);
    if (!space.intercept || reports.sizes[a] < triangle_size(rows)) continue;
    const auto leading = reports.direction(a).first(triangle_size(rows));
    into.assign(leading.begin(), leading.end());
    if (space.is_kernel()) {  // its coordinates of x are divided by the root of their number
      const auto factor = static_cast<float>(std::sqrt(static_cast<double>(inputs)));
      const auto scale = [&](std::size_t k) {
        return k >= targets() && k < targets() + inputs ? factor : 1.0F;
      };
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
  MemoryLosses& losses = into.memories.emplace_back();
  losses.client = weighed.client;
  losses.examples = weighed.examples;
  losses.changed = reports.has_change(report);
  const auto judged = find_judged(reports, report, weighed, into);
  if (judged && young_.exists()) {
    const auto& young = young_models_[plan().maps.map_of(*judged)];
    losses.judged = !young.empty() && factor_of(weighed, plan().maps.map_of(*judged)) > 0.0;
    losses.by_all = loss_of(into.judged, *judged);
    losses.by_young = !young.empty() ? sum_of_squares(into.judged, young, targets()) : 0.0;
  }
  const bool outdated = losses.changed && judged && is_outdated(reports, report, *judged, into);
  for (const ReportedSums& one : weighed.sums) {
    if (outdated || one.factor == 0.0 || one.triangle.empty()) continue;
    into.add(one.map, one.triangle, one.factor, weighed.examples);
    if (young_.takes(weighed.client) && !losses.changed) {
      into.young.add(one.map, one.triangle, one.factor, weighed.examples);
    }
  }
  add_errors(reports, report, weighed, into);
  if (reference_) {
    if (judged) compare_with_reference(reports, report, weighed, into);
  } else {
    compare_pairs(reports, report, weighed, into);
  }
}

void StatisticsOms::add_errors(const ReportBatch& reports, std::size_t report,
                               const WeighedReport& weighed, BatchSums& into) const {
  if (!plan().loss.is_square()) return;
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

double StatisticsOms::loss_of(const SymmetricMatrix& sums, std::uint32_t space) const {
  const std::vector<double> w(weights(space).begin(), weights(space).end());
  return sum_of_squares(sums, w, targets());
}

std::optional<std::uint32_t> StatisticsOms::find_judged(const ReportBatch& reports,
                                                        std::size_t report,
                                                        const WeighedReport& weighed,
                                                        BatchSums& into) const {
  if (!reference_ && !young_.exists()) return {};
  std::span<const float> triangle = weighed.judged;
  std::optional<std::uint32_t> space = reference_;
  for (std::size_t a = reports.begin_of(report); !reference_ && a < reports.ends[report]; ++a) {
    triangle = reports.direction(a);
    space = reports.spaces[a];
    if (!triangle.empty() && is_known(*space)) break;
  }
  if (triangle.empty() || !is_known(*space)) return {};
  into.judged.reset(triangle_rows(triangle.size()));
  into.judged.add_triangle(into.judged.size(), triangle);
  return space;
}

bool StatisticsOms::is_outdated(const ReportBatch& reports, std::size_t report,
                                std::uint32_t judged, const BatchSums& sums) const {
  constexpr double kWorse = 2.0;
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    if (reports.spaces[a] != judged || judged != reference_) continue;
    const double when_sent =
        static_cast<double>(reports.examples[report]) * static_cast<double>(reports.losses[a]);
    return loss_of(sums.judged, judged) > kWorse * when_sent;
  }
  return false;
}

void StatisticsOms::compare_with_reference(const ReportBatch& reports, std::size_t report,
                                           const WeighedReport& weighed, BatchSums& into) const {
  const double examples = reports.examples[report];
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
  const double reference = loss_of(into.judged, *reference_);
  for (std::size_t a = reports.begin_of(report); a < reports.ends[report]; ++a) {
    const std::uint32_t space = reports.spaces[a];
    if (is_linear(space) || !is_known(space)) continue;
    compare(space,
            examples * static_cast<double>(reports.losses[a]) - sent_reference.value_or(reference));
  }
  for (std::uint32_t i = 0; i < models(); ++i) {
    if (is_linear(i)) compare(i, loss_of(into.judged, i) - reference);
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
