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

RowPlayer::RowPlayer(const Dataset& data, const SharedPlan& plan, Client& client, JoinState& state,
                     std::atomic<std::size_t>& done)
    : data_(data),
      loss_(plan.loss),
      rounds_per_upload_(plan.rounds_per_upload),
      client_(client),
      state_(state),
      done_(done) {
  done_ = std::min<std::size_t>(state_.next_row(), data_.rows());
}

UsedRows RowPlayer::next_rows() const {
  const std::uint64_t first = std::min<std::uint64_t>(state_.next_row(), data_.rows());
  const std::uint64_t left = data_.rows() - first;
  return {first, first + std::min<std::uint64_t>(left, rounds_per_upload_)};
}

Status RowPlayer::answer(const OpenBatch& batch) {
  CAUCUS_CHECK(state_.forget_up_to(batch.durable));
  auto rows = state_.rows_of(batch.number);
  if (!rows) {
    rows = next_rows();
    CAUCUS_CHECK(state_.use(batch.number, *rows));
  }
  CAUCUS_TRY(const PlayedSums sums, play(*rows));
  CAUCUS_CHECK(client_.report(rows->end == data_.rows()));
  played_.add(sums);
  done_ = std::min<std::size_t>(state_.next_row(), data_.rows());
  return Done{};
}

Result<PlayedSums> RowPlayer::play(const UsedRows& rows) {
  if (rows.end > data_.rows()) {
    return data_error(data_.name(), "has " + std::to_string(data_.rows()) + " rows",
                      "row " + std::to_string(rows.end) + " was used before");
  }
  PlayedSums sums;
  for (std::size_t row = rows.first; row < rows.end; ++row) {
    const auto y = static_cast<double>(data_.y(row));
    CAUCUS_TRY(const Prediction prediction, client_.predict(data_.x(row)));
    if (!client_.observe(prediction.id, y)) {
      return data_error(data_.name() + ": data row " + std::to_string(row + 1),
                        "the target cannot be learned from", "expected a finite number");
    }
    sums.add(loss_, prediction.output, y);
  }
  return sums;
}

}  // namespace caucus::cli
