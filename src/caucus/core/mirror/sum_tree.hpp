// A tree of non-negative weights for drawing from unnormalised probabilities: it changes a few
// weights at a time, gives their sum, and finds the index at which the running sum passes a point.
// Every node has 16 children and stores their running sums, so a change updates the nodes above it
// and a search visits one node per level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class SumTree {
 public:
  SumTree() = default;
  explicit SumTree(std::size_t size);

  [[nodiscard]] std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return levels_.front().values[i]; }
  [[nodiscard]] double total() const { return levels_.back().sums.back(); }

  /// The weights, followed by zeros up to a multiple of 16.
  [[nodiscard]] const double* padded_values() const { return levels_.front().values.data(); }

  void set_all(std::span<const double> values);
  /// Like set_all(), but swaps with values that are padded with zeros like padded_values().
  void swap_all(AlignedVector<double>& padded_values);
  /// Sets the weight of indices[n] to values[n].
  void set(std::span<const std::uint32_t> indices, std::span<const double> values);

  /// Returns the i with sum_{k < i} w_k <= point < sum_{k <= i} w_k, up to rounding. Its weight is
  /// not 0 unless all are.
  [[nodiscard]] std::size_t find(double point) const;

  /// Saves the weights, from which the sums follow. restore() needs a tree of the same size;
  /// discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  static constexpr std::size_t kChildren = 16;
  struct Level {
    std::size_t size = 0;
    AlignedVector<double> values;  ///< padded with zeros to whole nodes
    AlignedVector<double> sums;    ///< running sums from the first child of each node
    std::vector<bool> changed;     ///< the nodes that set() has changed
  };
  void add_up_all();
  static void add_up(Level& level, std::size_t node);
  static std::size_t find_child(const Level& level, std::size_t node, double point);

  std::size_t size_ = 0;
  std::size_t depth_ = 0;                   ///< levels above the leaves
  std::vector<Level> levels_;               ///< the last one is a single node
  std::vector<std::size_t> nodes_, above_;  ///< scratch: the changed nodes of a level
};

}  // namespace caucus
