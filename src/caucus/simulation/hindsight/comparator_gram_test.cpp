#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"
#include "caucus/simulation/hindsight/test_comparator.hpp"

namespace caucus {
namespace {

using testing::Examples;
using testing::random_examples;
using testing::total_loss;

GramComparator gram_of(const Examples& examples, std::size_t rows) {
  GramComparator gram(examples.dimension);
  for (std::size_t i = 0; i < rows; ++i) {
    gram.add(examples.row(i), static_cast<double>(examples.y[i]));
  }
  return gram;
}

TEST(GramComparator, AgreesWithNestedSectionsInThePlane) {
  const Examples examples = random_examples(1, 150, 2, false);
  const GramComparator gram = gram_of(examples, 150);
  for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
    for (const double radius : {0.1, 1.0, 10.0}) {
      const Region region{constraint, radius};
      const BestFit fit = gram.best(region);
      const double slow = testing::nested_sections(Loss{SquareLoss{}}, examples, region);
      EXPECT_NEAR(fit.loss, slow, 1e-7 * slow);
      EXPECT_GE(slow, fit.loss - fit.gap);
    }
  }
}

TEST(GramComparator, TheLossIsThatOfTheWeightsOnTheRows) {
  const Examples examples = random_examples(2, 700, 12, false);
  for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
    for (const double radius : {0.5, 2.0, 100.0, kInfinity}) {
      const BestFit fit = gram_of(examples, 700).best({constraint, radius});
      const double direct = total_loss(Loss{SquareLoss{}}, examples, fit.weights);
      EXPECT_NEAR(fit.loss, direct, 1e-12 * direct);
    }
  }
}

TEST(GramComparator, TakesTheSumsOfClients) {
  const Examples examples = random_examples(4, 900, 12, false);
  SymmetricMatrix sums(13);
  for (std::size_t client = 0; client < 3; ++client) {
    RowSums rows(13);
    for (std::size_t i = client; i < 900; i += 3) rows.add(1.0F, examples.y[i], examples.row(i));
    std::vector<float> sent(triangle_size(13));
    rows.write_triangle(13, sent);
    sums.add_triangle(13, sent);
  }
  for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
    for (const double radius : {0.5, 2.0, kInfinity}) {
      const BestFit exact = gram_of(examples, 900).best({constraint, radius});
      const BestFit fit = GramComparator(sums).best({constraint, radius});
      EXPECT_NEAR(fit.loss, exact.loss, fit.gap);
      EXPECT_LT(fit.gap, 1e-3 * fit.loss);
      EXPECT_NEAR(fit.loss, exact.loss, 1e-6 * exact.loss);
    }
  }
}

TEST(GramComparator, ANearlyPerfectFitKeepsSixDigits) {
  // The mean loss is 1e-4 of the mean square of y, and the features nearly depend on each other.
  Examples examples = random_examples(3, 2000, 20, false, 0.02);
  for (std::size_t i = 0; i < 2000; ++i) {
    examples.z[20 * i + 19] = examples.z[20 * i] + 1e-4F * examples.z[20 * i + 19];
  }
  const GramComparator gram = gram_of(examples, 2000);
  for (const double radius : {20.0, 1000.0}) {
    const Region region{Constraint::ball, radius};
    const BestFit fit = gram.best(region);
    const BestFit by_rows = best_in_hindsight(Loss{SquareLoss{}}, examples.rows(), region);
    EXPECT_NEAR(fit.loss, by_rows.loss, 1e-7 * by_rows.loss);
    EXPECT_LE(fit.gap, 1e-6 * fit.loss);
  }
}

TEST(GramComparator, APrefixAskedOnTheWayIsTheSameAsFromScratch) {
  const Examples examples = random_examples(4, 300, 5, false);
  GramComparator gram(5);
  for (std::size_t i = 0; i < 300; ++i) {
    gram.add(examples.row(i), static_cast<double>(examples.y[i]));
    if (i % 29 != 0 && i != 127 && i != 128) continue;
    const Region region{Constraint::ball, 1.0};
    const BestFit now = gram.best(region);
    const BestFit scratch = gram_of(examples, i + 1).best(region);
    EXPECT_EQ(now.loss, scratch.loss);
    EXPECT_EQ(now.weights, scratch.weights);
  }
}

TEST(GramComparator, ManyRegionsAtOnceAreTheSameAsOneByOne) {
  const Examples examples = random_examples(5, 200, 6, false);
  const GramComparator gram = gram_of(examples, 200);
  std::vector<Region> regions;
  for (const double radius : {0.1, 1.0, kInfinity}) {
    regions.push_back({Constraint::ball, radius});
    regions.push_back({Constraint::box, radius});
  }
  const auto fits = gram.best(regions);
  ASSERT_EQ(fits.size(), regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    EXPECT_EQ(fits[i].loss, gram.best(regions[i]).loss);
  }
}

TEST(GramComparator, AConstantZeroFeatureAndADuplicateChangeNothing) {
  const Examples plain = random_examples(6, 200, 2, false);
  Examples padded{4, {}, plain.y};
  for (std::size_t i = 0; i < 200; ++i) {
    const auto z = plain.row(i);
    padded.z.insert(padded.z.end(), {z[0], z[1], 0.0F, z[1]});
  }
  const BestFit a = gram_of(plain, 200).best({Constraint::ball, kInfinity});
  const BestFit b = gram_of(padded, 200).best({Constraint::ball, kInfinity});
  EXPECT_NEAR(a.loss, b.loss, 1e-12 * a.loss);
  EXPECT_EQ(b.weights[2], 0.0);
  EXPECT_NEAR(b.weights[1], b.weights[3], 1e-12);  // the shortest solution shares
  EXPECT_LE(b.gap, 1e-9 * b.loss);
}

TEST(GramComparator, WithoutRowsOrFeaturesTheLossIsThatOfForecastingZero) {
  EXPECT_EQ(GramComparator(3).best({Constraint::box, 1.0}).loss, 0.0);
  EXPECT_EQ(GramComparator(3).best({Constraint::ball, kInfinity}).weights.size(), 3U);
  GramComparator featureless(0);
  featureless.add({}, 2.0);
  EXPECT_EQ(featureless.best({Constraint::ball, 1.0}).loss, 4.0);
  EXPECT_EQ(featureless.best({Constraint::box, 1.0}).loss, 4.0);
}

}  // namespace
}  // namespace caucus
