#include "joining/row_player.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace caucus::cli {

void PlayedRows::add(const PlayedSums& sums) {
  ++batches;
  rows += sums.forecasts;
  loss += sums.loss;
  squared_error += sums.squared_error;
  log_loss += sums.log_loss;
  correct += sums.correct;
}

std::uint64_t fingerprint_of(const Dataset& data) {
  std::uint64_t print = 0xcbf29ce484222325U;  // FNV-1a, number by number
  const auto add = [&](std::uint64_t number) { print = (print ^ number) * 0x100000001b3U; };
  add(data.rows());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (const float value : data.x(row)) add(std::bit_cast<std::uint32_t>(value));
    add(std::bit_cast<std::uint32_t>(data.y(row)));
  }
  return print;
}

RowPlayer::RowPlayer(const Dataset& data, Participant& participant, JoinState& state,
                     std::atomic<std::size_t>& done)
    : data_(data), participant_(participant), state_(state), done_(done) {
  done_ = std::min<std::size_t>(state_.next_row(), data_.rows());
}

UsedRows RowPlayer::next_rows() const {
  const std::uint64_t first = std::min<std::uint64_t>(state_.next_row(), data_.rows());
  const std::uint64_t left = data_.rows() - first;
  return {first, first + std::min<std::uint64_t>(left, participant_.plan().rounds_per_upload)};
}

Result<SharedReport> RowPlayer::answer(const AssignmentRecord& assignment) {
  CAUCUS_TRY(auto before, participant_.assign(assignment));
  CAUCUS_CHECK(state_.forget_up_to(assignment.durable));
  if (before) {
    ++played_.again;
    return before;
  }
  auto rows = state_.rows_of(assignment.batch);
  if (!rows) {
    rows = next_rows();
    CAUCUS_CHECK(state_.use(assignment.batch, *rows));
  }
  CAUCUS_CHECK(play(*rows));
  auto report = participant_.take_report(rows->end == data_.rows());
  if (!report) {
    return network_error("batch " + std::to_string(assignment.batch), "was answered already",
                         "expected every batch once");
  }
  played_.add(report->played);
  done_ = std::min<std::size_t>(state_.next_row(), data_.rows());
  return report;
}

Status RowPlayer::play(const UsedRows& rows) {
  if (rows.end > data_.rows()) {
    return data_error(data_.name(), "has " + std::to_string(data_.rows()) + " rows",
                      "row " + std::to_string(rows.end) + " was used before");
  }
  for (std::size_t row = rows.first; row < rows.end; ++row) {
    CAUCUS_TRY(const Prediction prediction, participant_.predict(data_.x(row)));
    if (!participant_.observe(prediction.id, static_cast<double>(data_.y(row)))) {
      return data_error(data_.name() + ": data row " + std::to_string(row + 1),
                        "the target cannot be learned from", "expected a finite number");
    }
  }
  return Done{};
}

}  // namespace caucus::cli
