#include "caucus/data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "caucus/core/base/random.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

using Rows = std::vector<std::uint32_t>;

/// Permutes `rows` uniformly (Fisher-Yates).
void shuffle_rows(Rows& rows, Stream& stream) {
  for (std::size_t k = rows.size(); k > 1; --k) {
    std::swap(rows[k - 1], rows[stream.below(static_cast<std::uint32_t>(k))]);
  }
}

Partition deal_shuffled(const Dataset& data, std::size_t clients, const StreamKey& key) {
  Rows order(data.rows() / clients * clients);
  std::iota(order.begin(), order.end(), 0u);
  Stream stream(key);
  shuffle_rows(order, stream);
  std::vector<Rows> rows(clients);
  for (std::size_t k = 0; k < order.size(); ++k) rows[k % clients].push_back(order[k]);
  return Partition(rows);
}

/// Gives client j the rows from begin[j] to begin[j + 1].
Partition consecutive(const std::vector<std::size_t>& begin) {
  std::vector<Rows> rows(begin.size() - 1);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    rows[j].resize(begin[j + 1] - begin[j]);
    std::iota(rows[j].begin(), rows[j].end(), static_cast<std::uint32_t>(begin[j]));
  }
  return Partition(rows);
}

Partition cut_blocks(const Dataset& data, std::size_t clients) {
  std::vector<std::size_t> begin(clients + 1);
  for (std::size_t j = 0; j <= clients; ++j) begin[j] = j * (data.rows() / clients);
  return consecutive(begin);
}

Status same_count(std::size_t clients, std::size_t present, const Dataset& data,
                  const std::string& of) {
  if (clients == 0 || clients == present) return Done{};
  return usage_error("clients", std::to_string(clients),
                     "expected " + std::to_string(present) + ", the number of " + of + " (" +
                         data.name() + "), or none given");
}

Result<Partition> by_column(const Dataset& data, std::size_t clients) {
  const auto values = data.client_values();
  if (values.empty()) {
    return usage_error("partition", "column", "expected data read with a client column");
  }
  std::vector<double> distinct(values.begin(), values.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  CAUCUS_CHECK(same_count(clients, distinct.size(), data, "values of the client column"));
  std::vector<Rows> rows(distinct.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto found = std::lower_bound(distinct.begin(), distinct.end(), values[row]);
    rows[static_cast<std::size_t>(found - distinct.begin())].push_back(
        static_cast<std::uint32_t>(row));
  }
  return Partition(rows);
}

Result<Partition> by_file(const Dataset& data, std::size_t clients) {
  const auto& begin = data.file_begin();
  CAUCUS_CHECK(same_count(clients, begin.size() - 1, data, "files"));
  return consecutive(begin);
}

constexpr std::size_t kBins = 10;
// The `round` key of the stream that shuffles a client's rows; the bins use smaller numbers.
constexpr std::uint32_t kClientShuffle = kBins;

std::vector<Rows> bins_by_target(const Dataset& data) {
  Rows order(data.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return data.y(a) < data.y(b); });
  std::vector<Rows> bins(1);
  for (const std::uint32_t row : order) {
    if (!bins.back().empty() && data.y(bins.back().back()) < data.y(row)) bins.emplace_back();
    bins.back().push_back(row);
  }
  if (bins.size() <= kBins) return bins;
  bins.assign(kBins, {});
  for (std::size_t k = 0; k < order.size(); ++k) {
    bins[k * kBins / order.size()].push_back(order[k]);
  }
  return bins;
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

/// Divides the rows among clients so that each client sees other targets. Rows are put into 10 bins
/// by quantiles of the target (or one bin per value, if it takes at most 10 values). The rows of
/// bin b are shuffled and cut into consecutive shares q_{b,1..M} ~ Dirichlet(A, .., A). A client
/// without rows takes one from the largest client, and each client's rows are shuffled. All rows
/// are used. Requires rows >= clients >= 1 and a concentration A > 0.
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

}  // namespace

Partition::Partition(const std::vector<std::vector<std::uint32_t>>& rows_of_clients)
    : clients_(rows_of_clients.size()) {
  std::size_t used = 0;
  for (const auto& rows : rows_of_clients) {
    used += rows.size();
    longest_ = std::max(longest_, rows.size());
  }
  rows_.reserve(used);
  if (used == clients_ * longest_) {
    for (std::size_t round = 0; round < longest_; ++round) {
      for (const auto& rows : rows_of_clients) rows_.push_back(rows[round]);
    }
    return;
  }
  begin_.push_back(0);
  for (const auto& rows : rows_of_clients) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    begin_.push_back(rows_.size());
  }
}

std::vector<std::uint32_t> Partition::rows_of(std::size_t client) const {
  std::vector<std::uint32_t> rows(rounds(client));
  for (std::size_t round = 0; round < rows.size(); ++round) rows[round] = row(client, round);
  return rows;
}

Result<PartitionSpec> parse_partition(std::string_view text) {
  using Kind = PartitionSpec::Kind;
  PartitionSpec spec;
  const auto wrong = [&](const char* expected) {
    return usage_error("partition", in_quotes(text), expected);
  };
  if (text.starts_with("column:")) {
    spec.kind = Kind::column;
    spec.column = text.substr(text.find(':') + 1);
    if (spec.column.empty()) return wrong("expected column:N or column:NAME");
  } else if (text.starts_with("dirichlet:")) {
    spec.kind = Kind::dirichlet;
    const auto form = parse_number(text.substr(text.find(':') + 1), spec.concentration);
    if (form != NumberForm::finite || spec.concentration <= 0.0) {
      return wrong("expected dirichlet:A with a number A > 0");
    }
  } else if (text == "shuffle" || text == "blocks") {
    spec.kind = text == "blocks" ? Kind::blocks : Kind::shuffle;
  } else {
    return wrong("expected shuffle, blocks, column:N or dirichlet:A");
  }
  return spec;
}

Result<Partition> make_partition(const PartitionSpec& spec, const Dataset& data,
                                 std::size_t clients, std::uint64_t seed,
                                 std::uint32_t repetition) {
  if (data.rows() > std::numeric_limits<std::uint32_t>::max()) {
    return data_error(data.name(), "has " + counted(data.rows(), "row"),
                      "expected fewer than 2^32");
  }
  if (spec.kind == PartitionSpec::Kind::column) return by_column(data, clients);
  if (spec.kind == PartitionSpec::Kind::files) return by_file(data, clients);
  if (clients == 0) return usage_error("clients", "0", "expected at least one");
  if (data.rows() < clients) {
    return data_error(data.name(), "has " + counted(data.rows(), "row"),
                      "expected at least one per client (" + std::to_string(clients) + ")");
  }
  if (spec.kind == PartitionSpec::Kind::blocks) return cut_blocks(data, clients);
  if (spec.kind == PartitionSpec::Kind::shuffle) {
    return deal_shuffled(data, clients, {seed, Purpose::shuffle, repetition});
  }
  if (!(spec.concentration > 0.0) || !std::isfinite(spec.concentration)) {
    return usage_error("partition", "dirichlet:" + to_text(spec.concentration),
                       "expected a number above 0");
  }
  return Partition(dirichlet_rows(data, clients, spec.concentration, seed, repetition));
}

}  // namespace caucus
