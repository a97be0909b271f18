#include "caucus/core/mirror/sum_tree.hpp"

#include <algorithm>

namespace caucus {

SumTree::SumTree(std::size_t size) : size_(size) {
  for (std::size_t values = size;;) {
    const std::size_t nodes = std::max<std::size_t>((values + kChildren - 1) / kChildren, 1);
    levels_.push_back({values, AlignedVector<double>(nodes * kChildren, 0.0),
                       AlignedVector<double>(nodes * kChildren, 0.0),
                       std::vector<bool>(nodes, false)});
    if (nodes == 1) break;
    values = nodes;
    ++depth_;
  }
}

void SumTree::add_up(Level& level, std::size_t node) {
  const std::size_t first = node * kChildren;
  const std::size_t used = std::min(level.size, first + kChildren);
  double sum = 0.0;
  std::size_t k = first;
  for (; k < used; ++k) {
    sum += level.values[k];
    level.sums[k] = sum;
  }
  for (; k < first + kChildren; ++k) level.sums[k] = sum;
}

void SumTree::set_all(std::span<const double> values) {
  std::copy(values.begin(), values.end(), levels_.front().values.begin());
  add_up_all();
}

void SumTree::swap_all(AlignedVector<double>& padded_values) {
  levels_.front().values.swap(padded_values);
  add_up_all();
}

void SumTree::add_up_all() {
  if (levels_.size() == 1) return add_up(levels_.front(), 0);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    for (std::size_t node = 0; node < level.changed.size(); ++node) {
      add_up(level, node);
      if (l + 1 < levels_.size()) {
        levels_[l + 1].values[node] = level.sums[(node + 1) * kChildren - 1];
      }
    }
  }
}

void SumTree::set(std::span<const std::uint32_t> indices, std::span<const double> values) {
  Level& leaves = levels_.front();
  const auto mark = [](Level& level, std::size_t value, std::vector<std::size_t>& nodes) {
    const std::size_t node = value / kChildren;
    if (level.changed[node]) return;
    level.changed[node] = true;
    nodes.push_back(node);
  };
  if (levels_.size() == 1) {
    for (std::size_t n = 0; n < indices.size(); ++n) leaves.values[indices[n]] = values[n];
    add_up(leaves, 0);
    return;
  }
  nodes_.clear();
  for (std::size_t n = 0; n < indices.size(); ++n) {
    leaves.values[indices[n]] = values[n];
    mark(leaves, indices[n], nodes_);
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    above_.clear();
    for (const std::size_t node : nodes_) {
      add_up(level, node);
      level.changed[node] = false;
      if (l + 1 == levels_.size()) continue;
      levels_[l + 1].values[node] = level.sums[(node + 1) * kChildren - 1];
      mark(levels_[l + 1], node, above_);
    }
    nodes_.swap(above_);
  }
}

void SumTree::save(StateWriter& to) const {
  to.numbers(std::span(levels_.front().values).first(size_));
}

Status SumTree::restore(StateReader& from) {
  const auto values = std::span(levels_.front().values).first(size_);
  from.numbers(values);
  CAUCUS_CHECK(from.status());
  if (!all_amounts(values)) return from.refuse("a weight", "expected finite numbers >= 0");
  add_up_all();
  return Done{};
}

std::size_t SumTree::find_child(const Level& level, std::size_t node, double point) {
  const double* const sums = level.sums.data() + node * kChildren;
  std::size_t child = 0;  // counting is faster than a search that branches
  for (std::size_t c = 0; c < kChildren; ++c) child += sums[c] <= point ? 1U : 0U;
  if (child < kChildren) return child;
  // Rounding moved the point beyond the total: take the last child with a weight.
  const double* const values = level.values.data() + node * kChildren;
  for (child = kChildren - 1; child > 0 && values[child] == 0.0;) --child;
  return child;
}

std::size_t SumTree::find(double point) const {
  std::size_t node = 0;
  for (std::size_t l = depth_; l > 0; --l) {
    const std::size_t child = find_child(levels_[l], node, point);
    if (child > 0) point -= levels_[l].sums[node * kChildren + child - 1];
    node = node * kChildren + child;
  }
  return node * kChildren + find_child(levels_.front(), node, point);
}

}  // namespace caucus
