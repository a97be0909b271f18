// Non-negative weights that change a few at a time, their sum, and the place at which a running sum
// passes a point: what drawing from unnormalised probabilities needs. Every node has 16 children
// and keeps their running sums, so a change costs the nodes above it and a search one node per
// level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caucus {

class SumTree {
 public:
  SumTree() = default;
  explicit SumTree(std::size_t size);

  [[nodiscard]] std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return levels_.front().values[i]; }
  [[nodiscard]] double total() const { return levels_.back().sums.back(); }

  void set_all(std::span<const double> values);
  /// values[n] becomes the weight of indices[n].
  void set(std::span<const std::uint32_t> indices, std::span<const double> values);

  /// The i with sum_{k < i} w_k <= point < sum_{k <= i} w_k, up to rounding; never one of weight 0
  /// unless all are.
  [[nodiscard]] std::size_t find(double point) const;

 private:
  static constexpr std::size_t kChildren = 16;
  struct Level {
    std::vector<double> values;  ///< padded with zeros to whole nodes
    std::vector<double> sums;    ///< running, from the first child of each node
    std::vector<bool> changed;   ///< nodes, while set() works
  };
  static void add_up(Level& level, std::size_t node);

  std::size_t size_ = 0;
  std::vector<Level> levels_;               ///< the last one is a single node
  std::vector<std::size_t> nodes_, above_;  ///< scratch: what changed on a level
};

}  // namespace caucus
