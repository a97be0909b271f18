#include <caucus/selector.hpp>
#include <cstdio>

int main() {
  auto selector = caucus::Selector::make({.features = 1});  // nine candidate spaces
  if (!selector.ok()) return std::puts(selector.error().line().c_str()), 1;
  for (int t = 0; t < 1000; ++t) {
    const float x[] = {static_cast<float>(t * 37 % 101) / 50.0F - 1.0F};
    const auto prediction = selector->predict(x);                            // before y is known
    if (!prediction.ok() || !selector->observe(x[0] * x[0]).ok()) return 1;  // y = x^2
    if (t % 100 == 0) std::printf("round %4d: error %+.4f\n", t + 1, *prediction - x[0] * x[0]);
  }
  for (std::size_t i = 0; i < selector->spaces().size(); ++i)
    std::printf("%-20s %.3f\n", selector->spaces()[i].c_str(), selector->probabilities()[i]);
}
