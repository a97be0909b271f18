#include "caucus/data/dirichlet.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace caucus {
namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::size_t kBins = 10;
// The `round` key of the stream that shuffles a client's rows; the bins use smaller numbers.
constexpr std::uint32_t kClientShuffle = kBins;

std::vector<Rows> bins_by_target(const Dataset& data) {
  Rows order(data.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return data.y(a) < data.y(b); });
  std::vector<Rows> by_value(1);
  for (const std::uint32_t row : order) {
    if (!by_value.back().empty() && data.y(by_value.back().back()) < data.y(row)) {
      if (by_value.size() == kBins) {
        by_value.clear();
        break;
      }
      by_value.emplace_back();
    }
    by_value.back().push_back(row);
  }
  if (!by_value.empty()) return by_value;
  std::vector<Rows> by_quantile(kBins);
  for (std::size_t k = 0; k < order.size(); ++k) {
    by_quantile[k * kBins / order.size()].push_back(order[k]);
  }
  return by_quantile;
}

// Shares are proportional to gamma variates, which underflow for a small concentration unless kept
// as logarithms.
std::vector<double> dirichlet_shares(std::size_t clients, double concentration, Stream& stream) {
  constexpr double kSmallest =
      1e-9;  // below this one client gets all rows, and logarithms overflow
  std::vector<double> shares(clients);
  for (double& share : shares) {
    share = stream.log_gamma_variate(std::max(concentration, kSmallest));
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0.0;
  for (double& share : shares) sum += share = std::exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

void fill_empty(std::vector<Rows>& rows) {
  std::priority_queue<std::pair<std::size_t, std::size_t>> by_size;
  for (std::size_t j = 0; j < rows.size(); ++j) by_size.emplace(rows[j].size(), j);
  for (Rows& mine : rows) {
    if (!mine.empty()) continue;
    const std::size_t largest = by_size.top().second;
    by_size.pop();
    mine.push_back(rows[largest].back());
    rows[largest].pop_back();
    by_size.emplace(rows[largest].size(), largest);
  }
}

}  // namespace

std::vector<Rows> dirichlet_rows(const Dataset& data, std::size_t clients, double concentration,
                                 std::uint64_t seed, std::uint32_t repetition) {
  std::vector<Rows> rows(clients);
  std::uint32_t index = 0;
  for (Rows& bin : bins_by_target(data)) {
    Stream stream({seed, Purpose::partition, repetition, index++});
    shuffle_rows(bin, stream);
    const auto shares = dirichlet_shares(clients, concentration, stream);
    const auto size = static_cast<double>(bin.size());
    std::size_t begin = 0;
    double cumulated = 0.0;
    for (std::size_t j = 0; j < clients; ++j) {
      cumulated += shares[j];
      const auto cut = static_cast<std::size_t>(std::llround(std::min(cumulated, 1.0) * size));
      const std::size_t end = j + 1 == clients ? bin.size() : cut;
      for (; begin < end; ++begin) rows[j].push_back(bin[begin]);
    }
  }
  fill_empty(rows);
  for (std::size_t j = 0; j < clients; ++j) {
    Stream stream(
        {seed, Purpose::partition, repetition, kClientShuffle, static_cast<std::uint32_t>(j)});
    shuffle_rows(rows[j], stream);
  }
  return rows;
}

}  // namespace caucus
