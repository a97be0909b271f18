#include "caucus/algorithms/report_batch.hpp"

#include <algorithm>

namespace caucus {

ReportBatch::ReportBatch(const ReportBatch& other) : ReportColumns(other) {
  for (std::size_t m = 0; m < directions.size(); ++m) {
    float* const copy = memory.take(sizes[m]);
    std::copy_n(directions[m], sizes[m], copy);
    directions[m] = copy;
  }
}

std::size_t ReportBatch::reporters() const {
  std::size_t count = clients.empty() ? 0 : 1;
  for (std::size_t n = 1; n < clients.size(); ++n) {
    count += clients[n] != clients[n - 1] ? 1U : 0U;
  }
  return count;
}

std::size_t ReportBatch::floats() const {
  std::size_t sum = 0;
  for (const std::uint32_t size : sizes) sum += size;
  return sum;
}

double ReportBatch::share_of(std::size_t report) const {
  const std::uint32_t client = clients[report];
  std::size_t first = report;
  std::size_t end = report + 1;
  while (first > 0 && clients[first - 1] == client) --first;
  while (end < clients.size() && clients[end] == client) ++end;
  if (end == first + 1) return 1.0;
  double all = 0.0;
  for (std::size_t n = first; n < end; ++n) all += static_cast<double>(examples[n]);
  return static_cast<double>(examples[report]) / all;
}

void ReportBatch::clear() {
  static const ReportColumns kEmpty;
  ReportColumns::operator=(kEmpty);  // a copy, so that the columns keep their capacity
  memory.clear();
}

void ReportBatch::remove_last() {
  ends.pop_back();
  clients.pop_back();
  examples.pop_back();
  if (changes.size() > size()) changes.pop_back();
  const std::size_t models = ends.empty() ? 0 : ends.back();
  for (auto* column : {&spaces, &sizes}) column->resize(models);
  for (auto* column : {&losses, &factors}) column->resize(models);
  directions.resize(models);
}

void ReportBatch::mark_late(std::size_t model, double probability) {
  if (sampled_with.size() <= model) sampled_with.resize(model + 1, kNow);
  sampled_with[model] = probability;
}

void ReportBatch::add_report_of(const ReportBatch& other, std::size_t report) {
  add_report(other.clients[report], other.examples[report]);
  if (other.has_change(report)) mark_change();
  const std::size_t K = other.selections.size() / other.size();
  for (std::size_t i = report * K; i < (report + 1) * K; ++i) {
    selections.push_back(other.selections[i]);
  }
  if (!other.sampled_in.empty()) sampled_in.push_back(other.sampled_in[report]);
  for (std::size_t m = other.begin_of(report); m < other.ends[report]; ++m) {
    add_model(other.spaces[m], other.losses[m], other.factors[m], other.direction(m));
    if (other.is_late(m)) mark_late(spaces.size() - 1, other.sampled_with[m]);
  }
}

void KeptReports::keep(ReportBatch& reports) {
  reporters_ += reports.reporters();
  prompt_ = prompt_ && reports.is_prompt();
  if (used_ == batches_.size()) batches_.emplace_back();
  std::swap(batches_[used_++], reports);
  reports.clear();
}

void KeptReports::clear() {
  // A batch may refer to memory that does not outlive it, so that it could not be copied later.
  for (std::size_t n = 0; n < used_; ++n) batches_[n].clear();
  reporters_ = used_ = 0;
  prompt_ = true;
}

}  // namespace caucus
