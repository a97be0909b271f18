#include "caucus/engine/participant/retained_reports.hpp"

#include <utility>

namespace caucus {
namespace {

std::size_t bytes_of(const ReportRecord& report) {
  const ReportBatch& reports = report.reports;
  constexpr std::size_t kPerReport = 3 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
  constexpr std::size_t kPerModel = 4 * sizeof(float) + sizeof(float*);
  return sizeof(report) + reports.size() * kPerReport + reports.spaces.size() * kPerModel +
         reports.floats() * sizeof(float);
}

}  // namespace

RetainedReports::Reports::iterator RetainedReports::drop(Reports::iterator one) {
  bytes_ -= bytes_of(*one->second.report);
  return reports_.erase(one);
}

void RetainedReports::keep(std::uint64_t fingerprint, SharedReport report) {
  const std::uint64_t batch = report->batch;
  if (const auto before = reports_.find(batch); before != reports_.end()) drop(before);
  bytes_ += bytes_of(*report);
  reports_.emplace(batch, Retained{fingerprint, std::move(report)});
  while (reports_.size() > 1 && (reports_.size() > kMost || bytes_ > kMostBytes)) {
    drop(reports_.begin());
  }
}

void RetainedReports::drop_up_to(std::uint64_t batch) {
  auto one = reports_.begin();
  while (one != reports_.end() && one->first <= batch) one = drop(one);
}

void RetainedReports::drop_after(std::uint64_t batch) {
  auto one = reports_.upper_bound(batch);
  while (one != reports_.end()) one = drop(one);
}

const RetainedReports::Retained* RetainedReports::find(std::uint64_t batch) const {
  const auto found = reports_.find(batch);
  return found == reports_.end() ? nullptr : &found->second;
}

}  // namespace caucus
