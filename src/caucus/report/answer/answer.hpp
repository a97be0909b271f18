// What a run found out, in words: one paragraph for a reader who knows nothing about the method,
// and what to try next where the result is not good.
#pragma once

#include <string>
#include <vector>

#include "caucus/report/finished_run.hpp"

namespace caucus::report {

struct Answer {
  std::string text;
  std::vector<std::string> advice;  ///< whole sentences; empty if the result is good
};

Answer answer_of(const RunRecord& run);

/// Returns what to try next after this result, of which nothing has diverged.
std::vector<std::string> advice_of(const RunRecord& run, const AlgorithmRecord& result);

}  // namespace caucus::report
