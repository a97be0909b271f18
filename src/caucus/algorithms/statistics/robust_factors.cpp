#include "caucus/algorithms/statistics/robust_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "caucus/core/statistics/least_squares.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {
namespace {

constexpr double kRidge = 0.003;  // that of the models, for x divided by the root of its size
constexpr double kMuchLess = 0.33;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns k, which is larger for few examples: an honest client's few examples may be unusual.
double medians_allowed(double examples) { return 5.0 + 4.0 / std::sqrt(examples); }

double clipped(double loss, double most) {
  const double ratio = most / loss;
  return loss > most ? ratio * std::sqrt(ratio) : 1.0;
}

/// Returns the value of this rank, from 0.
double ranked(std::vector<double> values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}
double median_of(std::vector<double> values) {
  const std::size_t middle = (values.size() - 1) / 2;
  return ranked(std::move(values), middle);
}
/// Returns the largest value without the largest quarter.
double largest_kept(std::vector<double> values) {
  const std::size_t left_out = (values.size() + 3) / 4;
  const std::size_t rank = values.size() > left_out ? values.size() - left_out - 1 : 0;
  return ranked(std::move(values), rank);
}

/// Returns the sum of (<w, z> - y)^2 over the examples of a triangle, for one of its targets.
double sum_of_squares(std::span<const float> triangle, std::span<const double> w,
                      std::size_t target, std::size_t targets) {
  const float* from = triangle.data() + triangle_size(targets);
  auto whole = static_cast<double>(triangle[triangle_size(target + 1) - 1]);  // sum of y^2
  for (std::size_t r = 0; r < w.size(); ++r) {
    double row = -static_cast<double>(from[target]);  // v = (-1, w)
    from += targets;
    for (std::size_t c = 0; c < r; ++c) row += static_cast<double>(*from++) * w[c];
    whole += w[r] * (2.0 * row + static_cast<double>(*from++) * w[r]);
  }
  return std::max(0.0, whole);
}
/// Returns the sum over all targets, whose weights follow each other.
double sum_of_squares(std::span<const float> triangle, std::span<const double> w,
                      std::size_t targets) {
  const std::size_t size = w.size() / targets;
  double sum = 0.0;
  for (std::size_t c = 0; c < targets; ++c) {
    sum += sum_of_squares(triangle, w.subspan(c * size, size), c, targets);
  }
  return sum;
}

/// Returns the last loss of each client, if it has any.
std::vector<double> of_clients(std::span<const WeighedReport> reports,
                               std::span<const double> losses) {
  std::map<std::uint32_t, double> latest;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    if (losses[n] >= 0.0) latest[reports[n].client] = losses[n];
  }
  std::vector<double> values;
  values.reserve(latest.size());
  for (const auto& [client, loss] : latest) values.push_back(loss);
  return values;
}

}  // namespace

double factor_of(const WeighedReport& report, std::size_t map) {
  for (const ReportedSums& one : report.sums) {
    if (one.map == map) return one.factor;
  }
  return 1.0;
}

RobustFactors::RobustFactors(Robust kind, std::size_t inputs, std::size_t targets)
    : kind_(kind),
      inputs_(inputs),
      targets_(targets),
      before_(kind == Robust::none ? 0 : targets + inputs + 1) {}

RobustFactors::Judge RobustFactors::learn(std::span<const WeighedReport> reports,
                                          std::span<const double> factors, bool with_before) const {
  SymmetricMatrix sums = before_;
  if (!with_before) sums.clear();
  for (std::size_t n = 0; n < reports.size(); ++n) {
    if (factors[n] == 0.0 || reports[n].judged.empty()) continue;
    sums.add_triangle(sums.size(), reports[n].judged, factors[n]);
  }
  std::vector<double> w(targets_ * (inputs_ + 1), 0.0);
  const Ridge ridge{kRidge, inputs_, kRidge * static_cast<double>(inputs_)};
  solve_least_squares(sums, ridge, Region{.radius = kInfinity}, w, targets_);
  return w;
}

