// The curve of a run: the loss so far and p at log-spaced rounds. It is recorded batch by
// batch, without knowing how long the run will be.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace caucus {

/// Returns the first later one of the rounds 1, 2, 3, 4, 5, 6, 8, 10, 13, ...: ten per decade,
/// rounded.
inline std::size_t next_curve_round(std::size_t round) {
  for (int k = 0;; ++k) {
    const auto spaced = static_cast<std::size_t>(std::llround(std::pow(10.0, k / 10.0)));
    if (spaced > round) return spaced;
  }
}

/// Each vector has one entry per point.
struct RecordedCurve {
  std::vector<std::size_t> rounds;
  std::vector<double> loss;                        ///< loss of all clients so far
  std::vector<std::vector<double>> probabilities;  ///< p

  friend bool operator==(const RecordedCurve&, const RecordedCurve&) = default;
};

/// Records at the end of the batch in which a log-spaced round falls, once, and at the run's end.
class CurveRecorder {
 public:
  /// Call it after every batch with the rounds so far, their loss, and a function that returns p.
  template <class Probabilities>
  void after_batch(std::size_t round, double loss, Probabilities&& probabilities) {
    if (round >= next) record(round, loss, probabilities());
  }
  /// Call it after the last batch.
  template <class Probabilities>
  void finish(std::size_t round, double loss, Probabilities&& probabilities) {
    if (curve.rounds.empty() || curve.rounds.back() != round) record(round, loss, probabilities());
  }

  /// Calls visit(field) for every field that must be kept from one batch to the next.
  template <class Visit>
  void fields(Visit&& visit) {
    each_field(*this, visit);
  }
  template <class Visit>
  void fields(Visit&& visit) const {
    each_field(*this, visit);
  }

  RecordedCurve curve;
  std::size_t next = 1;  ///< the round that is to be recorded next

 private:
  template <class Self, class Visit>
  static void each_field(Self& self, Visit& visit) {
    visit(self.curve.rounds);
    visit(self.curve.loss);
    visit(self.curve.probabilities);
    visit(self.next);
  }
  void record(std::size_t round, double loss, std::vector<double> probabilities) {
    curve.rounds.push_back(round);
    curve.loss.push_back(loss);
    curve.probabilities.push_back(std::move(probabilities));
    next = next_curve_round(round);
  }
};

}  // namespace caucus
