// Bounds what clients that lie can do to models that are learned from sums. Sums that pass the
// checks of a federation are those of some data, but nothing says that the data are the client's:
// labels may be flipped, or all of them at the end of their range.
//
// Every report contains the sums of (y, x, 1), if the spaces have an intercept. A judge, which is a
// linear model of these, has the mean loss r on a report, and m is the median of r over the
// clients. Of the judges that the sums before this batch give, alone, with all reports or with one
// of them, or that one report of enough examples gives, the one with the least m is taken: liars
// who are no majority cannot make it theirs, even if their rows lie so far out that a model of all
// reports fits them. It is then learned again with the factors below until they no longer change or
// m rises.
//   clip   a report of n examples counts with the factor min(1, k m / r), k = 5 + 4 / sqrt(n)
//   trim   a report counts unless r is among the largest quarter of the clients'
// Clients may report one by one. So the last reports of at most 100 others are judged too, and
// count in the medians, but only new ones get factors. Sums of a map also count less, in the same
// way, if the model that was sent loses much more on them than m and than the median of such
// losses: a client may lie about random features only.
//
// With clip, let w be the model of the honest clients alone. The liars' sums, with their factors,
// lose at most k m per example there. So the model that minimises the sum of both loses at most
// k m l / (1 - l) more than w on an honest example if a share l of the examples is the liars'.
// (This is exact if w is the judge.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"
#include "caucus/options.hpp"
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
  RobustFactors(Robust kind, std::size_t inputs);

  /// Sets the factors of the sums of a batch. Of the batches before a share counts.
  void weigh(std::vector<WeighedReport>& reports, double kept);

  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  using Judge = std::vector<double>;
  static constexpr std::size_t kFewest = 3;        ///< clients, without whom there is no majority
  static constexpr std::size_t kSingles = 16;      ///< judges made with one report
  static constexpr std::size_t kRemembered = 100;  ///< last reports of clients
  static constexpr int kPasses = 10;

  /// Learns a judge from the sums before and those of reports with their factors.
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
  /// Returns the losses of the best judge. The first `fresh` reports are not among the sums before.
  [[nodiscard]] std::vector<double> judge(std::span<const WeighedReport> reports,
                                          std::size_t fresh) const;
  /// Lowers the factors of sums that the models that were sent do not fit.
  void weigh_models(std::span<WeighedReport> reports, double middle) const;

  Robust kind_;
  std::size_t inputs_;
  SymmetricMatrix before_;             ///< the sums of (y, x, 1) so far, with their factors
  std::vector<WeighedReport> latest_;  ///< one per client, the newest last; sums have no triangles
};

}  // namespace caucus