std::vector<double> RobustFactors::losses_of(const Judge& judge,
                                             std::span<const WeighedReport> reports) const {
  std::vector<double> losses;
  for (const WeighedReport& report : reports) {
    const bool judged = !report.judged.empty() && report.judged.back() > 0.0F;
    // The last sum is that of the weights of the examples: their number for the square loss.
    losses.push_back(judged ? sum_of_squares(report.judged, judge, targets_) /
                                  static_cast<double>(report.judged.back())
                            : -1.0);
  }
  return losses;
}

double RobustFactors::median(std::span<const WeighedReport> reports,
                             std::span<const double> losses) const {
  auto values = of_clients(reports, losses);
  return values.size() < kFewest ? kInfinity : median_of(std::move(values));
}

std::vector<double> RobustFactors::factors(std::span<const WeighedReport> reports,
                                           std::span<const double> losses) const {
  auto values = of_clients(reports, losses);
  if (values.size() < kFewest) return std::vector<double>(reports.size(), 1.0);
  const double limit =
      kind_ == Robust::trim ? largest_kept(std::move(values)) : median_of(std::move(values));
  std::vector<double> result;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    if (losses[n] < 0.0) {
      result.push_back(1.0);
    } else if (kind_ == Robust::trim) {
      result.push_back(losses[n] > limit ? 0.0 : 1.0);
    } else {
      result.push_back(clipped(losses[n], medians_allowed(reports[n].examples) * limit));
    }
  }
  return result;
}

std::vector<double> RobustFactors::judge(std::span<const WeighedReport> reports,
                                         std::size_t fresh) const {
  std::vector<double> best;
  double least = kInfinity;
  const auto consider = [&](std::span<const double> of, bool with_before = true,
                            double needed = 1.0) {
    auto losses = losses_of(learn(reports, of, with_before), reports);
    const double middle = median(reports, losses);
    if (!best.empty() && !(middle < needed * least)) return;
    best = std::move(losses);
    least = middle;
  };
  const auto fresh_end = static_cast<std::ptrdiff_t>(fresh);
  std::vector<double> some(reports.size(), 0.0);
  std::fill(some.begin(), some.begin() + fresh_end, 1.0);
  consider(some);
  std::fill(some.begin(), some.end(), 0.0);
  consider(some);
  const double enough = 2.0 * static_cast<double>(inputs_ + 1);
  const std::size_t apart = (reports.size() + kSingles - 1) / kSingles;
  for (std::size_t n = 0; n < reports.size(); n += std::max<std::size_t>(1, apart)) {
    some[n] = 1.0;
    if (n < fresh) consider(some);
    if (reports[n].examples >= enough) consider(some, false);
    some[n] = 0.0;
  }
  for (double last = kInfinity; least < last;) {
    last = least;
    double examples = 0.0;
    for (std::size_t n = 0; n < reports.size(); ++n) {
      some[n] = best[n] >= 0.0 && best[n] <= least ? 1.0 : 0.0;
      examples += some[n] * reports[n].examples;
    }
    if (examples >= enough) consider(some, false, kMuchLess);
  }
  std::vector<double> before;
  for (int pass = 0; pass < kPasses; ++pass) {
    auto next = factors(reports, best);
    std::fill(next.begin() + fresh_end, next.end(), 0.0);
    if (next == before) break;
    auto losses = losses_of(learn(reports, next, true), reports);
    const double middle = median(reports, losses);
    if (middle > least) break;  // the sums of earlier batches contain lies
    best = std::move(losses);
    least = middle;
    before = std::move(next);
  }
  return best;
}

void RobustFactors::weigh(std::vector<WeighedReport>& reports, double kept) {
  if (kept < 1.0) before_.scale(kept);
  const std::size_t fresh = reports.size();
  recall(reports);
  const std::vector<double> losses = judge(reports, fresh);
  const std::vector<double> found = factors(reports, losses);
  for (std::size_t n = 0; n < fresh; ++n) {
    for (ReportedSums& one : reports[n].sums) one.factor = found[n];
    if (losses[n] >= 0.0) before_.add_triangle(before_.size(), reports[n].judged, found[n]);
  }
  weigh_models(reports, median(reports, losses));
  remember(reports, fresh);
}

