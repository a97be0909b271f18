#include "caucus/federation/sums_validation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {
namespace {

const char* const kLosses[] = {"square", "absolute",    "huber:0.3", "logistic",
                               "hinge",  "pinball:0.2", "linear"};

/// Sums over random examples for a model with an intercept, computed as a client computes them.
struct Summed {
  Summed(const std::string& name, std::size_t dimension, std::size_t examples, double weight_scale,
         std::uint64_t seed)
      : loss(parse_loss(name).value()), sums(dimension + 1) {
    Stream stream({.seed = seed});
    double norm = 0.0;
    for (std::size_t k = 0; k < dimension; ++k) {
      weights.push_back(static_cast<double>(static_cast<float>(weight_scale * stream.normal())));
      norm += weights.back() * weights.back();
    }
    RowSums rows(dimension + 1);
    double total = 0.0;
    const double spread = stream.uniform();  // columns may be nearly constant
    for (std::size_t n = 0; n < examples; ++n) {
      std::vector<float> z;
      for (std::size_t k = 0; k + 1 < dimension; ++k) {
        z.push_back(static_cast<float>(spread * (2.0 * stream.uniform() - 1.0)));
      }
      z.push_back(1.0F);
      float output = 0.0F;
      for (std::size_t k = 0; k < dimension; ++k) {
        output += z[k] * static_cast<float>(weights[k]);
      }
      double y = 2.0 * stream.uniform() - 1.0;
      if (loss.is_classification()) y = y < 0.0 ? -1.0 : 1.0;
      const double usual = n > 0 ? total / static_cast<double>(n) : 0.0;
      total += loss.value(static_cast<double>(output), y);
      const auto [weight, target] = quadratic_loss(loss, static_cast<double>(output), y, usual);
      rows.add(static_cast<float>(std::sqrt(weight)), static_cast<float>(target), z);
    }
    std::vector<float> triangle(triangle_size(dimension + 1));
    rows.write_triangle(dimension + 1, triangle);
    sums.add_triangle(dimension + 1, triangle);
    const double bound = std::sqrt(static_cast<double>(dimension));
    claim = {&loss, static_cast<double>(examples), bound,
             1.0,   std::sqrt(norm) * bound,       dimension - 1};
    mean_loss = static_cast<double>(static_cast<float>(total / static_cast<double>(examples)));
  }
  Summed(const Summed&) = delete;
  Summed& operator=(const Summed&) = delete;
  Summed(Summed&&) = delete;
  Summed& operator=(Summed&&) = delete;
  ~Summed() = default;

  [[nodiscard]] std::string fault() const {
    if (auto found = fault_in_sums(sums, claim)) return *found;
    return fault_in_loss(sums, claim, weights, mean_loss).value_or("");
  }
  /// Adds to one sum.
  void change(std::size_t row, std::size_t column, float by) {
    std::vector<float> triangle(triangle_size(sums.size()), 0.0F);
    triangle[triangle_size(row) + column] = by;
    sums.add_triangle(sums.size(), triangle);
  }

