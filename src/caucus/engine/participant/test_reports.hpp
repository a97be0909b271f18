// For tests: reports in a form that is easy to write down and to change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "caucus/engine/participant/records.hpp"

namespace caucus {

struct TestModel {
  std::uint32_t space = 0;
  float loss = 0.0F;
  std::vector<float> gradient;

  friend bool operator==(const TestModel&, const TestModel&) = default;
};

/// A client's report on the models of one assignment.
struct TestPart {
  std::uint64_t sampled = 0;
  std::uint32_t examples = 0;
  std::vector<TestModel> held;

  friend bool operator==(const TestPart&, const TestPart&) = default;
};
using TestParts = std::vector<TestPart>;

inline TestParts parts_of(const ReportBatch& reports) {
  TestParts parts;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    TestPart& part = parts.emplace_back(TestPart{reports.sampled_in[n], reports.examples[n], {}});
    for (std::size_t m = reports.begin_of(n); m < reports.ends[n]; ++m) {
      const auto gradient = reports.direction(m);
      part.held.push_back(
          {reports.spaces[m], reports.losses[m], {gradient.begin(), gradient.end()}});
    }
  }
  return parts;
}

inline ReportBatch batch_of(const TestParts& parts) {
  ReportBatch reports;
  for (const TestPart& part : parts) {
    reports.sampled_in.push_back(part.sampled);
    reports.add_report(0, part.examples);
    for (const TestModel& model : part.held) {
      const auto gradient = reports.add_model(model.space, model.loss, model.gradient.size());
      std::copy(model.gradient.begin(), model.gradient.end(), gradient.begin());
    }
  }
  return reports;
}

/// change(TestParts&)
template <class Change>
void change_parts(ReportRecord& report, Change&& change) {
  TestParts parts = parts_of(report.reports);
  change(parts);
  report.reports = batch_of(parts);
}

}  // namespace caucus