void RobustFactors::recall(std::vector<WeighedReport>& reports) {
  const std::size_t fresh = reports.size();
  for (WeighedReport& old : latest_) {
    const auto end = reports.begin() + static_cast<std::ptrdiff_t>(fresh);
    const auto is_same = [&](const WeighedReport& one) { return one.client == old.client; };
    if (std::none_of(reports.begin(), end, is_same)) reports.push_back(std::move(old));
  }
  latest_.clear();
}

void RobustFactors::remember(std::vector<WeighedReport>& reports, std::size_t fresh) {
  std::map<std::uint32_t, std::size_t> last;
  for (std::size_t n = 0; n < fresh; ++n) last[reports[n].client] = n;
  const std::size_t all = last.size() + reports.size() - fresh;
  std::size_t too_many = all > kRemembered ? all - kRemembered : 0;
  for (std::size_t n = fresh; n < reports.size(); ++n) {
    if (too_many > 0) {
      --too_many;
    } else {
      latest_.push_back(std::move(reports[n]));
    }
  }
  for (const auto& [client, n] : last) {
    if (too_many > 0) {
      --too_many;
      continue;
    }
    WeighedReport& kept =
        latest_.emplace_back(WeighedReport{client, reports[n].examples, reports[n].judged, {}});
    for (const ReportedSums& one : reports[n].sums) kept.sums.push_back({one.map, {}, one.loss});
  }
  reports.resize(fresh);
}

void RobustFactors::weigh_models(std::span<WeighedReport> reports, double middle) const {
  std::vector<double> losses;
  for (const WeighedReport& report : reports) {
    for (const ReportedSums& one : report.sums) {
      if (one.loss >= 0.0) losses.push_back(one.loss);
    }
  }
  if (reports.size() < kFewest || losses.empty()) return;
  const double usual = std::max(median_of(losses), std::isinf(middle) ? 0.0 : middle);
  const double high = largest_kept(std::move(losses));
  for (WeighedReport& report : reports) {
    for (ReportedSums& one : report.sums) {
      const double factor = kind_ == Robust::trim
                                ? (one.loss > high ? 0.0 : 1.0)
                                : clipped(one.loss, medians_allowed(report.examples) * usual);
      one.factor = std::min(one.factor, factor);
    }
  }
}

void RobustFactors::save(StateWriter& to) const {
  if (kind_ == Robust::none) return;
  before_.save(to);
  to.u64(latest_.size());
  for (const WeighedReport& report : latest_) {
    to.u32(report.client);
    to.real(report.examples);
    to.numbers(report.judged);
    to.u64(report.sums.size());
    for (const ReportedSums& one : report.sums) {
      to.u64(one.map);
      to.real(one.loss);
    }
  }
}

Status RobustFactors::restore(StateReader& from) {
  if (kind_ == Robust::none) return from.status();
  CAUCUS_CHECK(before_.restore(from, targets_ + inputs_ + 1));
  latest_.clear();
  const std::uint64_t count = from.u64();
  for (std::uint64_t n = 0; n < count && from.ok(); ++n) {
    WeighedReport report{from.u32(), from.real(), from.numbers<float>(), {}};
    const std::uint64_t sums = from.u64();
    for (std::uint64_t k = 0; k < sums && from.ok(); ++k) {
      const std::uint64_t map = from.u64();
      report.sums.push_back({static_cast<std::size_t>(map), {}, from.real()});
      if (!std::isfinite(report.sums.back().loss)) return from.refuse("a loss of a client");
    }
    const std::size_t floats = report.judged.size();
    const bool possible = is_amount(report.examples) && all_finite(report.judged) &&
                          (floats == 0 || floats == triangle_size(targets_ + inputs_ + 1));
    if (from.ok() && !possible) return from.refuse("a report of a client");
    latest_.push_back(std::move(report));
  }
  return from.status();
}

}  // namespace caucus
