// Bounds what clients that lie can do to models that are learned from sums. Sums that pass the
// checks of a federation are those of some data, but these need not be the client's data: labels
// may be flipped, for example, or all be at the end of their range.
//
// Every report contains the sums of (y, x, 1), if the spaces have an intercept. A linear model of
// these, the judge, has the mean loss r on each report, and m is the median of r over the clients.
// Several judges are tried: learned from the sums of earlier batches alone, from these and all new
// reports, from these and one new report, and from one report with enough examples. The judge with
// the least m is taken, so a minority of liars cannot choose it, even if their rows are so extreme
// that a model learned from all reports fits them. If the sums of earlier batches contain lies, a
// judge of the half of the clients with r <= m alone has a much smaller m: it is taken if its m is
// less than a third. The judge is then learned again from the reports with the factors below, until
// these no longer change or m rises.
//   clip   a report of n examples counts with the factor min(1, k m / r)^1.5, k = 5 + 4 / sqrt(n)
//   trim   a report counts unless r is in the largest quarter of all clients
// Clients may report one by one. So the last reports of at most 100 other clients are judged too,
// and count in the medians, but only new reports get factors. A client may also lie about random
// features only. So the sums of a map count less, in the same way, if the loss on them of the model
// that was sent is much larger than m and than the median of such losses.
//
// With clip, let w be the model of the honest clients alone, and let a share l of the examples be
// the liars'. The liars' sums, with their factors, have a loss of at most k m per example at w. So
// the model that minimises the sum of both has a loss per honest example that is at most
// k m l / (1 - l) larger than that of w. (This is exact if w is the judge.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/robust.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The sums of one map in one report.
struct ReportedSums {
  std::size_t map = 0;
  std::span<const float> triangle;  ///< as in row_sums.hpp
  double loss = -1.0;   ///< mean loss of the model that was sent; negative if it is none
  double factor = 1.0;  ///< with which the sums count
};

struct WeighedReport {
  std::uint32_t client = 0;
  double examples = 0.0;
  std::vector<float> judged;  ///< the triangle of (y, x, 1); may be empty
  std::vector<ReportedSums> sums;
};

/// Returns the factor of the sums of a map in one report; 1 if it has none.
double factor_of(const WeighedReport& report, std::size_t map);

class RobustFactors {
 public:
  RobustFactors(Robust kind, std::size_t inputs, std::size_t targets = 1);

  /// Sets the factors of the sums of a batch. `kept` is the share of earlier sums that still count.
  void weigh(std::vector<WeighedReport>& reports, double kept);

  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  using Judge = std::vector<double>;
  static constexpr std::size_t kFewest = 3;        ///< with fewer clients there is no majority
  static constexpr std::size_t kSingles = 16;      ///< judges made with one report
  static constexpr std::size_t kRemembered = 100;  ///< last reports of clients
  static constexpr int kPasses = 10;

  /// Learns a judge from the sums of reports with their factors and, if asked, from earlier sums.
  [[nodiscard]] Judge learn(std::span<const WeighedReport> reports, std::span<const double> factors,
                            bool with_before) const;
  /// Returns the mean loss of a judge on each report; negative if the report cannot be judged.
  [[nodiscard]] std::vector<double> losses_of(const Judge& judge,
                                              std::span<const WeighedReport> reports) const;
  /// Appends the last reports of clients that have none among these.
  void recall(std::vector<WeighedReport>& reports);
  /// Remembers the last reports of clients, of which the first `fresh` are new, and removes the
  /// others.
  void remember(std::vector<WeighedReport>& reports, std::size_t fresh);
  /// Returns their median; infinite if there are too few clients.
  [[nodiscard]] double median(std::span<const WeighedReport> reports,
                              std::span<const double> losses) const;
  [[nodiscard]] std::vector<double> factors(std::span<const WeighedReport> reports,
                                            std::span<const double> losses) const;
  /// Returns the losses of the best judge. Only the first `fresh` reports are new: the earlier sums
  /// contain the others.
  [[nodiscard]] std::vector<double> judge(std::span<const WeighedReport> reports,
                                          std::size_t fresh) const;
  /// Lowers the factors of sums that the models that were sent do not fit.
  void weigh_models(std::span<WeighedReport> reports, double middle) const;

  Robust kind_;
  std::size_t inputs_, targets_;
  SymmetricMatrix before_;             ///< the sums of (y, x, 1) of earlier batches, with factors
  std::vector<WeighedReport> latest_;  ///< one per client, the newest last; sums have no triangles
};

}  // namespace caucus
