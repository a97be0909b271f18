#include "caucus/core/statistics/error_bars.hpp"

#include <cmath>

#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {

void RecentErrors::add(double squares, double examples, double kept) {
  if (!(examples > 0.0)) return;
  const double before = examples_ / (examples_ + examples);
  kept *= before * before * before;
  squares_ = kept * squares_ + squares;
  weight_ = kept * weight_ + examples;
  examples_ += examples;
}

Status RecentErrors::restore(StateReader& from) {
  squares_ = from.real();
  weight_ = from.real();
  examples_ = from.real();
  CAUCUS_CHECK(from.status());
  if (is_amount(squares_) && is_amount(weight_) && is_amount(examples_)) return Done{};
  return from.refuse("a sum of squared errors");
}

double ErrorBars::variance_at(std::span<const float> x) const {
  const std::size_t size = triangle_rows(factor.size());
  std::vector<double> solved(size);  // of L solved = z
  double leverage = 0.0;
  const float* row = factor.data();
  for (std::size_t r = 0; r < size; row += ++r) {
    double left = r < x.size() ? static_cast<double>(x[r]) : 1.0;
    for (std::size_t c = 0; c < r; ++c) left -= static_cast<double>(row[c]) * solved[c];
    solved[r] = left / static_cast<double>(row[r]);
    leverage += solved[r] * solved[r];
  }
  return variance * (1.0 + leverage);
}

std::vector<float> ridge_factor(const SymmetricMatrix& sums, const Ridge& ridge, std::size_t size) {
  std::vector<double> L(triangle_size(size));
  const auto at = [&](std::size_t r, std::size_t c) -> double& { return L[triangle_size(r) + c]; };
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      double sum = sums(r + 1, c + 1);
      if (r == c) sum += r < ridge.first ? ridge.of_first : ridge.value;
      for (std::size_t k = 0; k < c; ++k) sum -= at(r, k) * at(c, k);
      at(r, c) = r == c ? std::sqrt(sum) : sum / at(c, c);
      if (!std::isfinite(at(r, c)) || (r == c && !(at(r, c) > 0.0))) return {};
    }
  }
  return {L.begin(), L.end()};
}

double central_quantile(double share) {
  double low = 0.0;
  double high = 40.0;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = 0.5 * (low + high);
    (std::erf(middle / std::sqrt(2.0)) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace caucus