  Loss loss;
  std::vector<double> weights;
  SymmetricMatrix sums;
  SumsClaim claim;
  double mean_loss = 0.0;
};

RC_GTEST_PROP(SumsValidation, TakesWhateverDataGive, ()) {
  const std::string name =
      *rc::gen::elementOf(std::vector<std::string>(std::begin(kLosses), std::end(kLosses)));
  const auto dimension = *rc::gen::inRange<std::size_t>(1, 60);
  const auto examples = *rc::gen::inRange<std::size_t>(1, 300);
  const double scale = std::ldexp(1.0, *rc::gen::inRange(-12, 8));
  const Summed honest(name, dimension, examples, scale, *rc::gen::arbitrary<std::uint64_t>());
  RC_LOG() << honest.fault();
  RC_ASSERT(honest.fault().empty());
}

TEST(SumsValidation, FindsALossThatTheSumsDoNotHave) {
  for (const double factor : {0.0, 0.9, 1.1, 10.0}) {
    Summed liar("square", 6, 50, 0.3, 1);
    EXPECT_EQ(liar.fault(), "");
    liar.mean_loss *= factor;
    EXPECT_NE(liar.fault().find("where the sums have"), std::string::npos) << factor;
  }
}

TEST(SumsValidation, FindsANegatedTargetUnlessTheLossAgrees) {
  Summed liar("square", 6, 50, 0.3, 1);
  for (std::size_t k = 1; k < 7; ++k) {
    liar.change(k, 0, static_cast<float>(-2.0 * liar.sums(k, 0)));
  }
  EXPECT_NE(liar.fault().find("where the sums have"), std::string::npos);
}

TEST(SumsValidation, FindsAnInterceptThatIsNotOne) {
  Summed liar("square", 6, 50, 0.3, 1);
  liar.change(6, 6, 5.0F);
  EXPECT_NE(liar.fault().find("intercept"), std::string::npos) << liar.fault();
}

TEST(SumsValidation, FindsFeaturesAndTargetsThatAreTooLargeForAnyLoss) {
  for (const char* name : kLosses) {
    Summed features(name, 6, 50, 0.3, 1);
    EXPECT_EQ(features.fault(), "") << name;
    const double heaviest = largest_weight(features.loss);
    features.change(1, 1, static_cast<float>(6.1 * 50.0 * heaviest));
    EXPECT_NE(features.fault().find("squared features"), std::string::npos) << name;
    Summed targets(name, 6, 50, 0.3, 1);
    targets.change(0, 0, static_cast<float>(50.0 * std::pow(std::sqrt(heaviest) * 100.0, 2)));
    EXPECT_NE(targets.fault().find("squared targets"), std::string::npos) << name;
  }
}

TEST(SumsValidation, FindsAGradientThatNoLossHas) {
  for (const char* name : {"absolute", "huber:0.3", "logistic", "hinge", "pinball:0.2"}) {
    Summed liar(name, 6, 50, 0.3, 1);
    liar.change(0, 0, static_cast<float>(20.0 * liar.sums(0, 0)));
    const double room = std::sqrt(liar.sums(0, 0) * liar.sums(6, 6));
    liar.change(6, 0, static_cast<float>(0.9 * room - liar.sums(6, 0)));
    EXPECT_NE(liar.fault(), "") << name;
  }
}

// If the other rows have 0 in a column, rounding leaves a number that may be negative.
TEST(SumsValidation, TakesSumsFromWhichRowsWereRemoved) {
  Stream stream({.seed = 4});
  std::size_t negative = 0;
  const Loss square{SquareLoss{}};
  for (int trial = 0; trial < 300; ++trial) {
    RowSums rows(4);
    std::vector<std::vector<float>> rare;
    for (int n = 0; n < 40; ++n) {
      std::vector<float> z = {0.0F, static_cast<float>(stream.uniform()), 1.0F};
      if (n % 9 == 4) z[0] = static_cast<float>(stream.uniform());
      rows.add(1.0F, 0.5F, z);
      if (z[0] != 0.0F) rare.push_back(z);
    }
    for (std::vector<float>& z : rare) {
      rows.subtract(1.0F, 0.5F, z);
      z[0] = 0.0F;
      rows.add(1.0F, 0.5F, z);
    }
    std::vector<float> triangle(triangle_size(4));
    rows.write_triangle(4, triangle);
    SymmetricMatrix sums(4);
    sums.add_triangle(4, triangle);
    if (sums(1, 1) < 0.0) ++negative;
    const auto fault = fault_in_sums(sums, {&square, 40.0, std::sqrt(3.0), 1.0, 0.0, 2});
    ASSERT_EQ(fault, std::nullopt) << *fault;
  }
  EXPECT_GT(negative, 0U);
}

TEST(SumsValidation, FindsWhatIsNotSemidefiniteInASmallColumn) {
  Summed liar("square", 6, 50, 0.3, 1);
  // A column with sums of squares of a millionth of the others can have no more than this product.
  liar.change(1, 1, static_cast<float>(50e-6 - liar.sums(1, 1)));
  for (std::size_t k = 2; k < 7; ++k) liar.change(k, 1, static_cast<float>(-liar.sums(k, 1)));
  liar.change(1, 0,
              static_cast<float>(-liar.sums(1, 0) + 1.1 * std::sqrt(50e-6 * liar.sums(0, 0))));
  EXPECT_NE(liar.fault().find("semidefinite"), std::string::npos) << liar.fault();
}

RC_GTEST_PROP(LargestWeight, IsNotExceeded, ()) {
  const std::string name =
      *rc::gen::elementOf(std::vector<std::string>(std::begin(kLosses), std::end(kLosses)));
  const Loss loss = parse_loss(name).value();
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const double y = stream.uniform() < 0.5 ? -1.0 : 1.0;
  const double output = y + std::ldexp(stream.normal(), *rc::gen::inRange(-40, 4));
  RC_ASSERT(quadratic_loss(loss, output, y, 0.0).weight <= largest_weight(loss));
}

/// Sums over 40 examples of three classes with features (x, 1), and a model without weights.
struct ClassesSummed {
  ClassesSummed() : loss(ClassesLoss{{}, 3}), sums(5) {
    RowSums rows(5);
    for (int n = 0; n < 40; ++n) {
      const std::vector<float> y = {n % 4 == 0 ? 1.0F : 0.0F, n % 4 == 1 ? 1.0F : 0.0F,
                                    n % 4 > 1 ? 1.0F : 0.0F};
      rows.add(1.0F, y, std::vector<float>{0.5F - static_cast<float>(n % 7) / 7.0F, 1.0F});
    }
    std::vector<float> triangle(triangle_size(5));
    rows.write_triangle(5, triangle);
    sums.add_triangle(5, triangle);
  }
  void change(std::size_t row, std::size_t column, float by) {
    std::vector<float> triangle(triangle_size(5), 0.0F);
    triangle[triangle_size(row) + column] = by;
    sums.add_triangle(5, triangle);
  }
  [[nodiscard]] std::string fault(double mean_loss = 1.0) const {
    const SumsClaim claim{&loss, 40.0, 2.0, 1.0, 0.0, 1};
    if (auto found = fault_in_sums(sums, claim)) return *found;
    return fault_in_loss(sums, claim, std::vector<double>(6, 0.0), mean_loss).value_or("");
  }
  Loss loss;
  SymmetricMatrix sums;
};

TEST(SumsValidation, FindsClassesThatNoExamplesHave) {
  EXPECT_EQ(ClassesSummed().fault(), "");
  EXPECT_NE(ClassesSummed().fault(0.5).find("where the sums have"), std::string::npos);
  ClassesSummed more;
  more.change(0, 0, 5.0F);
  EXPECT_NE(more.fault().find("shares of a class"), std::string::npos) << more.fault();
  ClassesSummed fewer;  // five examples have no class
  fewer.change(0, 0, -5.0F);
  fewer.change(4, 0, -5.0F);
  EXPECT_NE(fewer.fault().find("classes of 35 examples"), std::string::npos) << fewer.fault();
  ClassesSummed negative;  // one class twice, and the other minus once
  negative.change(0, 0, 3.0F);
  negative.change(1, 0, -3.0F);
  negative.change(1, 1, 3.0F);
  EXPECT_NE(negative.fault().find("a negative product"), std::string::npos) << negative.fault();
}

}  // namespace
}  // namespace caucus
