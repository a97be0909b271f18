#include "caucus/core/mirror/sum_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

RC_GTEST_PROP(SumTree, FindsWhatARunningSumFinds, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 700);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  // Whole numbers make sums and comparisons exact. Many of them are 0.
  std::vector<double> weights(size);
  for (double& weight : weights) weight = stream.below(3) == 0 ? stream.below(100) : 0.0;
  weights[stream.below(static_cast<std::uint32_t>(size))] = 1.0;
  SumTree tree(size);
  tree.set_all(weights);
  for (int change = 0; change < 5; ++change) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    RC_ASSERT(tree.total() == total);
    for (int draw = 0; draw < 50; ++draw) {
      const double point = std::floor(stream.uniform() * total);
      std::size_t expected = 0;
      double sum = weights[0];
      while (sum <= point) sum += weights[++expected];
      RC_ASSERT(tree.find(point) == expected);
    }
    RC_ASSERT(weights[tree.find(total)] > 0.0);  // a point that rounding moved to the end
    std::vector<std::uint32_t> indices;
    std::vector<double> values;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (stream.below(5) != 0) continue;
      indices.push_back(i);
      values.push_back(1.0 + stream.below(50));
      weights[i] = values.back();
    }
    tree.set(indices, values);
    for (std::size_t i = 0; i < size; ++i) RC_ASSERT(tree[i] == weights[i]);
  }
}

TEST(SumTree, ChangesGiveTheBitsOfAFreshTree) {
  Stream stream({.seed = 2});
  SumTree changed(5000);
  std::vector<double> weights(5000);
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    weights[i] = stream.uniform();
    changed.set(std::array{i}, std::array{weights[i]});
  }
  SumTree fresh(5000);
  fresh.set_all(weights);
  EXPECT_EQ(changed.total(), fresh.total());
}

}  // namespace
}  // namespace caucus
