#include <algorithm>
#include <cmath>

#include "caucus/report/finished_run.hpp"

namespace caucus::report {

const AlgorithmRecord* RunRecord::best() const {
  const AlgorithmRecord* best = nullptr;
  for (const AlgorithmRecord& r : results) {
    const double score = this->score(r).mean;
    if (std::isfinite(score) && (best == nullptr || score < this->score(*best).mean)) best = &r;
  }
  return best;
}

bool RunRecord::all_take_part() const {
  return dropout == 0.0 && !results.empty() && used == clients * results.front().rounds;
}

void label_results(std::vector<AlgorithmRecord>& results) {
  for (AlgorithmRecord& r : results) r.label = r.algorithm;
  const auto extend_repeated = [&](const auto& suffix) {
    std::vector<std::string> labels;
    for (const AlgorithmRecord& r : results) {
      const auto same = [&](const AlgorithmRecord& other) { return other.label == r.label; };
      const bool repeated = std::count_if(results.begin(), results.end(), same) > 1;
      labels.push_back(r.label + (repeated ? suffix(r, labels.size()) : ""));
    }
    for (std::size_t i = 0; i < results.size(); ++i) results[i].label = labels[i];
  };
  extend_repeated([](const AlgorithmRecord& r, std::size_t) {
    return r.schedule.empty() ? "" : ", " + r.schedule;
  });
  extend_repeated(
      [](const AlgorithmRecord&, std::size_t i) { return " (" + std::to_string(i + 1) + ")"; });
}

}  // namespace caucus::report
