#include "caucus/data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "caucus/data/dirichlet.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

using Rows = std::vector<std::uint32_t>;

Result<Partition> deal_shuffled(const Dataset& data, std::size_t clients, const StreamKey& key) {
  const std::size_t rounds = data.rows() / clients;
  Rows order(rounds * clients);
  std::iota(order.begin(), order.end(), 0u);
  Stream stream(key);
  shuffle_rows(order, stream);
  return Partition::dealt(std::move(order), clients);
}

Result<Partition> cut_blocks(const Dataset& data, std::size_t clients) {
  const std::size_t rounds = data.rows() / clients;
  std::vector<Rows> rows(clients, Rows(rounds));
  for (std::size_t j = 0; j < clients; ++j) {
    std::iota(rows[j].begin(), rows[j].end(), static_cast<std::uint32_t>(j * rounds));
  }
  return Partition(rows);
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
  std::vector<Rows> rows(begin.size() - 1);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    rows[j].resize(begin[j + 1] - begin[j]);
    std::iota(rows[j].begin(), rows[j].end(), static_cast<std::uint32_t>(begin[j]));
  }
  return Partition(rows);
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

Partition Partition::dealt(std::vector<std::uint32_t> rows, std::size_t clients) {
  Partition partition;
  partition.clients_ = clients;
  partition.longest_ = rows.size() / clients;
  partition.rows_ = std::move(rows);
  return partition;
}

std::vector<std::uint32_t> Partition::rows_of(std::size_t client) const {
  std::vector<std::uint32_t> rows(rounds(client));
  for (std::size_t round = 0; round < rows.size(); ++round) rows[round] = row(client, round);
  return rows;
}

Result<PartitionSpec> parse_partition(std::string_view text) {
  PartitionSpec spec;
  constexpr std::string_view kColumn = "column:";
  constexpr std::string_view kDirichlet = "dirichlet:";
  const auto wrong = [&](const char* expected) {
    return usage_error("partition", in_quotes(text), expected);
  };
  if (text == "shuffle") return spec;
  if (text == "blocks") {
    spec.kind = PartitionSpec::Kind::blocks;
    return spec;
  }
  if (text.starts_with(kColumn)) {
    spec.kind = PartitionSpec::Kind::column;
    spec.column = text.substr(kColumn.size());
    if (spec.column.empty()) return wrong("expected column:N or column:NAME");
    return spec;
  }
  if (text.starts_with(kDirichlet)) {
    spec.kind = PartitionSpec::Kind::dirichlet;
    const auto form = parse_number(text.substr(kDirichlet.size()), spec.concentration);
    if (form == NumberForm::finite && spec.concentration > 0.0) return spec;
    return wrong("expected dirichlet:A with a number A > 0");
  }
  return wrong("expected shuffle, blocks, column:N or dirichlet:A");
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
